package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"manicule/indexer/sorting"
)

// boosted makes results, and raises those next to the best ones in the code.
func (r *run) boosted(list []Fused) []Result {
	out := make([]Result, len(list))
	for i, f := range list {
		out[i] = Result{ID: f.ID, Score: math.Pow(f.Score, r.t.Stretch), Weak: r.weak[f.ID], By: f.By}
	}
	if r.Structure == nil || r.t.Boost == 0 || len(out) < r.t.BoostFrom {
		return out
	}
	best := map[string]bool{}
	for _, x := range out[:r.t.BoostFrom-1] {
		for _, f := range r.items[x.ID].Files {
			best[f] = true
		}
	}
	if len(best) == 0 {
		return out
	}
	near := map[string]int{}
	for _, f := range slices.Sorted(maps.Keys(best)) {
		for _, n := range r.Structure.Neighbours(f) {
			near[n]++
		}
	}
	for i := r.t.BoostFrom - 1; i < min(len(out), r.t.BoostTo); i++ {
		n := 0
		for _, f := range r.items[out[i].ID].Files {
			n = max(n, near[f])
		}
		if n == 0 {
			continue
		}
		gain := r.t.Boost * float64(n) / float64(len(best))
		out[i].Score = min(1, out[i].Score+gain)
		out[i].Boosts = append(out[i].Boosts, Boost{"neighbours", gain, fmt.Sprintf("next to %d of the %d files of the best %d", n, len(best), r.t.BoostFrom-1)})
	}
	sortByScore(out)
	return out
}

// rerank scores the best results with a cross-encoder, or by their words one by one, and moves its best to the front.
func (r *run) rerank(ctx context.Context, list []Result) error {
	if r.Rerank == nil || len(list) < 2 {
		return nil
	}
	begin := r.Now()
	head := list[:min(r.t.Rerank, len(list))]
	texts := make([]string, len(head))
	for i, x := range head {
		texts[i] = r.items[x.ID].Text
		if r.Reread != nil {
			texts[i] = r.Reread(x.ID)
		}
	}
	scores, err := r.Engine.Rerank(ctx, r.q.Text, texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	report := LegReport{Name: "rerank", Found: len(head), Millis: millis(r.Now().Sub(begin))}
	if err == nil && len(scores) != len(head) {
		err = fmt.Errorf("%d scores for %d texts", len(scores), len(head))
	}
	if err != nil {
		report.Fault = err.Error()
		r.answer.Legs = append(r.answer.Legs, report)
		return nil
	}
	r.answer.Legs = append(r.answer.Legs, report)
	top, why := slices.Clone(head), "how well it answers, read as a whole"
	if w := r.RerankShare; w > 0 {
		scores, why = mixed(head, scores, w), "how near its words are to those of the question, one by one"
	}
	for i := range top {
		top[i].Boosts = append(slices.Clone(top[i].Boosts), Boost{"rerank", scores[i] - top[i].Score, why})
		top[i].Score = scores[i]
	}
	sortByScore(top)
	copy(head, top)
	// What it moves to the front stays above the rest.
	for i := min(r.t.Reranked, len(list)); i < len(list); i++ {
		list[i].Score = min(list[i].Score, list[min(r.t.Reranked, len(list))-1].Score)
	}
	return nil
}

// mixed merges the scores of results with second ones, of which each list is stretched to the range of the first: the second
// ones differ little.
func mixed(list []Result, second []float64, share float64) []float64 {
	first := make([]float64, len(list))
	for i, x := range list {
		first[i] = x.Score
	}
	low, high := slices.Min(first), slices.Max(first)
	from, to := slices.Min(second), slices.Max(second)
	out := slices.Clone(first)
	for i, x := range second {
		if to > from {
			out[i] = (1-share)*first[i] + share*(low+(high-low)*(x-from)/(to-from))
		}
	}
	return out
}

func sortByScore(list []Result) {
	sorting.StableFunc(list, func(a, b Result) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
}

// order sorts the results of an answer.
func order(list []Result, newest bool) {
	sorting.StableFunc(list, func(a, b Result) int {
		if newest {
			if c := b.created.Compare(a.created); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
}
