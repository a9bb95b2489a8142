package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/retrieve"
)

// aged is a set of questions about memories of different ages, which the effective
// confidence tells apart.
type aged struct {
	name      string
	questions []question
	spaces    map[string]*space
	notes     map[string]note
}

// leastAsked is the number of questions below which a repository tells nothing.
const leastAsked = 20

// agedSets opens all sets of the parts of histories, and the notes if wanted.
func (o options) agedSets(ctx context.Context, model *embed.Service, notes bool, parts ...string) (sets []aged, err error) {
	if notes {
		if sets, err = o.agedNotes(ctx, model); err != nil {
			return sets, err
		}
	}
	for _, kind := range []struct {
		list []derived
		make func(context.Context, string, derived) (questionSet, error)
	}{{changelogs(), changelogSet}, {lessons(), lessonSet}} {
		for _, d := range kind.list {
			dir := o.history(ctx, d.repo)
			if dir == "" || !slices.Contains(parts, d.split) || !o.wanted(d.repo) {
				continue
			}
			set, err := kind.make(ctx, dir, d)
			if err != nil {
				return sets, fmt.Errorf("%s: %w", d.repo, err)
			}
			evalkit.Progress("%s: %d notes, %d questions", set.name, len(set.entries), len(set.questions))
			if len(set.questions) < leastAsked {
				continue
			}
			s := aged{name: set.name}
			s.spaces, s.notes, s.questions, err = o.askedSpaces(ctx, []questionSet{set}, model)
			sets = append(sets, s)
			if err != nil {
				return sets, err
			}
		}
	}
	return sets, nil
}

// agedNotes opens the two sets of memory-notes.
func (o options) agedNotes(ctx context.Context, model *embed.Service) (sets []aged, err error) {
	name, err := o.data.Path("memory-notes", o.split, "notes.jsonl")
	if err != nil {
		return nil, nil //nolint:nilerr // the other sets are enough
	}
	all, err := evalkit.ReadLines[note](name)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{"intent2notes", "prompt2notes"} {
		s := aged{"memory-notes, " + part, nil, map[string]*space{}, map[string]note{}}
		if s.questions, err = evalkit.ReadLines[question](filepath.Join(filepath.Dir(name), part+".jsonl")); err != nil {
			return sets, err
		}
		sets = append(sets, s)
		for _, n := range all {
			s.notes[n.ID] = n
			if s.spaces[n.Repo] == nil {
				if s.spaces[n.Repo], err = o.noteSpace(ctx, n.Repo, all, model); err != nil {
					return sets, err
				}
			}
		}
	}
	return sets, nil
}

func closeSets(sets []aged) (err error) {
	for _, s := range sets {
		for _, x := range s.spaces {
			err = errors.Join(err, x.close())
		}
	}
	return err
}

// choice is a candidate for a number of the pipeline.
type choice struct {
	name string
	tune func(*retrieve.Tuning)
}

// confidence chooses the share of the score that confidence multiplies.
func confidence(ctx context.Context, o options) (_ string, _ []string, err error) {
	var choices []choice
	for _, c := range []float64{0, .25, .5, .6, .7, .8, .9, 1} {
		choices = append(choices, choice{fmt.Sprint(c), func(t *retrieve.Tuning) { t.Doubted = c }})
	}
	return o.choose(ctx, "What confidence multiplies", choices)
}

// merge chooses the weight of words beside that of meaning, and to how many words of a text the
// share of the question's words counts fully.
func merge(ctx context.Context, o options) (_ string, _ []string, err error) {
	var choices []choice
	for _, w := range []float64{.35, .4, .5} {
		for _, terms := range []float64{8, 15, math.Inf(1)} {
			choices = append(choices, choice{fmt.Sprintf("%v, %v", w, terms), func(t *retrieve.Tuning) {
				s := t.Weights[retrieve.Semantic]
				s.Meaning = s.Words * (1 - w) / w
				t.Weights[retrieve.Semantic], t.CoveredTerms = s, terms
			}})
		}
	}
	return o.choose(ctx, "The weight of words, and to how many words of a text their share counts fully", choices)
}

// bothWays are the ways to ask with and without a model.
func bothWays() []variant {
	return []variant{{name: "with a model"}, {name: "without a model", lexical: true}}
}

// legsTable compares what is shipped with its parts on each set of a split.
func legsTable(ctx context.Context, o options) (_ string, _ []string, err error) {
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	sets, err := o.agedSets(ctx, model, o.split == "dev", o.split)
	defer func() { err = errors.Join(err, closeSets(sets)) }()
	if err != nil {
		return "", nil, err
	}
	if len(sets) == 0 {
		return "", nil, evalkit.Missing("no sets of the part %q: name them with --data and --repos", o.split)
	}
	text := ""
	for _, way := range bothWays() {
		t, err := choiceTable(ctx, "As shipped and its parts, "+way.name, way.lexical, sets, []choice{{"as shipped", nil}})
		if err != nil {
			return "", nil, err
		}
		text += t + "\n"
	}
	return text, nil, nil
}

// choose chooses among the candidates for each set on all other sets.
func (o options) choose(ctx context.Context, title string, choices []choice) (_ string, _ []string, err error) {
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	sets, err := o.agedSets(ctx, model, true, "dev", "heldout", "more")
	defer func() { err = errors.Join(err, closeSets(sets)) }()
	if err != nil {
		return "", nil, err
	}
	if len(sets) < 2 {
		return "", nil, evalkit.Missing("no two sets: name them with --data and --repos")
	}
	text := ""
	for _, way := range bothWays() {
		t, err := choiceTable(ctx, title+", "+way.name, way.lexical, sets, choices)
		if err != nil {
			return "", nil, err
		}
		text += t + "\n"
	}
	return text, nil, nil
}

func choiceTable(ctx context.Context, title string, lexical bool, sets []aged, choices []choice) (string, error) {
	header := []string{"set", "questions", "words", "meaning", "grep -i"}
	for _, c := range choices {
		header = append(header, c.name)
	}
	t := evalkit.NewTable(append(header, "chosen on the others", "against the best leg", "against the leg that the other half chose")...)
	got, legs := make([][][]float64, len(sets)), make([][][]float64, len(sets))
	for i, s := range sets {
		for _, v := range stages()[:2] {
			g, _, _, err := v.ask(ctx, s.questions, s.spaces, s.notes)
			if err != nil {
				return "", err
			}
			legs[i] = append(legs[i], g)
		}
		legs[i] = append(legs[i], nil)
		for _, q := range s.questions {
			legs[i][2] = append(legs[i][2], ndcg(grep(q, s.notes), q.Rel))
		}
		for _, c := range choices {
			v := variant{lexical: lexical, tune: c.tune}
			g, _, _, err := v.ask(ctx, s.questions, s.spaces, s.notes)
			if err != nil {
				return "", err
			}
			got[i] = append(got[i], g)
		}
	}
	for i, s := range sets {
		others := func(c int) (sum float64) {
			for j := range sets {
				if j != i {
					sum += evalkit.Mean(got[j][c])
				}
			}
			return sum
		}
		best := 0
		row := []any{s.name, len(s.questions), three(legs[i][0]), three(legs[i][1]), three(legs[i][2])}
		for c := range choices {
			row = append(row, three(got[i][c]))
			if others(c) > others(best) {
				best = c
			}
		}
		compared := legs[i]
		if lexical {
			compared = compared[:1]
		}
		row = append(row, choices[best].name, evalkit.Difference(got[i][best], bestLeg(compared)), evalkit.Difference(got[i][best], halvesLeg(compared)))
		t.Add(row...)
	}
	mean := []any{"mean", "", "", "", ""}
	for c := range choices {
		sum, behind, shown := 0.0, 0, 0
		for i := range sets {
			leg := legs[i][0]
			if !lexical {
				leg = bestLeg(legs[i])
			}
			sum += evalkit.Mean(got[i][c]) / float64(len(sets))
			if evalkit.Mean(got[i][c]) < evalkit.Mean(leg)-maxBehind {
				behind++
				if isBehind(got[i][c], leg) {
					shown++
				}
			}
		}
		mean = append(mean, fmt.Sprintf("%.4f, %d behind, %d of them shown", sum, behind, shown))
	}
	t.Add(append(mean, "", "", "")...)
	return evalkit.Section{Title: title, Table: t}.String(), nil
}

// bestLeg returns the leg with the highest mean, by question. It is chosen on the questions that it is then
// compared on, so chance makes it look better than it is.
func bestLeg(legs [][]float64) []float64 {
	return slices.MaxFunc(legs, func(a, b []float64) int { return cmp.Compare(evalkit.Mean(a), evalkit.Mean(b)) })
}

// halvesLeg returns for each question the figure of the leg that is best on the other half of the questions: what
// somebody could have who chose a leg beforehand. Every second question is one half.
func halvesLeg(legs [][]float64) []float64 {
	out := make([]float64, len(legs[0]))
	for half := range 2 {
		best, most := 0, -1.0
		for l, leg := range legs {
			sum := 0.0
			for i := 1 - half; i < len(leg); i += 2 {
				sum += leg[i]
			}
			if sum > most {
				best, most = l, sum
			}
		}
		for i := half; i < len(out); i += 2 {
			out[i] = legs[best][i]
		}
	}
	return out
}

// isBehind reports whether a loss is shown: the interval of the difference by question leaves out 0.
func isBehind(got, leg []float64) bool {
	d := make([]float64, len(got))
	for i := range got {
		d[i] = got[i] - leg[i]
	}
	_, high := evalkit.Interval(d)
	return high < 0
}
