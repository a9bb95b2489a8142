package retrieve

import (
	"cmp"
	"slices"
)

// Ranked is an answer of one way to look, the best first.
type Ranked struct {
	ID    string
	Score float64 // of that way; only the order counts in a fusion
}

// Leg is one way to look, with what its answers weigh.
type Leg struct {
	Name   string
	Weight float64
	List   []Ranked
}

// Fused is an answer of one or more legs.
type Fused struct {
	ID    string
	Score float64  // in (0, 1]; 1 is the first of all legs
	By    []string // the legs that have it, in their order
}

// rankOffset is k of reciprocal rank fusion: G. V. Cormack, C. L. A. Clarke,
// S. Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
// Rank Learning Methods", SIGIR 2009.
const rankOffset = 60

// Fuse merges ranked lists by weighted reciprocal ranks: what several legs have
// near the top comes first. Of equal scores the smaller ID does. It returns at
// most limit answers, none for a limit below 1.
func Fuse(legs []Leg, limit int) []Fused {
	best := 0.0
	at := map[string]int{}
	var out []Fused
	for _, leg := range legs {
		if len(leg.List) > 0 {
			best += leg.Weight / (rankOffset + 1)
		}
		for rank, r := range leg.List {
			i, ok := at[r.ID]
			if !ok {
				i = len(out)
				at[r.ID] = i
				out = append(out, Fused{ID: r.ID})
			}
			out[i].Score += leg.Weight / float64(rankOffset+rank+1)
			out[i].By = append(out[i].By, leg.Name)
		}
	}
	for i := range out {
		out[i].Score /= best
	}
	slices.SortFunc(out, func(a, b Fused) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(max(limit, 0), len(out))]
}
