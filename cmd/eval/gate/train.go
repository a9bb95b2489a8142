package gate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/gate/junk/named"
)

// Bounds of the texts that the weights of package named are fitted to.
const (
	pagesOfRepo = 50  // of either sort
	textsOfPage = 40  // of either answer
	fewest      = 4   // bytes of a text
	most        = 500 // bytes of a text
	rounds      = 4
	step        = .5
	labelWeight = 8 // of a text that was labelled by eye, where one that is told by its place has 1
)

// keptOut are the draws whose repositories no weight may have seen.
var keptOut = []string{"F", "G", "H", "I"}

// namedFrom are the draws whose labels the weights are fitted to.
var namedFrom = []string{"", "A", "B", "C", "D", "E"}

func (e *evaluation) trainCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Fit the weights that tell a name from a statement to the headings and rules of the clones, and to the labels of the draws before F",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			texts, err := e.headingsAndRules(cmd.Context())
			if err != nil {
				return err
			}
			labelled, _, err := e.samples(cmd.Context())
			if err != nil {
				return err
			}
			for _, s := range labelled {
				if slices.Contains(namedFrom, s.Draw) && (!s.Bad || s.Kind == "fragment") {
					texts = append(texts, example{at: named.BucketsOf(s.text), names: s.Bad, weight: labelWeight})
				}
			}
			if err := os.WriteFile(to, fit(texts), 0o644); err != nil {
				return fmt.Errorf("write the weights: %w", err)
			}
			evalkit.Progress("%d texts", len(texts))
			return nil
		},
	}
	cmd.Flags().StringVar(&e.repos, "repos", "repos", "the folder with clones OWNER+NAME/repo")
	cmd.Flags().StringVar(&to, "to", "memory/gate/junk/named/weights.bin", "the file that is written")
	return cmd
}

// example is a text as its weights see it.
type example struct {
	at     []int
	names  bool
	weight float64
}

// fit returns the weights of a logistic regression, a byte each.
func fit(texts []example) []byte {
	w, seen := make([]float64, named.Buckets), make([]float64, named.Buckets)
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		for _, t := range texts {
			scale := named.Scale(len(t.at))
			sum, want := 0., 0.
			for _, i := range t.at {
				sum += w[i]
			}
			if t.names {
				want = 1
			}
			wrong := (1/(1+math.Exp(-sum*scale)) - want) * scale * t.weight
			for _, i := range t.at {
				seen[i] += wrong * wrong
				w[i] -= step * wrong / (math.Sqrt(seen[i]) + 1e-6)
			}
		}
	}
	out := make([]byte, len(w))
	for i, x := range w {
		out[i] = byte(int8(max(-127, min(127, math.Round(x/named.Unit)))))
	}
	return out
}

var (
	rulePages = regexp.MustCompile(`(?i)(?:^|/)(?:claude|agents|gemini|copilot-instructions|contributing|lessons?|learnings?|gotchas?|decisions?|conventions?|guidelines?|style[-_ ]?guide)[^/]*\.mdc?$|\.cursor/rules/|\.claude/rules/|\.github/instructions/`)
	told      = regexp.MustCompile(`^(?:\[[ xX]\]|[✅✓☑✔])`) // a task
	letter    = regexp.MustCompile(`\pL`)
)

// headingsAndRules reads the pages of the clones. A heading is taken for a name. What a page of rules
// lists is taken for a statement, and so is a paragraph of another page that ends with a full stop.
func (e *evaluation) headingsAndRules(ctx context.Context) ([]example, error) {
	out := map[string]bool{} // without a judgement of texts that are both
	dirs, err := filepath.Glob(filepath.Join(e.repos, "*+*", "repo"))
	if err != nil {
		return nil, fmt.Errorf("look for clones: %w", err)
	}
	if len(dirs) == 0 {
		return nil, evalkit.Missing("no clone in %q (--repos)", e.repos)
	}
	skip, err := repositoriesOf(keptOut)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if skip[strings.Replace(filepath.Base(filepath.Dir(dir)), "+", "/", 1)] {
			continue
		}
		c, err := openClone(ctx, dir)
		if err != nil {
			return nil, err
		}
		var rules, others []string
		for _, path := range c.markdown(ctx) {
			if rulePages.MatchString(path) {
				rules = append(rules, path)
			} else {
				others = append(others, path)
			}
		}
		for _, path := range slices.Concat(spread(rules, pagesOfRepo), spread(others, pagesOfRepo)) {
			if page, ok := c.read("HEAD", path); ok {
				readPage(page, rulePages.MatchString(path), out)
			}
		}
		c.close()
	}
	texts := slices.Sorted(maps.Keys(out))
	examples := make([]example, 0, len(texts))
	for _, t := range texts {
		examples = append(examples, example{at: named.BucketsOf(t), names: out[t], weight: 1})
	}
	return examples, nil
}

// readPage adds a page's headings, as names, and what it says, as statements.
func readPage(page string, rules bool, out map[string]bool) {
	names, says := textsOfPage, textsOfPage
	add := func(text string, name bool, left *int) {
		text = strings.TrimSpace(text)
		if _, known := out[text]; known || *left == 0 || len(text) < fewest || len(text) > most || !letter.MatchString(text) {
			return
		}
		*left--
		out[text] = name
	}
	blocksOf(page, func(kind blockKind, text string) {
		switch {
		case kind == headline:
			add(text, true, &names)
		case told.MatchString(text), strings.HasSuffix(text, ":"), !rules && (kind == item || !strings.HasSuffix(text, ".")):
		default:
			add(text, false, &says)
		}
	})
}

// repositoriesOf returns the repositories of some draws.
func repositoriesOf(draws []string) (map[string]bool, error) {
	out := map[string]bool{}
	labels, err := labels()
	for _, s := range labels {
		if slices.Contains(draws, s.Draw) {
			out[s.Repo] = true
		}
	}
	return out, err
}
