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
	"manicule/memory"
	"manicule/memory/around"
)

func (a *app) impactCommand() *cobra.Command {
	var depth int
	var rev string
	c := &cobra.Command{
		Use:   "impact [FILE[#Symbol] | NAME]...",
		Short: "Show what a change may break, nearest first",
		Long: "Show what uses a symbol or a file, directly and through others, grouped by distance, with\n" +
			"the path that connects, the tests that reach it and the memories on the way. --diff takes\n" +
			"what differs from a revision (HEAD when none is named) as the change, and lists what is\n" +
			"deleted with the uses that are left of it.",
		Example: "  manicule impact src/auth/token.go#Store.Validate\n  manicule impact --diff\n  manicule impact --diff main --depth 2",

		ValidArgsFunction: a.completeSymbols,
		RunE: func(cmd *cobra.Command, args []string) error {
			diff := cmd.Flags().Changed("diff")
			if len(args) == 0 && !diff {
				return a.usage(cmd, errors.New("name a FILE[#Symbol] or a symbol, or use --diff"))
			}
			return a.withIndex(cmd.Context(), func(w *memory.Workspace, ix *graph.Index, g *graph.Graph) error {
				var changes *differences
				var deleted []graph.Deletion
				if diff {
					var commit string
					var err error
					if commit, args, err = a.revision(cmd.Context(), w, rev, args); err != nil {
						return err
					}
					if changes, deleted, err = a.changes(cmd.Context(), w, ix, commit); err != nil {
						return err
					}
				}
				var syms []*resolve.Symbol
				for _, arg := range args {
					p, err := a.codePlace(w, arg)
					if err != nil {
						return err
					}
					found, err := around.Symbols(g, p)
					if err != nil {
						return err
					}
					syms = append(syms, found...)
				}
				if changes != nil {
					syms = unique(append(syms, changes.symbols(g, deleted)...))
				}
				a.printImpact(cmd.Context(), w, g.Impact(syms, depth), deleted)
				return nil
			})
		},
	}
	c.Flags().IntVar(&depth, "depth", graph.DefaultDepth, fmt.Sprintf("how many edges to follow, at most %d", graph.MaxDepth))
	c.Flags().StringVar(&rev, "diff", "", "what differs from a revision is the change")
	c.Flags().Lookup("diff").NoOptDefVal = defaultRevision
	return c
}

// changes are the differences from a commit, with the symbols that are gone.
func (a *app) changes(ctx context.Context, w *memory.Workspace, ix *graph.Index, commit string) (*differences, []graph.Deletion, error) {
	d, err := differencesFrom(ctx, w.Root(), commit)
	if err != nil {
		return nil, nil, err
	}
	old, err := d.old(ctx, w.Root())
	if err != nil {
		return nil, nil, err
	}
	deleted, err := ix.Deleted(ctx, old)
	if err != nil {
		return nil, nil, graphFault(err)
	}
	return d, deleted, nil
}

// impactJSON is the shape "impact".
type impactJSON struct {
	graph.Impact
	Depth    int              `json:"depth"`   // the greatest distance in it
	Deleted  []graph.Deletion `json:"deleted"` // with --diff
	Memories []hitJSON        `json:"memories"`
}

func (a *app) printImpact(ctx context.Context, w *memory.Workspace, im graph.Impact, deleted []graph.Deletion) {
	var gone []string
	for _, d := range deleted {
		gone = append(gone, d.File)
	}
	hits, err := around.OnTheWay(ctx, w, im, gone...)
	if err != nil && ctx.Err() == nil {
		a.warn("%v", err)
	}
	depth := 0
	for _, x := range im.Affected {
		depth = max(depth, x.Distance)
	}
	if a.json {
		a.printJSON("impact", impactJSON{im, depth, list(deleted), hitsJSON(w.Root(), hits)})
		return
	}
	if len(im.Targets) == 0 && len(deleted) == 0 {
		a.printf("nothing has changed\n")
		return
	}
	a.printDeleted(deleted)
	for _, t := range im.Targets {
		a.printf("%s %s\n", a.paint(bold, spot(t.File, t.Line)), orFile(t.Symbol))
	}
	if len(im.Affected) == 0 && len(im.Targets) > 0 {
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
			a.hit(h)
		}
	}
}

// printDeleted shows the symbols that are gone, and what still uses them.
func (a *app) printDeleted(deleted []graph.Deletion) {
	if len(deleted) == 0 {
		return
	}
	a.printf("%s\n", a.paint(bold, fmt.Sprintf("deleted (%d)", len(deleted))))
	for _, d := range deleted {
		a.printf("  %s %s\n", d.File, orFile(d.Symbol))
		for _, r := range d.References {
			note := "still uses it"
			if r.Kind == graph.May {
				note = fmt.Sprintf("may still use it, %.0f %%", 100*r.Confidence)
			}
			a.printf("    %s %s  %s\n", spot(r.File, r.Line), orFile(r.Symbol), a.paint(faint, note))
		}
	}
	a.printf("\n")
}

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
