package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"manicule/cmd/internal/evalkit"
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

// confidence chooses the share of the score that confidence multiplies for each set on all other
// sets.
func confidence(ctx context.Context, o options) (_ string, _ []string, err error) {
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	var sets []aged
	defer func() {
		for _, s := range sets {
			for _, x := range s.spaces {
				err = errors.Join(err, x.close())
			}
		}
	}()
	if name, err := o.data.Path("memory-notes", o.split, "notes.jsonl"); err == nil {
		all, err := evalkit.ReadLines[note](name)
		if err != nil {
			return "", nil, err
		}
		for _, part := range []string{"intent2notes", "prompt2notes"} {
			s := aged{"memory-notes, " + part, nil, map[string]*space{}, map[string]note{}}
			if s.questions, err = evalkit.ReadLines[question](filepath.Join(filepath.Dir(name), part+".jsonl")); err != nil {
				return "", nil, err
			}
			sets = append(sets, s)
			for _, n := range all {
				s.notes[n.ID] = n
				if s.spaces[n.Repo] == nil {
					if s.spaces[n.Repo], err = o.noteSpace(ctx, n.Repo, all, model); err != nil {
						return "", nil, err
					}
				}
			}
		}
	}
	for _, d := range lessons() {
		dir := o.history(ctx, d.repo)
		if dir == "" {
			continue
		}
		set, err := lessonSet(ctx, dir, d)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", d.repo, err)
		}
		evalkit.Progress("%s: %d notes, %d questions", set.name, len(set.entries), len(set.questions))
		if len(set.questions) < leastAsked {
			continue
		}
		s := aged{name: set.name}
		s.spaces, s.notes, s.questions, err = o.askedSpaces(ctx, []questionSet{set}, model)
		sets = append(sets, s)
		if err != nil {
			return "", nil, err
		}
	}
	if len(sets) < 2 {
		return "", nil, evalkit.Missing("no two sets with memories of different ages: name them with --data and --repos")
	}
	text := ""
	for _, way := range []struct {
		title   string
		lexical bool
	}{{"with a model", false}, {"without a model", true}} {
		t, err := confidenceTable(ctx, way.title, way.lexical, sets)
		if err != nil {
			return "", nil, err
		}
		text += t + "\n"
	}
	return text, nil, nil
}

func confidenceTable(ctx context.Context, title string, lexical bool, sets []aged) (string, error) {
	choices := []float64{0, .25, .5, .6, .7, .8, .9, 1}
	header := []string{"set", "questions", "words", "meaning"}
	for _, c := range choices {
		header = append(header, fmt.Sprint(c))
	}
	t := evalkit.NewTable(append(header, "chosen on the others", "against the best leg", "shipped against the best leg")...)
	got, legs := make([][][]float64, len(sets)), make([][][]float64, len(sets))
	for i, s := range sets {
		for _, v := range stages()[:2] {
			g, _, _, err := v.ask(ctx, s.questions, s.spaces, s.notes)
			if err != nil {
				return "", err
			}
			legs[i] = append(legs[i], g)
		}
		for _, c := range choices {
			v := variant{lexical: lexical, tune: func(t *retrieve.Tuning) { t.Doubted = c }}
			g, _, _, err := v.ask(ctx, s.questions, s.spaces, s.notes)
			if err != nil {
				return "", err
			}
			got[i] = append(got[i], g)
		}
	}
	shipped := slices.Index(choices, retrieve.Default().Doubted)
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
		row := []any{s.name, len(s.questions), three(legs[i][0]), three(legs[i][1])}
		for c := range choices {
			row = append(row, three(got[i][c]))
			if others(c) > others(best) {
				best = c
			}
		}
		leg := legs[i][0]
		if !lexical {
			leg = slices.MaxFunc(legs[i], func(a, b []float64) int { return cmp.Compare(evalkit.Mean(a), evalkit.Mean(b)) })
		}
		row = append(row, choices[best], evalkit.Difference(got[i][best], leg), evalkit.Difference(got[i][shipped], leg))
		t.Add(row...)
	}
	return evalkit.Section{Title: "What confidence multiplies, " + title, Table: t}.String(), nil
}
