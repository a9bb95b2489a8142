package ledger

import (
	"cmp"
	"context"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
)

// TypeWeight is what the sessions here tell of a type of memory: how often agents that were shown one did what it
// says, against the other types.
type TypeWeight struct {
	Type     file.Type `json:"type"`
	Followed int       `json:"followed"`
	Decided  int       `json:"decided"` // followed, overridden or ignored
	// Weight is a factor of the type's weight in every phase.
	Weight float64 `json:"weight"`
}

// Limits of learned weights.
const (
	weighFrom    = 30 // sessions that were told something
	weighDecided = 10 // showings of a type
	// weighPrior is the number of usual showings that a type starts with.
	weighPrior  = 20.0
	leastWeight = 0.8
	mostWeight  = 1.2
)

// learnWeights learns the weights of types from their showings; none before 30 sessions were told something.
func learnWeights(by map[file.Type]Summary, told int) []TypeWeight {
	out := []TypeWeight{}
	followed, decided := 0, 0
	for _, s := range by {
		followed += s.Followed
		decided += s.Followed + s.Overridden + s.Ignored
	}
	if told < weighFrom || followed == 0 {
		return out
	}
	usual := float64(followed) / float64(decided)
	for t, s := range by {
		w := TypeWeight{Type: t, Followed: s.Followed, Decided: s.Followed + s.Overridden + s.Ignored}
		if w.Decided < weighDecided {
			continue
		}
		share := (float64(w.Followed) + weighPrior*usual) / (float64(w.Decided) + weighPrior)
		w.Weight = min(mostWeight, max(leastWeight, share/usual))
		out = append(out, w)
	}
	sorting.Func(out, func(a, b TypeWeight) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Type, b.Type)) })
	return out
}

// byType sums up the showings of a workspace's memories by type.
func byType(hits []memory.Hit, t Totals) map[file.Type]Summary {
	out := map[file.Type]Summary{}
	for _, h := range hits {
		if s := t.Memories[h.Memory.UUID]; s != nil {
			x := out[h.Memory.Type]
			x.Followed += s.Followed
			x.Overridden += s.Overridden
			x.Ignored += s.Ignored
			out[h.Memory.Type] = x
		}
	}
	return out
}

// WeightsOf returns the learned weights of a workspace, whose view must be current.
func WeightsOf(ctx context.Context, w *memory.Workspace) ([]TypeWeight, error) {
	totals, err := TotalsOf(ctx, w.State())
	if err != nil {
		return nil, err
	}
	sessions, err := w.State().ShownSessions(ctx)
	if err != nil {
		return nil, err
	}
	return learnWeights(byType(w.View().All(), totals), sum(sessions).Told), nil
}
