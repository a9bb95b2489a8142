package memory

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Inferred is a memory that the observer suggests. It becomes a candidate, which nobody is shown
// until a person accepts it.
type Inferred struct {
	Draft    Draft
	Kind     string // of the signal
	Key      string // identifies the subject, which is proposed once
	Sessions []string
	Evidence []int // numbers of lines in the session's log
	Value    float64
	// Count is the number of sessions that agree; Sessions names some of them.
	Count int
	// For and Against are one sentence each of evidence from all sessions, or "".
	For, Against string
	// Procedure is the way of working that it says, or nil.
	Procedure *episode.Procedure
}

// details are the extra members in the file of an inferred memory.
type details struct {
	Signal   string  `json:"signal"`
	Value    float64 `json:"value"`
	Sessions int     `json:"sessions"`
	Evidence []int   `json:"evidence"`
	For      string  `json:"for,omitzero"`
	Against  string  `json:"against,omitzero"`
	Recipe   *recipe `json:"recipe,omitzero"`
	// What the type has, which acceptance keeps.
	Steps       []file.Step `json:"steps,omitempty"`
	Successes   int         `json:"successes,omitzero"`
	Failures    int         `json:"failures,omitzero"`
	ValidatedAt *file.Time  `json:"validated_at,omitzero"`

	Always []string `json:"always,omitempty"`
	Often  []string `json:"often,omitempty"`
	// Of a calibration.
	Estimated float64 `json:"estimated,omitzero"`
	Actual    float64 `json:"actual,omitzero"`
	Unit      string  `json:"unit,omitzero"`
	Task      string  `json:"task,omitzero"`
}

// recipe are the details of a workflow recipe: when it applies, and its steps.
type recipe struct {
	Trigger string       `json:"trigger"`
	Steps   []recipeStep `json:"steps"`
}

type recipeStep struct {
	Act  episode.Act `json:"act"`
	What string      `json:"what"`
}

func recipeOf(p *episode.Procedure) *recipe {
	if p == nil {
		return nil
	}
	r := &recipe{Trigger: p.Trigger}
	for _, s := range p.Steps {
		r.Steps = append(r.Steps, recipeStep{s.Act, s.What})
	}
	return r
}

// Observer keeps what sessions of agents showed, and makes candidates of what follows from it. It is safe for concurrent
// use by goroutines and processes.
type Observer struct {
	sessions sessions
	rows     memoryTexts
	maker    *Maker
	checks   *checks
	dedupe   *deduper
	drafts   *Drafts
}

// sessions are the reports about sessions. [store.Sessions] keeps them.
type sessions interface {
	Prior(ctx context.Context, o store.Observation) (store.PriorSessions, error)
	Put(ctx context.Context, o store.Observation, proposals []store.Proposal) (fresh []string, err error)
}

// memoryTexts lists what the memories say.
type memoryTexts interface {
	Texts(ctx context.Context) ([]string, error)
}

// seenInWork begins the reason of a candidate, before the name of its kind.
const seenInWork = "seen in what agents did: "

// PriorSessions looks up what earlier sessions showed about the contents of a session's report. It
// also returns the texts of all drafts.
func (b *Observer) PriorSessions(ctx context.Context, o store.Observation) (store.PriorSessions, []string, error) {
	past, err := b.sessions.Prior(ctx, o)
	if err != nil {
		return past, nil, fmt.Errorf("look up earlier sessions: %w", err)
	}
	var known []string
	for _, data := range past.Drafts {
		if m, err := file.Parse(data); err == nil {
			known = append(known, m.What)
		}
	}
	return past, known, nil
}

// Texts returns the texts of all memories.
func (b *Observer) Texts(ctx context.Context) ([]string, error) {
	texts, err := b.rows.Texts(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the memories: %w", err)
	}
	return texts, nil
}

// Observe stores a session's report and its candidates in one transaction. Each candidate passes
// the gate; a refused one is left out, and its result says so. Parts of the report that contain a
// secret are left out too.
func (b *Observer) Observe(ctx context.Context, o store.Observation, found []Inferred) ([]Result, error) {
	o, _, err := b.scrubbed(o)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(found))
	var proposals []store.Proposal
	for i, f := range found {
		m, r, err := b.inferred(ctx, f)
		if err != nil {
			return nil, err
		}
		results[i] = r
		if m != nil {
			proposals = append(proposals, store.Proposal{Kind: f.Kind, Key: f.Key, Procedure: f.Procedure,
				Draft: store.DraftRow{Memory: m, Status: store.StatusCandidate, Reason: withDoubt(seenInWork+f.Kind, m), Tool: f.Draft.Tool, Session: o.Session}})
		}
	}
	fresh, err := b.sessions.Put(ctx, o, proposals)
	if err != nil {
		return nil, fmt.Errorf("keep what session %s has shown: %w", o.Session, err)
	}
	isNew := map[string]bool{}
	for _, id := range fresh {
		isNew[id] = true
	}
	for i := range results {
		if m := results[i].Memory; results[i].Draft && m != nil && !isNew[m.UUID] {
			results[i] = Result{Accepted: true, Memory: m, Draft: true, Deduped: true, Code: "duplicate", Reason: "the same was proposed before"}
		}
	}
	return results, nil
}

// Suggest makes candidates of what a person asked for, beside any session's report. Each passes the gate, and what waits
// already or was rejected is not made again.
func (b *Observer) Suggest(ctx context.Context, found []Inferred) ([]Result, error) {
	results := make([]Result, len(found))
	for i, f := range found {
		m, r, err := b.inferred(ctx, f)
		if err == nil && m != nil {
			r, err = b.drafts.putProposal(ctx, m, store.DraftRow{Memory: m, Status: store.StatusCandidate, Reason: withDoubt(seenInWork+f.Kind, m), Tool: f.Draft.Tool})
		}
		if err != nil {
			return nil, err
		}
		results[i] = r
	}
	return results, nil
}

// inferred builds a candidate and passes it through the gate. m is nil if it must not be stored.
func (b *Observer) inferred(ctx context.Context, f Inferred) (m *file.Memory, r Result, err error) {
	d := f.Draft
	d.Agent, d.Origin = true, cmp.Or(d.Origin, file.ObserverInferred)
	if m, err = b.maker.NewMemory(ctx, d); err != nil {
		r, err = Refusal(err)
		return nil, r, err
	}
	m.Provenance.Sessions = f.Sessions
	own := f.Draft.Details
	if own.Task == "" && f.Procedure != nil {
		own.Task = f.Procedure.Trigger // a session for such a task is told of it when it starts
	}
	if m.Details, err = json.Marshal(details{f.Kind, f.Value, f.Count, f.Evidence, f.For, f.Against, recipeOf(f.Procedure), own.Steps, own.Successes, own.Failures, own.ValidatedAt, own.Always, own.Often, own.Estimated, own.Actual, own.Unit, own.Task}); err != nil {
		return nil, r, fmt.Errorf("encode the evidence: %w", err)
	}
	if err := b.checks.fresh(ctx, m, false); err != nil {
		r, err = Refusal(err)
		return nil, r, err
	}
	k, err := b.dedupe.related(ctx, m)
	if err != nil {
		return nil, r, err
	}
	if k.same != nil {
		b.dedupe.countAgain(ctx, k.same.Memory.UUID)
		r := duplicate(k.same)
		r.Path = ""
		return nil, r, nil
	}
	conflict(m, k.contradicts)
	return m, waits(m), nil
}
