package gate

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/gate/junk"
	"manicule/memory/gate/junk/likely"
)

// unseenByLines are the draws that the judge of several lines may not see, nor another page of their repositories.
var unseenByLines = []string{"X", "Y", "Z", "AA", "BB"}

// How the trees of the judge of several lines are grown: there are few such texts.
const (
	treesOfLines = 120
	depthOfLines = 2
	partsOfLines = 5 // of the repositories, each left out in turn
)

func (e *evaluation) linesCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "lines",
		Short: "Fit the judge of texts of several lines, and report how it does on each fifth of the repositories that it has not seen",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, _, err := e.samples(cmd.Context())
			if err != nil {
				return err
			}
			texts := severalLines(all)
			if to == "" {
				_, err = fmt.Println(linesLeftOut(texts))
				return err
			}
			if len(texts) == 0 {
				return evalkit.Missing("no text of several lines in %q (--repos)", e.repos)
			}
			data := growLines(texts).encodeTrees(nil)
			if err := os.WriteFile(to, data, 0o644); err != nil {
				return fmt.Errorf("write the judge of several lines: %w", err)
			}
			evalkit.Progress("%d texts, %d bytes", len(texts), len(data))
			return nil
		},
	}
	cmd.Flags().StringVar(&e.repos, "repos", "repos", "the folder with clones OWNER+NAME/repo")
	cmd.Flags().StringVar(&to, "to", "", "the file that is written, such as memory/gate/junk/likely/lines.bin; without it each fifth is left out in turn")
	return cmd
}

// severalLines picks the texts that the judge of several lines may see and would be asked about, had no rule refused them.
func severalLines(all []sample) []sample {
	hides := isOf(unseenByLines, all)
	return slices.DeleteFunc(slices.Clone(all), func(s sample) bool {
		return s.Kind == useless || junk.AsLine(s.text) == s.text || hides(s.Draw, s.Repo)
	})
}

func growLines(texts []sample) *judgeModel {
	var rows []row
	for _, s := range texts {
		x := likely.LinesOf(s.text)
		r := row{measures: x[:], bad: s.Bad, weight: 1}
		if _, found := junk.Find(s.text); !found {
			r.weight = passing
		}
		rows = append(rows, r)
	}
	m := &judgeModel{}
	m.grow(rows, treesOfLines, depthOfLines)
	return m
}

// linesLeftOut reports what both judges say of the texts that no rule decides, where the judge of lines has not seen the repository.
func linesLeftOut(texts []sample) string {
	t := evalkit.NewTable("", "good", "held by words alone", "held by both", "junk", "passed by words alone", "passed by both")
	var n [2][3]int // of good and of junk: all, held by words, held by both
	for part := range partsOfLines {
		in := func(s sample) bool { return partOf(s.Repo) == part }
		m := growLines(slices.DeleteFunc(slices.Clone(texts), in))
		for _, s := range texts {
			_, found := junk.Find(s.text)
			_, doubted := junk.Doubt(s.text)
			words := likely.Of(junk.AsLine(s.text)).Probability
			if !in(s) || found || doubted || words == 0 || s.Kind == output {
				continue
			}
			x := likely.LinesOf(s.text)
			of := &n[ones(s.Bad)]
			of[0]++
			of[1] += ones(words >= junk.Held)
			of[2] += ones(likely.MeanOfOdds(words, m.sum(x[:])) >= junk.Held)
		}
	}
	good, bad := n[0], n[1]
	t.Add("the draws to W", good[0], rate(good[1], good[0]), rate(good[2], good[0]), bad[0], rate(bad[0]-bad[1], bad[0]), rate(bad[0]-bad[2], bad[0]))
	return evalkit.Section{Title: "Texts of several lines that no rule decides", Table: t}.String()
}

func partOf(repo string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(repo))) // never fails
	return int(h.Sum32() % partsOfLines)
}
