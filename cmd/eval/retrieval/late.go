package retrieval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/words"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/retrieve"
)

// lateChoice is a way to mix a second score into the first one of the best candidates.
type lateChoice struct {
	feature string
	spread  bool // scores from 0 to 1 over the candidates, else as a share of the best
	weight  float64
}

func (c lateChoice) String() string { return fmt.Sprintf("%s %v %.2f", c.feature, c.spread, c.weight) }

type lateCase struct {
	ids   []string
	score []float64
	feats map[string][]float64
	rest  []string
	rel   map[string]float64
}

func (c lateCase) ranked(l lateChoice) []string {
	f := c.feats[l.feature]
	base, add := scaled(c.score, l.spread), scaled(f, l.spread)
	at := make([]int, len(c.ids))
	for i := range at {
		at[i] = i
	}
	mix := func(i int) float64 { return (1-l.weight)*base[i] + l.weight*add[i] }
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(mix(b), mix(a)) })
	var out []string
	for _, i := range at {
		out = append(out, c.ids[i])
	}
	return append(out, c.rest...)
}

func scaled(v []float64, spread bool) []float64 {
	if len(v) == 0 {
		return nil
	}
	low, high := slices.Min(v), slices.Max(v)
	if !spread {
		low = 0
	}
	out := make([]float64, len(v))
	for i, x := range v {
		if high > low {
			out[i] = (x - low) / (high - low)
		}
	}
	return out
}

// late measures second scores made of parts of the texts.
func lateTable(ctx context.Context, o options) (_ string, _ []string, err error) {
	names, err := filepath.Glob(filepath.Join(o.dump, "*", "*.json"))
	if err != nil || o.dump == "" || len(names) < 2 {
		return "", nil, evalkit.Missing("no legs of two sets")
	}
	e, err := o.open(ctx, configuration{models.Default, local.ONNXRuntime})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	dims := e.Info().Dims
	store := models.Open(o.models)
	m, _ := models.Find(models.Default)
	quick, _ := store.ForCode(m)
	toks := map[string]local.TokenEmbedder{"fp16": e.(local.TokenEmbedder)}
	for _, n := range []int{96, 48} {
		x, _, err := local.Open(ctx, local.Options{Model: "q", Dims: dims, MaxTokens: n, Dir: quick.Dir, File: quick.File, Library: store.Library(), Threads: o.threads, Backend: local.ONNXRuntime, Alone: true})
		if err != nil {
			return "", nil, err
		}
		toks[fmt.Sprintf("int8/%d", n)] = x.(local.TokenEmbedder)
	}
	took := map[string][]float64{}
	cpu := map[string][]float64{}
	sets := map[string][]lateCase{}
	var keys []string
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", nil, err
		}
		var list []found
		if err := json.Unmarshal(data, &list); err != nil {
			return "", nil, err
		}
		key := filepath.Base(filepath.Dir(name)) + "/" + strings.TrimSuffix(filepath.Base(name), ".json")
		cache := map[string][]float32{}
		for _, f := range list {
			if f.Foreign {
				continue
			}
			d := retrieve.Default()
			fused := f.fusedScores(fusionChoice{d.Weights[retrieve.Semantic].Words, d.Covered})
			c := lateCase{rel: f.Rel, feats: map[string][]float64{}}
			n := min(20, len(fused))
			var texts []string
			for _, x := range fused[:n] {
				c.ids, c.score, texts = append(c.ids, x.ID), append(c.score, math.Pow(x.Score, d.Stretch)), append(texts, f.Texts[x.ID])
			}
			for _, x := range fused[n:] {
				c.rest = append(c.rest, x.ID)
			}
			for name, tok := range toks {
				begin, used := time.Now(), evalkit.CPUTime()
				var missing []string
				for _, t := range texts {
					if cache[name+t] == nil {
						missing = append(missing, t)
					}
				}
				v, err := tok.Tokens(ctx, append(slices.Clone(missing), f.Text))
				if err != nil {
					return "", nil, err
				}
				for i, t := range missing {
					cache[name+t] = v[i]
				}
				q := v[len(v)-1]
				if len(missing) == len(texts) && n == 20 {
					took[name] = append(took[name], float64(time.Since(begin).Microseconds())/1000)
					cpu[name] = append(cpu[name], float64((evalkit.CPUTime()-used).Microseconds())/1000)
				}
				for _, t := range texts {
					_, soft := maxSim(q, cache[name+t], dims)
					c.feats[name] = append(c.feats[name], soft)
				}
			}
			sets[key] = append(sets[key], c)
		}
		if len(sets[key]) > 0 {
			keys = append(keys, key)
		}
		evalkit.Progress("%s: %d", key, len(sets[key]))
	}
	var choices []lateChoice
	for _, f := range []string{"fp16", "int8/96", "int8/48"} {
		for _, s := range []bool{true, false} {
			for _, w := range []float64{.1, .2, .3, .4, .5, .7, 1} {
				choices = append(choices, lateChoice{f, s, w})
			}
		}
	}
	none := lateChoice{"fp16", true, 0}
	choices = append(choices, none)
	got := map[string]map[lateChoice][]float64{}
	for _, k := range keys {
		got[k] = map[lateChoice][]float64{}
		for _, l := range choices {
			for _, c := range sets[k] {
				got[k][l] = append(got[k][l], ndcg(c.ranked(l), c.rel))
			}
		}
	}
	t := evalkit.NewTable("choice", "mean", "sets gained", "lost")
	for _, l := range choices {
		sum, up, down := 0.0, 0, 0
		for _, k := range keys {
			a, b := evalkit.Mean(got[k][l]), evalkit.Mean(got[k][none])
			sum += a
			if a > b+.001 {
				up++
			} else if a < b-.001 {
				down++
			}
		}
		t.Add(l, fmt.Sprintf("%.4f", sum/float64(len(keys))), up, down)
	}
	u := evalkit.NewTable("set", "questions", "before", "chosen on the others", "after", "difference")
	var all, before []float64
	for _, k := range keys {
		best := slices.MaxFunc(choices, func(a, b lateChoice) int {
			of := func(l lateChoice) (s float64) {
				for _, x := range keys {
					if x != k {
						s += evalkit.Mean(got[x][l])
					}
				}
				return s
			}
			return cmp.Compare(of(a), of(b))
		})
		u.Add(k, len(sets[k]), three(got[k][none]), best, three(got[k][best]), evalkit.Difference(got[k][best], got[k][none]))
		all, before = append(all, got[k][best]...), append(before, got[k][none]...)
	}
	u.Add("all", len(all), three(before), "", three(all), evalkit.Difference(all, before))
	return t.String() + "\n" + u.String() + fmt.Sprint(times(took, cpu)), nil, nil
}

func dotOf(a, b []float32) (s float64) {
	var x float32
	for i := range a {
		x += a[i] * b[i]
	}
	return float64(x)
}

func maxSim(q, t []float32, dims int) (mean, sharp float64) {
	n := len(q) / dims
	for i := range n {
		best := 0.0
		for j := range len(t) / dims {
			best = max(best, dotOf(q[i*dims:(i+1)*dims], t[j*dims:(j+1)*dims]))
		}
		mean += best / float64(n)
		sharp += math.Pow(best, 4) / float64(n)
	}
	return mean, sharp
}

func times(took, cpu map[string][]float64) string {
	out := ""
	for k := range took {
		out += fmt.Sprintf("\n%s, 20 texts and the question: n %d p50 %.1f ms, cpu p50 %.1f p90 %.1f ms, %s\n", k, len(took[k]), evalkit.Percentile(took[k], .5), evalkit.Percentile(cpu[k], .5), evalkit.Percentile(cpu[k], .9), evalkit.Load())
	}
	return out
}

// fusedScores merges the results of the legs with their scores.
func (f found) fusedScores(c fusionChoice) []retrieve.Fused { return retrieve.Fuse(f.legs(c)) }

// legs are the legs of a search, as the pipeline weighs them.
func (f found) legs(c fusionChoice) []retrieve.Leg {
	d := retrieve.Default()
	said := slices.Clone(f.Legs["words"][:min(d.Words, len(f.Legs["words"]))])
	meant := f.Legs["meaning"][:min(d.Meaning, len(f.Legs["meaning"]))]
	terms := words.Terms(f.Text)
	shares, best, have := make([]float64, len(said)), 0.0, 0
	for i, r := range said {
		w := words.Terms(f.Texts[r.ID])
		slices.Sort(w)
		w = slices.Compact(w)
		have += len(w)
		for _, t := range terms {
			if slices.Contains(w, t) {
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
