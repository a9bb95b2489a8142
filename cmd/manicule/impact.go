package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/memory"
	"manicule/memory/change"
	"manicule/memory/file"
	"manicule/memory/nearby"
	"manicule/memory/services"
)

// impactCommand is `manicule impact`.
type impactCommand struct {
	codeCommand
	depth  int
	limit  int
	rev    string
	format pictureFormat
}

func newImpactCommand(shared *cli) *cobra.Command {
	ic := &impactCommand{codeCommand: codeCommand{shared}}
	c := &cobra.Command{
		Use:   "impact [FILE[#Symbol] | NAME]...",
		Short: "Show what a change may break, nearest first",
		Long: "Show what uses a symbol or a file, directly and through others, as a tree: each line uses\n" +
			"the one that it is below. Tests that reach it and memories on the way are named. --diff takes the\n" +
			"difference from a revision (default HEAD) as the change, and also lists deleted symbols that\n" +
			"are still used.",
		Example: "  manicule impact src/auth/token.go#Store.Validate\n  manicule impact --diff\n  manicule impact --diff main --depth 2",
		RunE:    ic.run,

		ValidArgsFunction: ic.completeSymbols,
	}
	wholeVar(c.Flags(), &ic.depth, "depth", "", graph.DefaultDepth, fmt.Sprintf("how many edges to follow, at most %d", graph.MaxDepth))
	wholeVar(c.Flags(), &ic.limit, "limit", "n", impactLimit, "how many users are listed, the nearest first; 0 for all")
	c.Flags().StringVar(&ic.rev, "diff", "", "take the difference from a revision as the change")
	c.Flags().Lookup("diff").NoOptDefVal = defaultRevision
	ic.format.register(c)
	return c
}

// impactLimit is how many users of what changes are listed unless somebody asks for more: what a central type reaches fills pages,
// and the nearest are looked at first.
const impactLimit = 50

func (ic *impactCommand) run(cmd *cobra.Command, args []string) error {
	diff := cmd.Flags().Changed("diff")
	if len(args) == 0 && !diff {
		return usage(cmd, errors.New("name a FILE[#Symbol] or a symbol, or use --diff"))
	}
	if err := ic.format.only(ic.json); err != nil {
		return err
	}
	return ic.with(cmd.Context(), func(w *services.Workspace) error {
		var changes *change.Change
		var deleted []graph.Deletion
		if diff {
			commit, rest, err := ic.revision(cmd.Context(), w, ic.rev, args)
			if err != nil {
				return err
			}
			args = rest
			if changes, err = change.Since(cmd.Context(), w.Root(), commit); err != nil {
				return err
			}
			if changes.IsOwn() && len(args) == 0 { // no code is read for it
				return ic.printImpact(cmd.Context(), w, graph.Impact{Targets: []graph.Ref{}, Affected: []graph.Affected{}, Tests: []string{}}, nil)
			}
		}
		if err := ic.updateGraph(cmd.Context(), w); err != nil {
			return err
		}
		if changes != nil {
			var err error
			if deleted, err = services.DeletedBy(cmd.Context(), w.Graph(), w.Root(), changes); err != nil {
				return err
			}
		}
		var im graph.Impact
		err := askGraph(cmd.Context(), w, func(g *graph.Graph) (err error) {
			im, err = ic.impactOf(w, g, args, changes, deleted)
			return err
		})
		if err != nil {
			return err
		}
		return ic.printImpact(cmd.Context(), w, im, deleted)
	})
}

// impactOf returns what a change of the places, and of what differs from a revision, may break.
func (ic *impactCommand) impactOf(w *services.Workspace, g *graph.Graph, args []string, changes *change.Change, deleted []graph.Deletion) (graph.Impact, error) {
	var syms []*resolve.Symbol
	for _, arg := range args {
		p, err := ic.codePlace(w, arg)
		if err != nil {
			return graph.Impact{}, err
		}
		found, err := nearby.Symbols(g, p)
		if err != nil {
			return graph.Impact{}, err
		}
		syms = append(syms, found...)
	}
	if changes == nil {
		return g.Impact(syms, ic.depth), nil
	}
	changed := changes.Symbols(g, deleted)
	im := g.Impact(change.Unique(slices.Concat(syms, changed)), ic.depth)
	changes.Count(&im, changed, deleted)
	return im, nil
}

// impactJSON is the shape "impact".
type impactJSON struct {
	graph.Impact
	Depth    int              `json:"depth"`   // the greatest distance in it
	Deleted  []graph.Deletion `json:"deleted"` // with --diff
	Memories []hitJSON        `json:"memories"`
}

func (ic *impactCommand) printImpact(ctx context.Context, w *services.Workspace, im graph.Impact, deleted []graph.Deletion) error {
	var gone []string
	for _, d := range deleted {
		gone = append(gone, d.File)
	}
	hits, err := nearby.AlongImpact(ctx, w.Recaller(), im, gone...)
	if err != nil && ctx.Err() == nil {
		ic.warn("%v", err)
	}
	depth := 0
	for _, x := range im.Affected {
		depth = max(depth, x.Distance)
	}
	if ic.json {
		ic.printJSON("impact", impactJSON{im, depth, list(deleted), hitsJSON(w.Root(), hits)})
		return nil
	}
	if ic.format != formatText {
		roots := append(impactTree(im), deletedTree(deleted)...)
		if len(hits) > 0 {
			roots = append(roots, memoryTree("memories on the way", hitsJSON(w.Root(), hits)))
		}
		return picture(ic.console, ic.format, "What the change may break", impactDrawing(im, deleted), roots)
	}
	if len(im.Targets) == 0 && len(deleted) == 0 {
		ic.printf("%s\n", change.Quiet(im))
		return nil
	}
	if gone := deletedTree(deleted); len(gone) > 0 {
		forest(ic.console, gone)
		if len(im.Targets) > 0 {
			ic.printf("\n")
		}
	}
	nearest := im
	if ic.limit > 0 && len(im.Affected) > ic.limit {
		nearest.Affected = im.Affected[:ic.limit]
	}
	forest(ic.console, impactTree(nearest))
	if more := len(im.Affected) - len(nearest.Affected); more > 0 {
		ic.printf("  %s\n", ic.paint(faint, fmt.Sprintf("and %d further away: `-n 0` lists all, `--depth 1` only the nearest", more)))
	}
	if text := extent(im, deleted); text != "" {
		ic.printf("\n%s\n", text)
	}
	if im.Cut > 0 {
		ic.printf("%s\n", ic.paint(faint, fmt.Sprintf("the limit was reached: %d more were not followed", im.Cut)))
	}
	if len(hits) > 0 {
		ic.printf("\n%s\n", ic.paint(bold, "memories on the way"))
		for _, h := range hits[:min(aboutShown, len(hits))] {
			ic.hit(h)
			if err := ic.tied(ctx, w, h.Memory); err != nil {
				return err
			}
		}
		ic.notShown(len(hits))
	}
	return nil
}

// tied prints the relations that bear on a change: what a memory on the way requires, contradicts
// or replaces.
func (ic *impactCommand) tied(ctx context.Context, w *services.Workspace, m *file.Memory) error {
	all, err := w.Relations().Of(ctx, m)
	if err != nil {
		return err
	}
	ic.related(slices.DeleteFunc(all, func(r memory.Related) bool { return !slices.Contains(relationsOfChange(), r.Type) }))
	return nil
}

func relationsOfChange() []string { return []string{"required_with", "conflicts_with", "supersedes"} }

// extent says how far a change reaches, "" where what is deleted says it.
func extent(im graph.Impact, deleted []graph.Deletion) string {
	used := slices.ContainsFunc(deleted, func(d graph.Deletion) bool { return len(d.References) > 0 })
	switch {
	case len(im.Affected) == 0 && used && len(im.Targets) > 0:
		return "nothing else in this workspace uses what changed"
	case len(im.Affected) == 0 && used:
		return ""
	case len(im.Affected) == 0 && len(im.Targets) == 0:
		return "nothing in this workspace uses what was deleted"
	case len(im.Affected) == 0:
		return "nothing in this workspace uses it"
	}
	text := count(len(im.Affected), "symbol", "symbols") + " in " + count(im.Files, "file", "files")
	if len(im.Tests) > 0 {
		text += ", reached by " + count(len(im.Tests), "file of tests", "files of tests")
	}
	return text
}

// deletedTree lists the deleted symbols and what still uses them, each once.
func deletedTree(deleted []graph.Deletion) []*branch {
	if len(deleted) == 0 {
		return nil
	}
	group := &branch{Text: fmt.Sprintf("deleted (%d)", len(deleted)), Title: true}
	for _, d := range deleted {
		gone := group.add(d.File+" "+orFile(d.Symbol), "")
		var uses callSet
		for _, r := range d.References {
			uses.add(r)
		}
		for _, c := range uses.all {
			uses, how := "still uses it", c.note
			if rest, may := strings.CutPrefix(how, "may, "); may {
				uses, how = "may still use it", rest
			}
			also := ""
			if len(c.lines) > 1 {
				also = "also " + c.at(1)
			}
			gone.add(spot(c.file, c.lines[0])+" "+c.symbol, joinNotes(uses, how, also))
		}
	}
	return []*branch{group}
}
