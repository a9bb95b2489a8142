package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/memory"
	"manicule/memory/nearby"
	"manicule/memory/services"
)

// codeCommand is shared by the commands about code.
type codeCommand struct{ *cli }

// growHeap delays garbage collection in a command that reads the graph, because the
// process ends soon. Without it a cold index of 690,000 lines took a fifth more processor
// time. With graphMemory the whole process stays below 300 MB. A user's own GOGC takes
// precedence.
func growHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(graphGrowth)
	debug.SetMemoryLimit(graphMemory)
}

const (
	graphGrowth = 1000      // percent
	graphMemory = 190 << 20 // bytes, the limit of Go's own part
)

// codePlace parses FILE[#Symbol], relative to the person's folder.
func (cc *codeCommand) codePlace(w *services.Workspace, arg string) (nearby.Place, error) {
	name, symbol, named := strings.Cut(arg, "#")
	if name != "" {
		name = cc.rooted(w, name)
	}
	if named {
		name += "#" + symbol
	}
	return nearby.Parse(w.Workspace, name)
}

// graphCommand is `manicule graph`.
type graphCommand struct {
	codeCommand
	possible bool
}

func newGraphCommand(shared *cli) *cobra.Command {
	gc := &graphCommand{codeCommand: codeCommand{shared}}
	cmd := &cobra.Command{
		Use:   "graph FILE[#Symbol] | NAME | FOLDER",
		Short: "Show who calls a symbol, what it calls, and what a file or folder uses",
		Long: "Show the definition, callers and callees of a symbol, and the imports and dependents of its\n" +
			"file. The bare name of a symbol is enough where it is unique. A function that is passed on as\n" +
			"a value has a caller there. \"may\" marks relations that rest on dynamic dispatch or on a name\n" +
			"alone, \"via\" the method between. --possible also lists calls of the same name without other\n" +
			"evidence: the result of a text search, minus what certainly means something else. For a\n" +
			"folder, show the folders that it uses, those that use it, and the entry points of programs\n" +
			"that reach it.",
		Example: "  manicule graph src/auth/token.go#Store.Validate\n  manicule graph Store.Validate\n  manicule graph src/auth/token.go --json\n  manicule graph src/auth",
		Args:    cobra.ExactArgs(1),
		RunE:    gc.run,

		ValidArgsFunction: gc.completeSymbols,
	}
	cmd.Flags().BoolVar(&gc.possible, "possible", false, "also list calls of the same name without other evidence")
	return cmd
}

func (gc *graphCommand) run(cmd *cobra.Command, args []string) error {
	return gc.withGraph(cmd.Context(), func(w *services.Workspace, g *graph.Graph) error {
		p, err := gc.codePlace(w, args[0])
		if err != nil {
			return err
		}
		if _, err := w.Sync(cmd.Context()); err != nil { // edges of memories are found in the view of all
			return err
		}
		if p.Symbol == "" && !g.Has(p.File) {
			if m, ok := g.Module(p.File); ok {
				gc.printModule(cmd.Context(), w, m)
				return nil
			}
		}
		syms, err := nearby.Symbols(g, p)
		if err != nil {
			return err
		}
		out := gc.graphOf(cmd.Context(), w, g, p, syms)
		if gc.possible {
			more, err := w.Graph().Possible(cmd.Context(), syms)
			if err != nil {
				return services.GraphError(err)
			}
			out.Possible = new(list(more))
		}
		gc.printGraph(w, out)
		return nil
	})
}

// completeSymbols completes the part after the # of FILE#Symbol from the graph of the
// last run. Before the # the shell completes the file.
func (cc *codeCommand) completeSymbols(cmd *cobra.Command, _ []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
	file, text, ok := strings.Cut(prefix, "#")
	if !ok {
		return nil, cobra.ShellCompDirectiveDefault
	}
	w, err := cc.openQuietly()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = w.Close() }() // nothing was written
	g, err := w.Graph().Graph(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	p, err := cc.codePlace(w, file)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, s := range g.Complete(p.File, text) {
		out = append(out, file+"#"+s)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// graphJSON is the shape "graph".
type graphJSON struct {
	nearby.Code
	Memories  []hitJSON     `json:"memories"`
	Knowledge []memory.Edge `json:"knowledge"`
	// Possible is present on request.
	Possible *[]graph.Relation `json:"possible,omitzero"`
}

func (gc *graphCommand) graphOf(ctx context.Context, w *services.Workspace, g *graph.Graph, p nearby.Place, syms []*resolve.Symbol) graphJSON {
	code := nearby.Describe(g, p, syms)
	return graphJSON{
		Code: code, Memories: hitsJSON(w.Root(), gc.memoriesAt(ctx, w, code.File, code.Definitions)), Knowledge: list(edgesAt(w, code.File, code.Definitions)),
	}
}

func (gc *graphCommand) printGraph(w *services.Workspace, out graphJSON) {
	if gc.json {
		gc.printJSON("graph", out)
		return
	}
	for _, d := range out.Definitions {
		gc.printf("%s %s  %s\n", gc.paint(bold, spot(d.File, d.Line)), d.Symbol, gc.paint(faint, d.Signature))
	}
	if out.Stale {
		gc.printf("%s\n", gc.paint(faint, "the file has changed since; another process is indexing it"))
	}
	section := func(name string, all []graph.Relation) {
		if len(all) == 0 {
			return
		}
		gc.printf("\n%s (%d)\n", gc.paint(bold, name), len(all))
		for _, r := range all {
			note := ""
			if r.Kind == graph.May {
				note = fmt.Sprintf("may, %.0f %%", 100*r.Confidence)
			}
			if r.Via != "" {
				note += ", via " + r.Via
			}
			if r.Edge == graph.EdgeValue {
				note += ", as a value"
			}
			if r.Stale {
				note += ", stale"
			}
			where := spot(r.File, r.Line)
			if name == "callees" { // the line is that of the call, in the queried file
				where = r.File
				note = fmt.Sprintf("line %d, %s", r.Line, note)
			}
			gc.printf("  %s %s  %s\n", where, orFile(r.Symbol), gc.paint(faint, strings.Trim(note, ", ")))
		}
	}
	section("callers", out.Callers)
	if out.Possible != nil {
		section("possible callers", *out.Possible)
	}
	section("callees", out.Callees)
	if len(out.Callers) == 0 {
		section("references", out.References)
	}
	for _, l := range []struct {
		name  string
		paths []string
	}{{"file uses", out.Imports}, {"file used by", out.Dependents}} {
		if len(l.paths) > 0 {
			gc.printf("\n%s (%d)\n", gc.paint(bold, l.name), len(l.paths))
			for _, f := range l.paths {
				gc.printf("  %s\n", f)
			}
		}
	}
	gc.printKnowledge(w, out.Memories, out.Knowledge)
}

// list prints as [] when it is empty.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

func spot(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

func orFile(symbol string) string {
	if symbol == "" {
		return "(file)"
	}
	return symbol
}

// memoriesAt returns the memories about a place. If they can't be read, the code is still
// shown.
func (cc *codeCommand) memoriesAt(ctx context.Context, w *services.Workspace, rel string, at []graph.Ref) []memory.Hit {
	hits, err := nearby.Memories(ctx, w, rel, at)
	if err != nil && ctx.Err() == nil {
		cc.warn("%v", err)
	}
	return hits
}
