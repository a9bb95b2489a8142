package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// next reports how many of a session's later files are among ten that are
// named after its first three.
func (r *replayed) next() error {
	fmt.Println("== next files: R@10 after the first three")
	for _, repo := range r.repos() {
		scores := map[string][]float64{}
		for _, x := range r.results {
			if x.s.repo != repo || len(x.s.files) <= 3 {
				continue
			}
			rest := x.s.files[3:]
			for _, method := range methods() {
				n := 0
				for _, p := range x.next[method] {
					n += asInt(slices.Contains(rest, p))
				}
				scores[method] = append(scores[method], float64(n)/float64(len(rest)))
			}
		}
		for _, method := range methods() {
			low, high := interval(scores[method], nil)
			line := fmt.Sprintf("%-28s %-12s %.3f [%.3f, %.3f] over %d sessions", repo, method, mean(scores[method]), low, high, len(scores[method]))
			if method == "manicule" {
				low, high = interval(scores[method], scores["co-access"])
				line += fmt.Sprintf("; better than co-access by %+.3f [%+.3f, %+.3f]", mean(scores[method])-mean(scores["co-access"]), low, high)
			}
			fmt.Println(line)
		}
	}
	return nil
}

func methods() []string { return []string{"popularity", "co-access", "manicule"} }

func (r *replayed) repos() []string {
	var out []string
	for _, x := range r.results {
		if !slices.Contains(out, x.s.repo) {
			out = append(out, x.s.repo)
		}
	}
	return out
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

// interval is the 95 % bootstrap interval of the mean of a, or of its paired
// difference to b, from 2,000 resamplings by a fixed seed.
func interval(a, b []float64) (low, high float64) {
	if len(a) == 0 {
		return 0, 0
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, 2000)
	for i := range means {
		sum := 0.0
		for range a {
			j := rnd.IntN(len(a))
			sum += a[j]
			if b != nil {
				sum -= b[j]
			}
		}
		means[i] = sum / float64(len(a))
	}
	slices.Sort(means)
	return means[len(means)*25/1000], means[len(means)*975/1000]
}
