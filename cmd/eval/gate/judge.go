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
	"manicule/memory/gate"
	"manicule/memory/gate/junk"
	"manicule/memory/gate/junk/likely"
)

// sentences are short texts that were written for the fit: the draws have few short ones that are good.
//
//go:embed testdata/sentences.txt
var sentences string

// neverFitted are the draws that no fit may see, nor another page of their repositories.
var neverFitted = []string{"O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "AA", "BB"}

// leftOut are the draws that are left out of a fit in turn, to see how it does on them. Those before D have few texts that the
// rules let pass; J, K and M have no others.
var leftOut = []string{"D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N"}

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
		r := row{measures: m.measure(s.text), bad: s.Bad, weight: 1}
		if _, found := junk.Find(s.text); !found {
			r.weight = passing
		}
		rows = append(rows, r)
	}
	for line := range strings.Lines(sentences) {
		if text, good := strings.CutPrefix(strings.TrimSpace(line), "+ "); good || strings.HasPrefix(line, "- ") {
			text = strings.TrimPrefix(text, "- ")
			rows = append(rows, row{measures: m.measure(text), bad: !good, weight: passing})
		}
	}
	m.grow(rows, trees, depth)
	return m
}

// leaveOut fits without each draw in turn, and reports what becomes of its texts.
func leaveOut(ctx context.Context, pages []placed, all []sample) string {
	t := evalkit.NewTable("", "junk", "passed", "held", "refused", "good", "held", "refused", "useless", "held", "refused", "held of all")
	var sum left
	for _, draw := range leftOut {
		if ctx.Err() != nil {
			break
		}
		m := fitJudge(pages, all, append([]string{draw}, neverFitted...))
		var n left
		for _, s := range all {
			if s.Draw != draw || s.Kind == output {
				continue
			}
			n.count(s, m)
		}
		n.addTo(t, draw)
		for i := range n {
			for j := range n[i] {
				sum[i][j] += n[i][j]
			}
		}
	}
	sum.addTo(t, "all")
	return evalkit.Section{Title: "The judge, fitted without the draw and its repositories", Table: t}.String()
}

// left counts the outcomes of what is junk, good and useless.
type left [3][gate.Refused + 1]int

func (n *left) count(s sample, m *judgeModel) {
	of := 1
	switch {
	case s.Kind == useless:
		of = 2
	case s.Bad:
		of = 0
	}
	outcome := gate.Kept
	kind, found := junk.Find(s.text)
	_, doubted := junk.Doubt(s.text)
	p := 0.
	if line := junk.AsLine(s.text); likely.Judges(line) {
		if p = m.probability(line); line != s.text {
			p = min(p, junk.SurestOfLines)
		}
	}
	switch {
	case found && junk.Certain(s.text, kind), !found && p >= junk.Sure:
		outcome = gate.Refused
	case found, doubted, p >= junk.Held:
		outcome = gate.Doubtful
	}
	n[of][outcome]++
}

func (n *left) addTo(t *evalkit.Table, draw string) {
	cells := []any{draw}
	texts, held := 0, 0
	for i, of := range n {
		all := of[gate.Kept] + of[gate.Doubtful] + of[gate.Refused]
		texts, held = texts+all, held+of[gate.Doubtful]
		cells = append(cells, all)
		if i == 0 {
			cells = append(cells, rate(of[gate.Kept], all))
		}
		cells = append(cells, rate(of[gate.Doubtful], all), rate(of[gate.Refused], all))
	}
	t.Add(append(cells, rate(held, texts))...)
}

func ones(b bool) int {
	if b {
		return 1
	}
	return 0
}
