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

// Came says by which leg something was found, at which of its ranks (from 1)
// and with which of its scores.
type Came struct {
	Leg   string  `json:"leg"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Fused is an answer of one or more legs.
type Fused struct {
	ID    string
	Score float64 // in (0, 1]; 1 is the first of all legs
	By    []Came  // the legs that have it, in their order
}

// Fuse merges ranked lists by weighted reciprocal ranks: what several legs have
// near the top comes first. offset is k of G. V. Cormack, C. L. A. Clarke,
// S. Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
// Rank Learning Methods", SIGIR 2009. Of equal scores the smaller ID comes first.
func Fuse(legs []Leg, offset float64) []Fused {
	best := 0.0
	at := map[string]int{}
	var out []Fused
	for _, leg := range legs {
		if len(leg.List) > 0 {
			best += leg.Weight / (offset + 1)
		}
		for rank, r := range leg.List {
			i, ok := at[r.ID]
			if !ok {
				i = len(out)
				at[r.ID] = i
				out = append(out, Fused{ID: r.ID})
			}
			out[i].Score += leg.Weight / (offset + float64(rank) + 1)
			out[i].By = append(out[i].By, Came{leg.Name, rank + 1, r.Score})
		}
	}
	for i := range out {
		if best > 0 {
			out[i].Score /= best
		}
	}
	slices.SortFunc(out, func(a, b Fused) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out
}
