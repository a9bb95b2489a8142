package retrieve

import (
	"cmp"

	"manicule/indexer/sorting"
)

// Ranked is a result of one retriever, best first.
type Ranked struct {
	ID    string
	Score float64 // of that retriever; a fusion uses its ratio to the best
}

// Leg is the result list of one retriever with its weight.
type Leg struct {
	Name   string
	Weight float64
	List   []Ranked
}

// LegRank says which retriever found a result, at which rank (from 1) and with which score.
type LegRank struct {
	Leg   string  `json:"leg"`
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Fused is a result of one or more retrievers.
type Fused struct {
	ID    string
	Score float64   // in (0, 1]; 1 is the first of all legs
	By    []LegRank // the retrievers that found it, in order
}

// Fuse merges ranked lists by a convex combination of their scores, each relative to the best of
// its list: S. Bruch, S. Gai, A. Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval",
// TOIS 2023. Unlike ranks, scores keep a result in front that one list finds by far the best. Equal
// scores are ordered by ID.
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
	sorting.Func(out, func(a, b Fused) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out
}

// bestOf returns the highest score of a list.
func bestOf(list []Ranked) (best float64) {
	for _, r := range list {
		best = max(best, r.Score)
	}
	return best
}
