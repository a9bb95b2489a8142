package retrieval

import (
	"math"
	"slices"
)

// gain is the discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002)
// on unchanged grades.
func gain(grades []float64) (sum float64) {
	for i, g := range grades[:min(10, len(grades))] {
		sum += g / math.Log2(float64(i)+2)
	}
	return sum
}

// ndcg is the normalised gain of a ranking, given the grades of everything relevant.
func ndcg(ranked []string, rel map[string]float64) float64 {
	got := make([]float64, len(ranked))
	for i, id := range ranked {
		got[i] = rel[id]
	}
	var ideal []float64
	for _, g := range rel {
		ideal = append(ideal, g)
	}
	slices.SortFunc(ideal, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	best := gain(ideal)
	if best == 0 {
		return 0
	}
	return gain(got) / best
}

// recallAt is the share of the relevant results among the first k.
func recallAt(k int, ranked []string, rel map[string]float64) float64 {
	n := 0
	for _, id := range ranked[:min(k, len(ranked))] {
		if rel[id] > 0 {
			n++
		}
	}
	return float64(n) / float64(len(rel))
}

// firstAt is the reciprocal rank of the first relevant result within the first k.
func firstAt(k int, ranked []string, rel map[string]float64) float64 {
	for i, id := range ranked[:min(k, len(ranked))] {
		if rel[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}
