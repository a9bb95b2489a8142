package retrieve

import (
	"time"

	"manicule/memory/file"
)

// Why a candidate is not in an answer.
const (
	OmitIrrelevant = "unlike"    // too little to do with the question
	OmitUntrusted  = "unsure"    // less trusted than the question wants
	OmitDuplicate  = "duplicate" // a better one says the same
	OmitLimit      = "limit"
	OmitBudget     = "budget"
)

// Answer is the result of a search, with an account of what was omitted and why. Times are in
// milliseconds.
type Answer struct {
	Kind    Kind     `json:"kind"`
	Phase   Phase    `json:"phase,omitzero"`
	Results []Result `json:"results"`
	// Matched is the number of candidates of all retrievers.
	Matched int         `json:"matched"`
	Omitted []Omission  `json:"omitted,omitempty"`
	Legs    []LegReport `json:"legs"`
	// Meaning is true if vectors were compared. Fault says why not, if they should have been.
	Meaning bool   `json:"meaning"`
	Fault   string `json:"fault,omitzero"`
	// Tokens is an estimate for the results' texts.
	Tokens int     `json:"tokens"`
	Millis float64 `json:"ms"`
}

// Omission counts the candidates omitted for one reason, and names up to [shownOmitted] of them.
type Omission struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	IDs    []string `json:"ids,omitempty"`
}

// shownOmitted is how many omitted candidates are named.
const shownOmitted = 5

// LegReport describes the work of one retriever or another stage.
type LegReport struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight,omitzero"`
	Found  int     `json:"found"`
	Millis float64 `json:"ms"`
	Fault  string  `json:"fault,omitzero"` // why it did not take part
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Boost is a change of a score with its reason.
type Boost struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Reason string  `json:"reason"`
}

// ScoreParts are the parts of a final score.
type ScoreParts struct {
	Relevance  float64 `json:"relevance"`
	Recency    float64 `json:"recency"`
	Frequency  float64 `json:"frequency"`
	Phase      float64 `json:"phase"`
	Trust      float64 `json:"trust"`
	Confidence float64 `json:"confidence"`
}

// Result is a found item, with the evidence for it.
type Result struct {
	ID    string    `json:"id"`
	Type  file.Type `json:"type,omitzero"`
	Score float64   `json:"score"`
	// Weak marks a result that has little to do with the question. It is the best there is, for a
	// caller that asked explicitly.
	Weak   bool       `json:"weak,omitzero"`
	By     []LegRank  `json:"by"`
	Boosts []Boost    `json:"boosts,omitempty"`
	Parts  ScoreParts `json:"parts"`
	// Doubts say why it may be out of date.
	Doubts []string `json:"doubts,omitempty"`
	// Cluster numbers the results about one place, from 1; 0 without packing.
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
