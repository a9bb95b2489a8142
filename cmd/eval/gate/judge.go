package gate

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/gate/junk"
	"manicule/memory/gate/junk/likely"
)

// sentences are short texts that were written for the fit: the draws have few short ones that are good.
//
//go:embed testdata/sentences.txt
var sentences string

// neverFitted are the draws that no fit may see, nor another page of their repositories.
var neverFitted = []string{"I", "L", "N", "O"}

// leftOut are the draws that are left out of a fit in turn, to see how it does on them. Those before D have few texts that the
// rules let pass. M was labelled after the judge had been fitted, which has not seen it.
var leftOut = []string{"D", "E", "F", "G", "H", "J", "K"}

// passing is the weight of a text that the rules let pass: the model judges no other.
const passing = 2

func (e *evaluation) judgeCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Fit the judge of texts that no rule refuses, and report how it does on each draw that it has not seen",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, _, err := e.samples(cmd.Context())
			if err != nil {
				return err
			}
			pages, err := e.pages(cmd.Context())
			if err != nil {
				return err
			}
			if to != "" {
				data := fitJudge(pages, all, neverFitted).encode()
				if err := os.WriteFile(to, data, 0o644); err != nil {
					return fmt.Errorf("write the judge: %w", err)
				}
				evalkit.Progress("%d bytes", len(data))
				return nil
			}
			_, err = fmt.Println(leaveOut(cmd.Context(), pages, all))
			return err
		},
	}
	cmd.Flags().StringVar(&e.repos, "repos", "repos", "the folder with clones OWNER+NAME/repo")
	cmd.Flags().StringVar(&to, "to", "", "the file that is written, such as memory/gate/junk/likely/model.bin; without it each draw is left out in turn")
	return cmd
}

// isOf reports whether a text is of one of the draws or of a repository of theirs.
func isOf(draws []string, all []sample) func(draw, repo string) bool {
	repos := map[string]bool{}
	for _, s := range all {
		if slices.Contains(draws, s.Draw) {
			repos[s.Repo] = true
		}
	}
	return func(draw, repo string) bool { return slices.Contains(draws, draw) || repos[repo] }
}

// fitJudge fits both stages to what is none of the hidden draws.
func fitJudge(pages []placed, all []sample, hidden []string) *judgeModel {
	hides := isOf(hidden, all)
	seen := slices.DeleteFunc(slices.Clone(pages), func(p placed) bool { return hides("", p.repo) })
	m := &judgeModel{places: fitPlaces(seen)}
	var rows []row
	for _, s := range all {
		if hides(s.Draw, s.Repo) || s.Kind == useless {
			continue
		}
		r := row{measures: likely.Measure(s.text, m.guess(s.text)), bad: s.Bad, weight: 1}
		if _, found := junk.Find(s.text); !found {
			r.weight = passing
		}
		rows = append(rows, r)
	}
	for line := range strings.Lines(sentences) {
		if text, good := strings.CutPrefix(strings.TrimSpace(line), "+ "); good || strings.HasPrefix(line, "- ") {
			text = strings.TrimPrefix(text, "- ")
			rows = append(rows, row{measures: likely.Measure(text, m.guess(text)), bad: !good, weight: passing})
		}
	}
	m.grow(rows)
	return m
}

// leaveOut fits without each draw in turn, and reports what the rules alone let pass and refuse, and what they do with the judge.
func leaveOut(ctx context.Context, pages []placed, all []sample) string {
	t := evalkit.NewTable("", "junk", "passed by the rules", "with the judge, of agents", "good", "refused by the rules", "with the judge, of agents", "useless", "refused by the rules", "with the judge, of agents")
	var sum [9]int
	for _, draw := range leftOut {
		if ctx.Err() != nil {
			break
		}
		m := fitJudge(pages, all, append([]string{draw}, neverFitted...))
		var n [9]int // texts, refused by the rules, refused by both; of junk, good, useless
		for _, s := range all {
			if s.Draw != draw || s.Kind == output {
				continue
			}
			at := 3
			switch {
			case s.Kind == useless:
				at = 6
			case s.Bad:
				at = 0
			}
			_, found := junk.Find(s.text)
			n[at]++
			n[at+1] += ones(found)
			n[at+2] += ones(found || likely.Judges(s.text) && m.probability(s.text) >= junk.SureFrom(s.text, m.kind(s.text)))
		}
		for i := range n {
			sum[i] += n[i]
		}
		addOut(t, draw, n)
	}
	addOut(t, "all", sum)
	return evalkit.Section{Title: "The judge, fitted without the draw and its repositories", Table: t}.String()
}

func addOut(t *evalkit.Table, draw string, n [9]int) {
	t.Add(draw, n[0], rate(n[0]-n[1], n[0]), rate(n[0]-n[2], n[0]), n[3], rate(n[4], n[3]), rate(n[5], n[3]), n[6], n[7], n[8])
}

func ones(b bool) int {
	if b {
		return 1
	}
	return 0
}
