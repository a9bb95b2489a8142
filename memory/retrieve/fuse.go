package retrieve

import (
	"cmp"
	"slices"
)

// Ranked is an answer of one way to look, the best first.
type Ranked struct {
	ID    string
	Score float64 // of that way; in a fusion its share of the best one counts
}

// Leg is one way to look, with what its answers weigh.
type Leg struct {
	Name   string
	Weight float64
	List   []Ranked
}

// LegRank says by which leg something was found, at which of its ranks (from 1)
// and with which of its scores.
type LegRank struct {
	Leg   string  `json:"leg"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Fused is an answer of one or more legs.
type Fused struct {
	ID    string
	Score float64   // in (0, 1]; 1 is the first of all legs
	By    []LegRank // the legs that have it, in their order
}

// Fuse merges ranked lists by a convex combination of their scores, each as its
// share of the best of its leg: S. Bruch, S. Gai, A. Ingber, "An Analysis of
// Fusion Functions for Hybrid Retrieval", TOIS 2023. What a leg finds by far the
// best stays in front, where ranks would say only that it came before the next.
// Of equal scores the smaller ID comes first.
func Fuse(legs []Leg) []Fused {
	all := 0.0
	at := map[string]int{}
	var out []Fused
	for _, leg := range legs {
		best := bestOf(leg.List)
		if best <= 0 {
			continue
		}
		all += leg.Weight
		for rank, r := range leg.List {
			i, ok := at[r.ID]
			if !ok {
				i = len(out)
				at[r.ID] = i
				out = append(out, Fused{ID: r.ID})
			}
			out[i].Score += leg.Weight * max(0, r.Score) / best
			out[i].By = append(out[i].By, LegRank{leg.Name, rank + 1, r.Score})
		}
	}
	for i := range out {
		if all > 0 {
			out[i].Score /= all
		}
	}
	slices.SortFunc(out, func(a, b Fused) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out
}

// bestOf is the highest score of a list.
func bestOf(list []Ranked) (best float64) {
	for _, r := range list {
		best = max(best, r.Score)
	}
	return best
}
