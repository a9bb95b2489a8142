package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/memory/change"
	"manicule/memory/nearby"
	"manicule/memory/services"
)

// impactCommand is `manicule impact`.
type impactCommand struct {
	codeCommand
	depth int
	rev   string
}

func newImpactCommand(shared *cli) *cobra.Command {
	ic := &impactCommand{codeCommand: codeCommand{shared}}
	c := &cobra.Command{
		Use:   "impact [FILE[#Symbol] | NAME]...",
		Short: "Show what a change may break, nearest first",
		Long: "Show what uses a symbol or a file, directly and through others, grouped by distance, with\n" +
			"the path between them, the tests that reach it and the memories on the way. --diff takes the\n" +
			"difference from a revision (default HEAD) as the change, and also lists deleted symbols that\n" +
			"are still used.",
		Example: "  manicule impact src/auth/token.go#Store.Validate\n  manicule impact --diff\n  manicule impact --diff main --depth 2",
		RunE:    ic.run,

		ValidArgsFunction: ic.completeSymbols,
	}
	c.Flags().IntVar(&ic.depth, "depth", graph.DefaultDepth, fmt.Sprintf("how many edges to follow, at most %d", graph.MaxDepth))
	c.Flags().StringVar(&ic.rev, "diff", "", "take the difference from a revision as the change")
	c.Flags().Lookup("diff").NoOptDefVal = defaultRevision
	return c
}

func (ic *impactCommand) run(cmd *cobra.Command, args []string) error {
	diff := cmd.Flags().Changed("diff")
	if len(args) == 0 && !diff {
		return usage(cmd, errors.New("name a FILE[#Symbol] or a symbol, or use --diff"))
	}
	return ic.withGraph(cmd.Context(), func(w *services.Workspace, g *graph.Graph) error {
		var changes *change.Change
		var deleted []graph.Deletion
		if diff {
			var commit string
			var err error
			if commit, args, err = ic.revision(cmd.Context(), w, ic.rev, args); err != nil {
				return err
			}
			if changes, deleted, err = services.ChangeSince(cmd.Context(), w.Graph(), w.Root(), commit); err != nil {
				return err
			}
		}
		var syms []*resolve.Symbol
		for _, arg := range args {
			p, err := ic.codePlace(w, arg)
			if err != nil {
				return err
			}
			found, err := nearby.Symbols(g, p)
			if err != nil {
				return err
			}
			syms = append(syms, found...)
		}
		if changes != nil {
			syms = change.Unique(append(syms, changes.Symbols(g, deleted)...))
		}
		ic.printImpact(cmd.Context(), w, g.Impact(syms, ic.depth), deleted)
		return nil
	})
}

// impactJSON is the shape "impact".
type impactJSON struct {
	graph.Impact
	Depth    int              `json:"depth"`   // the greatest distance in it
	Deleted  []graph.Deletion `json:"deleted"` // with --diff
	Memories []hitJSON        `json:"memories"`
}

func (ic *impactCommand) printImpact(ctx context.Context, w *services.Workspace, im graph.Impact, deleted []graph.Deletion) {
	var gone []string
	for _, d := range deleted {
		gone = append(gone, d.File)
	}
	hits, err := nearby.AlongImpact(ctx, w, im, gone...)
	if err != nil && ctx.Err() == nil {
		ic.warn("%v", err)
	}
	depth := 0
	for _, x := range im.Affected {
		depth = max(depth, x.Distance)
	}
	if ic.json {
		ic.printJSON("impact", impactJSON{im, depth, list(deleted), hitsJSON(w.Root(), hits)})
		return
	}
	if len(im.Targets) == 0 && len(deleted) == 0 {
		ic.printf("nothing has changed\n")
		return
	}
	ic.printDeleted(deleted)
	for _, t := range im.Targets {
		ic.printf("%s %s\n", ic.paint(bold, spot(t.File, t.Line)), orFile(t.Symbol))
	}
	if len(im.Affected) == 0 && len(im.Targets) > 0 {
		ic.printf("\nnothing in this workspace uses it\n")
	}
	for d := 1; d <= depth; d++ {
		group := slices.DeleteFunc(slices.Clone(im.Affected), func(x graph.Affected) bool { return x.Distance != d })
		ic.printf("\n%s (%d)\n", ic.paint(bold, distance(d)), len(group))
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
			ic.printf("  %s %s  %s\n", spot(x.File, x.Line), orFile(x.Symbol), ic.paint(faint, note))
		}
	}
	ic.printf("\n%s in %s", count(len(im.Affected), "symbol", "symbols"), count(im.Files, "file", "files"))
	if len(im.Tests) > 0 {
		ic.printf(", reached by %s", count(len(im.Tests), "file of tests", "files of tests"))
	}
	ic.printf("\n")
	if im.Cut > 0 {
		ic.printf("%s\n", ic.paint(faint, fmt.Sprintf("the limit was reached: %d more were not followed", im.Cut)))
	}
	if len(hits) > 0 {
		ic.printf("\n%s\n", ic.paint(bold, "memories on the way"))
		for _, h := range hits {
			ic.hit(h)
		}
	}
}

// printDeleted lists the deleted symbols and their remaining uses.
func (ic *impactCommand) printDeleted(deleted []graph.Deletion) {
	if len(deleted) == 0 {
		return
	}
	ic.printf("%s\n", ic.paint(bold, fmt.Sprintf("deleted (%d)", len(deleted))))
	for _, d := range deleted {
		ic.printf("  %s %s\n", d.File, orFile(d.Symbol))
		for _, r := range d.References {
			note := "still uses it"
			if r.Kind == graph.May {
				note = fmt.Sprintf("may still use it, %.0f %%", 100*r.Confidence)
			}
			ic.printf("    %s %s  %s\n", spot(r.File, r.Line), orFile(r.Symbol), ic.paint(faint, note))
		}
	}
	ic.printf("\n")
}

func distance(d int) string {
	if d == 1 {
		return "uses it"
	}
	return fmt.Sprintf("%d edges away", d)
}

// shortName returns a node's symbol, or the name of its file.
func shortName(node string) string {
	file, symbol, ok := strings.Cut(node, "#")
	if ok {
		return symbol
	}
	return filepath.Base(file)
}
