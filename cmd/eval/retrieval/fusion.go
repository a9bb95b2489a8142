package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/words"
	"manicule/memory/retrieve"
)

// fusionChoice is a candidate for merging words and meaning: the weight of words, and
// within it the weight of the share of the question's words.
type fusionChoice struct{ words, covered float64 }

// String formats both numbers.
func (c fusionChoice) String() string { return fmt.Sprintf("%.1f, %.1f", c.words, c.covered) }

func fusionChoices() []fusionChoice {
	var out []fusionChoice
	for _, w := range []float64{.3, .4, .5, .6, .7} {
		for _, c := range []float64{0, .1, .2, .3, .4, .5} {
			out = append(out, fusionChoice{w, c})
		}
	}
	return out
}

// fusion chooses the parameters for each set on all other sets, from the files that
// --dump wrote.
func fusion(_ context.Context, o options) (string, []string, error) {
	names, err := filepath.Glob(filepath.Join(o.dump, "*.json"))
	if err != nil || o.dump == "" || len(names) < 2 {
		return "", nil, evalkit.Missing("no legs of two sets in %q: notes and histories write them with --dump", o.dump)
	}
	sets := map[string][]found{}
	for i, name := range names {
		list, err := readFound(name)
		if err != nil {
			return "", nil, err
		}
		names[i] = strings.TrimSuffix(filepath.Base(name), ".json")
		sets[names[i]] = slices.DeleteFunc(list, func(f found) bool { return f.Foreign })
	}
	got := map[string]map[fusionChoice][]float64{}
	for _, name := range names {
		got[name] = map[fusionChoice][]float64{}
		for _, c := range fusionChoices() {
			for _, f := range sets[name] {
				got[name][c] = append(got[name][c], ndcg(fused(f.legs(c)), f.Rel))
			}
		}
	}
	t := evalkit.NewTable("set", "questions", "words", "meaning", "grep -i", "chosen on the others", "nDCG@10", "95 %", "against the best leg", "as shipped")
	d := retrieve.Default()
	for _, name := range names {
		choice := bestElsewhere(fusionChoices(), got, names, name)
		legs := map[string][]float64{}
		best := ""
		for _, leg := range []string{"words", "meaning", "grep"} {
			for _, f := range sets[name] {
				var ids []string
				for _, r := range f.Legs[leg] {
					ids = append(ids, r.ID)
				}
				legs[leg] = append(legs[leg], ndcg(ids, f.Rel))
			}
			if best == "" || evalkit.Mean(legs[leg]) > evalkit.Mean(legs[best]) {
				best = leg
			}
		}
		low, high := evalkit.Interval(got[name][choice])
		t.Add(name, len(sets[name]), three(legs["words"]), three(legs["meaning"]), three(legs["grep"]), choice, three(got[name][choice]), fmt.Sprintf("%.3f–%.3f", low, high),
			evalkit.Difference(got[name][choice], legs[best]), three(got[name][fusionChoice{d.Weights[retrieve.Semantic].Words, d.Covered}]))
	}
	return evalkit.Section{Title: "Words and meaning merged, the numbers chosen on the other sets", Table: t}.String(), nil, nil
}

// bestElsewhere returns the choice with the largest gain over all sets but one.
func bestElsewhere[C comparable](choices []C, got map[string]map[C][]float64, names []string, but string) C {
	of := func(c C) (sum float64) {
		for _, name := range names {
			if name != but {
				sum += evalkit.Mean(got[name][c])
			}
		}
		return sum
	}
	return slices.MaxFunc(choices, func(a, b C) int { return cmp.Compare(of(a), of(b)) })
}

// fused returns the ids of what the legs found, merged as the pipeline does.
func fused(legs []retrieve.Leg) []string {
	var out []string
	for _, x := range retrieve.Fuse(legs) {
		out = append(out, x.ID)
	}
	return out
}

// legs are the legs of a search, as the pipeline weighs them.
func (f found) legs(c fusionChoice) []retrieve.Leg {
	d := retrieve.Default()
	said := slices.Clone(f.Legs["words"][:min(d.Words, len(f.Legs["words"]))])
	meant := f.Legs["meaning"][:min(d.Meaning, len(f.Legs["meaning"]))]
	terms := words.Terms(f.Text)
	shares, best, have := make([]float64, len(said)), 0.0, 0
	for i, r := range said {
		own := words.Terms(f.Texts[r.ID])
		slices.Sort(own)
		own = slices.Compact(own)
		have += len(own)
		for _, t := range terms {
			if slices.Contains(own, t) {
				shares[i]++
			}
		}
		best = max(best, shares[i])
	}
	covered := c.covered * min(1, d.CoveredTerms*float64(len(said))/float64(max(1, have)))
	for i := range said {
		if best > 0 {
			said[i].Score = (1-covered)*said[i].Score + covered*shares[i]/best
		}
	}
	return []retrieve.Leg{{Name: "words", Weight: c.words, List: said}, {Name: "meaning", Weight: 1 - c.words, List: meant}}
}
