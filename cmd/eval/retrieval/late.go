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

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/rerank"
	"manicule/memory/retrieve"
)

// lateChoice is how much of a score late interaction decides, with one file of the model.
type lateChoice struct {
	file  string
	share float64
}

// String formats both.
func (c lateChoice) String() string { return fmt.Sprintf("%s, %.1f", c.file, c.share) }

// The files of the model that late interaction is tried with.
const (
	wholeFile = "the model"
	quickFile = "its 8-bit file, 96 tokens"
)

func lateChoices() []lateChoice {
	out := []lateChoice{{wholeFile, 0}}
	for _, f := range []string{wholeFile, quickFile} {
		for _, s := range []float64{.1, .2, .3, .4, .5, .7, 1} {
			out = append(out, lateChoice{f, s})
		}
	}
	return out
}

// lateCase is a question with the best candidates of the merged legs, and their scores by late interaction.
type lateCase struct {
	rel   map[string]float64
	ids   []string
	first []float64
	late  map[string][]float64 // by file
	rest  []string
}

// ranked puts the candidates in the order that a choice gives.
func (c lateCase) ranked(l lateChoice) []string {
	at := mixed(c.first, c.late[l.file], l.share)
	var out []string
	for _, i := range at {
		out = append(out, c.ids[i])
	}
	return append(out, c.rest...)
}

// mixed orders candidates by two scores of each, of which the second decides a share.
func mixed(first, second []float64, share float64) []int {
	a, b := stretched(first), stretched(second)
	at := make([]int, len(first))
	for i := range at {
		at[i] = i
	}
	score := func(i int) float64 { return (1-share)*a[i] + share*b[i] }
	slices.SortStableFunc(at, func(x, y int) int { return cmp.Compare(score(y), score(x)) })
	return at
}

// stretched maps scores to the range from 0 to 1.
func stretched(v []float64) []float64 {
	out := make([]float64, len(v))
	if len(v) == 0 {
		return out
	}
	low, high := slices.Min(v), slices.Max(v)
	for i, x := range v {
		if high > low {
			out[i] = (x - low) / (high - low)
		}
	}
	return out
}

// lateTable chooses how much late interaction decides for each set on all others, from what each leg found, which notes and
// histories write with --dump, one repository a folder.
func lateTable(ctx context.Context, o options) (_ string, _ []string, err error) {
	names, err := filepath.Glob(filepath.Join(o.dump, "*", "*.json"))
	if err != nil || o.dump == "" || len(names) < 2 {
		return "", nil, evalkit.Missing("no legs of two sets below %q: notes and histories write them with --dump", o.dump)
	}
	rerankers, err := o.lateRerankers(ctx)
	defer func() {
		for _, r := range rerankers {
			err = errors.Join(err, r.Close())
		}
	}()
	if err != nil {
		return "", nil, err
	}
	got := map[string]map[lateChoice][]float64{}
	for i, name := range names {
		names[i] = filepath.Base(filepath.Dir(name)) + " " + strings.TrimSuffix(filepath.Base(name), ".json")
		got[names[i]] = map[lateChoice][]float64{}
		cases, err := lateCases(ctx, name, rerankers)
		if err != nil {
			return "", nil, err
		}
		for _, l := range lateChoices() {
			for _, c := range cases {
				got[names[i]][l] = append(got[names[i]][l], ndcg(c.ranked(l), c.rel))
			}
		}
		evalkit.Progress("%s: %d questions", names[i], len(cases))
	}
	return lateSums(names, got) + "\n" + lateByOthers(names, got), nil, nil
}

// lateRerankers opens late interaction with each file.
func (o options) lateRerankers(ctx context.Context) (map[string]rerank.Reranker, error) {
	out := map[string]rerank.Reranker{}
	whole, err := o.open(ctx, configuration{models.Default, local.ONNXRuntime})
	if err != nil {
		return nil, err
	}
	store := models.Open(o.models)
	m, err := models.Find(models.Default)
	if err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	q, _ := store.ForCode(m)
	quick, _, err := local.Open(ctx, local.Options{Model: q.ID, Dims: q.Dims, MaxTokens: q.MaxTokens, Dir: q.Dir, File: q.File, Library: store.Library(), Threads: o.threads, Backend: local.ONNXRuntime, Alone: true})
	if err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	for file, e := range map[string]embed.Embedder{wholeFile: whole, quickFile: quick} {
		if out[file], err = local.Late(e); err != nil {
			return out, err
		}
	}
	return out, nil
}

// readFound reads what each leg found, as --dump wrote it.
func readFound(name string) ([]found, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the legs: %w", err)
	}
	var list []found
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return list, nil
}

func lateCases(ctx context.Context, name string, rerankers map[string]rerank.Reranker) ([]lateCase, error) {
	list, err := readFound(name)
	if err != nil {
		return nil, err
	}
	d := retrieve.Default()
	var out []lateCase
	for _, f := range list {
		if f.Foreign {
			continue
		}
		c := lateCase{rel: f.Rel, late: map[string][]float64{}}
		var texts []string
		for i, x := range retrieve.Fuse(f.legs(fusionChoice{d.Weights[retrieve.Semantic].Words, d.Covered})) {
			if i >= d.Rerank {
				c.rest = append(c.rest, x.ID)
				continue
			}
			c.ids, c.first, texts = append(c.ids, x.ID), append(c.first, math.Pow(x.Score, d.Stretch)), append(texts, f.Texts[x.ID])
		}
		for file, r := range rerankers {
			if c.late[file], err = r.Rerank(ctx, f.Text, texts); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// lateSums is the mean over the sets of each choice.
func lateSums(names []string, got map[string]map[lateChoice][]float64) string {
	t := evalkit.NewTable("choice", "mean of the sets", "gain", "lose")
	for _, l := range lateChoices() {
		sum, up, down := 0.0, 0, 0
		for _, name := range names {
			with, without := evalkit.Mean(got[name][l]), evalkit.Mean(got[name][lateChoices()[0]])
			sum += with
			switch {
			case with > without+.001:
				up++
			case with < without-.001:
				down++
			}
		}
		t.Add(l, fmt.Sprintf("%.4f", sum/float64(len(names))), up, down)
	}
	return evalkit.Section{Title: "Late interaction", Table: t}.String()
}

// lateByOthers is each set with what was chosen on the others.
func lateByOthers(names []string, got map[string]map[lateChoice][]float64) string {
	t := evalkit.NewTable("set", "questions", "without", "chosen on the others", "with it", "difference")
	none := lateChoices()[0]
	var with, without []float64
	for _, name := range names {
		best := bestElsewhere(lateChoices(), got, names, name)
		t.Add(name, len(got[name][none]), three(got[name][none]), best, three(got[name][best]), evalkit.Difference(got[name][best], got[name][none]))
		with, without = append(with, got[name][best]...), append(without, got[name][none]...)
	}
	t.Add("all", len(with), three(without), "", three(with), evalkit.Difference(with, without))
	return t.String()
}
