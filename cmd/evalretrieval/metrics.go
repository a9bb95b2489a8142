package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// gain is the discounted cumulative gain of the first ten (Järvelin and
// Kekäläinen 2002), with the grades as they are.
func gain(grades []float64) (sum float64) {
	for i, g := range grades[:min(10, len(grades))] {
		sum += g / math.Log2(float64(i)+2)
	}
	return sum
}

// ndcg is the normalised gain of a ranking against the grades of all that is
// relevant.
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

// recallAt is the share of what is relevant among the first k.
func recallAt(k int, ranked []string, rel map[string]float64) float64 {
	n := 0
	for _, id := range ranked[:min(k, len(ranked))] {
		if rel[id] > 0 {
			n++
		}
	}
	return float64(n) / float64(len(rel))
}

// firstAt is the reciprocal rank of the first relevant one of the first k.
func firstAt(k int, ranked []string, rel map[string]float64) float64 {
	for i, id := range ranked[:min(k, len(ranked))] {
		if rel[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func mean(v []float64) (sum float64) {
	if len(v) == 0 {
		return 0
	}
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// resamples is how often the bootstrap draws.
const resamples = 2000

// interval is where the mean lies in 95 of 100 resamples (percentile
// bootstrap, Efron 1979). The draws are the same each time.
func interval(v []float64) (low, high float64) {
	if len(v) == 0 {
		return 0, 0
	}
	r := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range v {
			sum += v[r.IntN(len(v))]
		}
		means[i] = sum / float64(len(v))
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000]
}

// against says by how much a is better than b, question by question, with its
// interval.
func against(a, b []float64) string {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	low, high := interval(d)
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", mean(d), low, high)
}
