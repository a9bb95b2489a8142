package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitleaks/go-gitdiff/gitdiff"
	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/memory"
)

func (a *app) impactCommand() *cobra.Command {
	var depth int
	var rev string
	c := &cobra.Command{
		Use:   "impact [FILE[#Symbol]]...",
		Short: "Show what a change may break, nearest first",
		Long: "Show what uses a symbol or a file, directly and through others, grouped by distance, with\n" +
			"the path that connects, the tests that reach it and the memories on the way. --diff takes\n" +
			"what differs from a revision (HEAD when none is named) as the change.",
		Example: "  manicule impact src/auth/token.go#Store.Validate\n  manicule impact --diff\n  manicule impact --diff main --depth 2",
		RunE: func(cmd *cobra.Command, args []string) error {
			diff := cmd.Flags().Changed("diff")
			if diff && len(args) == 1 && rev == "HEAD" && !strings.Contains(args[0], ".") { // "--diff main"
				rev, args = args[0], nil
			}
			if len(args) == 0 && !diff {
				return a.usage(cmd, errors.New("name a FILE[#Symbol], or use --diff"))
			}
			return a.withGraph(cmd.Context(), func(w *memory.Workspace, g *graph.Graph) error {
				var syms []*resolve.Symbol
				for _, arg := range args {
					p, err := a.codePlace(w, arg)
					if err != nil {
						return err
					}
					found, err := symbols(g, p)
					if err != nil {
						return err
					}
					syms = append(syms, found...)
				}
				if diff {
					changed, err := changedSymbols(cmd.Context(), w.Root(), rev, g)
					if err != nil {
						return err
					}
					syms = append(syms, changed...)
				}
				a.printImpact(w, g.Impact(syms, depth))
				return nil
			})
		},
	}
	c.Flags().IntVar(&depth, "depth", graph.DefaultDepth, fmt.Sprintf("how many edges to follow, at most %d", graph.MaxDepth))
	c.Flags().StringVar(&rev, "diff", "", "what differs from a revision is the change")
	c.Flags().Lookup("diff").NoOptDefVal = "HEAD"
	return c
}

// changedSymbols are the symbols that lines differ in from a revision; files
// that git doesn't know yet count whole.
func changedSymbols(ctx context.Context, root, rev string, g *graph.Graph) ([]*resolve.Symbol, error) {
	git := func(args ...string) ([]byte, error) {
		var complaint bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "-c", "core.quotepath=off"}, args...)...)
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			msg := strings.TrimSpace(complaint.String())
			if msg == "" {
				msg = err.Error()
			}
			return nil, &memory.UserError{Msg: "git " + args[0] + ": " + msg, Err: err, Hint: "--diff needs git, a repository and a revision that it knows."}
		}
		return out, nil
	}
	if strings.HasPrefix(rev, "-") {
		return nil, &memory.UserError{Msg: fmt.Sprintf("%q is no revision", rev), Hint: "Name a branch, a tag or a commit."}
	}
	out, err := git("diff", "--no-ext-diff", "--no-color", "--relative", "-U0", rev, "--")
	if err != nil {
		return nil, err
	}
	files, err := gitdiff.Parse(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("read the difference from %s: %w", rev, err)
	}
	var all []*resolve.Symbol
	for f := range files {
		if f.NewName == "" || f.IsDelete {
			continue
		}
		var ranges [][2]int
		for _, fr := range f.TextFragments {
			ranges = append(ranges, [2]int{int(fr.NewPosition), int(fr.NewPosition + max(fr.NewLines, 1) - 1)})
		}
		all = append(all, g.SymbolsAt(f.NewName, ranges)...)
	}
	untracked, err := git("ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for name := range bytes.SplitSeq(untracked, []byte{0}) {
		if len(name) > 0 {
			all = append(all, g.Find(string(name), "")...)
		}
	}
	return all, nil
}

// impactJSON is the shape "impact".
type impactJSON struct {
	graph.Impact
	Depth    int       `json:"depth"` // the greatest distance in it
	Memories []hitJSON `json:"memories"`
}

func (a *app) printImpact(w *memory.Workspace, im graph.Impact) {
	var hits []memory.Hit
	seen := map[string]bool{}
	onTheWay := func(rel string) {
		if seen["\x00"+rel] {
			return
		}
		seen["\x00"+rel] = true
		for _, h := range about(w, rel, []*resolve.Symbol{{Kind: "file"}}) {
			if !seen[h.Memory.UUID] {
				seen[h.Memory.UUID] = true
				hits = append(hits, h)
			}
		}
	}
	for _, t := range im.Targets {
		onTheWay(t.File)
	}
	depth := 0
	for _, x := range im.Affected {
		depth = max(depth, x.Distance)
		if len(seen) < maxOnTheWay {
			onTheWay(x.File)
		}
	}
	if a.json {
		a.printJSON("impact", impactJSON{im, depth, hitsJSON(w.Root(), hits)})
		return
	}
	if len(im.Targets) == 0 {
		a.printf("nothing has changed\n")
		return
	}
	for _, t := range im.Targets {
		a.printf("%s %s\n", a.paint(bold, spot(t.File, t.Line)), orFile(t.Symbol))
	}
	if len(im.Affected) == 0 {
		a.printf("\nnothing in this workspace uses it\n")
	}
	for d := 1; d <= depth; d++ {
		group := slices.DeleteFunc(slices.Clone(im.Affected), func(x graph.Affected) bool { return x.Distance != d })
		a.printf("\n%s (%d)\n", a.paint(bold, distance(d)), len(group))
		for _, x := range group {
			note := x.Edge
			if x.Kind == graph.May {
				note += fmt.Sprintf(", may %.0f %%", 100*x.Confidence)
			}
			if x.Test {
				note += ", test"
			}
			if d > 1 && len(x.Path) > 1 {
				note += ", through " + shortName(x.Path[1])
			}
			a.printf("  %s %s  %s\n", spot(x.File, x.Line), orFile(x.Symbol), a.paint(faint, note))
		}
	}
	a.printf("\n%s in %s", count(len(im.Affected), "symbol", "symbols"), count(im.Files, "file", "files"))
	if len(im.Tests) > 0 {
		a.printf(", reached by %s", count(len(im.Tests), "file of tests", "files of tests"))
	}
	a.printf("\n")
	if im.Cut > 0 {
		a.printf("%s\n", a.paint(faint, fmt.Sprintf("the limit was reached: %d more were not followed", im.Cut)))
	}
	if len(hits) > 0 {
		a.printf("\n%s\n", a.paint(bold, "memories on the way"))
		for _, h := range hits {
			a.line(h.Memory)
		}
	}
}

// maxOnTheWay is for how many files memories are looked up.
const maxOnTheWay = 200

func distance(d int) string {
	if d == 1 {
		return "uses it"
	}
	return fmt.Sprintf("%d edges away", d)
}

// shortName is a node's symbol, or its file's name.
func shortName(node string) string {
	file, symbol, ok := strings.Cut(node, "#")
	if ok {
		return symbol
	}
	return filepath.Base(file)
}
