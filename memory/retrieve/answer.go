package retrieve

import (
	"time"

	"manicule/memory/file"
)

// Why a candidate is not in an answer.
const (
	OmitIrrelevant = "unlike"    // it has too little to do with the question
	OmitUntrusted  = "unsure"    // it is trusted less than the question wants
	OmitDuplicate  = "duplicate" // a better one says the same
	OmitLimit      = "limit"
	OmitBudget     = "budget"
)

// Answer is what was found, with an account of what was not shown and why: the
// envelope. Times are in milliseconds.
type Answer struct {
	Kind    Kind     `json:"kind"`
	Phase   Phase    `json:"phase,omitzero"`
	Results []Result `json:"results"`
	// Matched is how many candidates the ways to look gave together.
	Matched int         `json:"matched"`
	Omitted []Omission  `json:"omitted,omitempty"`
	Legs    []LegReport `json:"legs"`
	// Meaning is true when meanings were compared; Fault says why not though
	// they should have been.
	Meaning bool   `json:"meaning"`
	Fault   string `json:"fault,omitzero"`
	// Tokens is about how many the results' texts have.
	Tokens int     `json:"tokens"`
	Millis float64 `json:"ms"`
}

// Omission is how many candidates were left out for a reason, and which, up to
// [shownOmitted].
type Omission struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	IDs    []string `json:"ids,omitempty"`
}

// shownOmitted is how many of what was left out are named.
const shownOmitted = 5

// LegReport says what one way to look, or another stage, did.
type LegReport struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight,omitzero"`
	Found  int     `json:"found"`
	Millis float64 `json:"ms"`
	Fault  string  `json:"fault,omitzero"` // why it had no part
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Boost is a change of a score with its reason (V5-RET-20).
type Boost struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Reason string  `json:"reason"`
}

// ScoreParts are what a final score is made of.
type ScoreParts struct {
	Relevance  float64 `json:"relevance"`
	Recency    float64 `json:"recency"`
	Frequency  float64 `json:"frequency"`
	Phase      float64 `json:"phase"`
	Trust      float64 `json:"trust"`
	Confidence float64 `json:"confidence"`
}

// Result is something that was found, with all that speaks for it.
type Result struct {
	ID    string    `json:"id"`
	Type  file.Type `json:"type,omitzero"`
	Score float64   `json:"score"`
	// Weak is true of what has little to do with the question: it is the best that
	// there is, for who asked explicitly.
	Weak   bool       `json:"weak,omitzero"`
	By     []LegRank  `json:"by"`
	Boosts []Boost    `json:"boosts,omitempty"`
	Parts  ScoreParts `json:"parts"`
	// Doubts say why it may be out of date.
	Doubts []string `json:"doubts,omitempty"`
	// Cluster numbers results about the same place, from 1; 0 without packing.
	Cluster int `json:"cluster,omitzero"`
	Tokens  int `json:"tokens"`

	created time.Time
}

func (r *run) omit(reason, id string) {
	for i := range r.answer.Omitted {
		o := &r.answer.Omitted[i]
		if o.Reason == reason {
			o.Count++
			if len(o.IDs) < shownOmitted {
				o.IDs = append(o.IDs, id)
			}
			return
		}
	}
	r.answer.Omitted = append(r.answer.Omitted, Omission{reason, 1, []string{id}})
}
