package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/gitinfo"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/around"
)

// graphIndex opens the code graph of a workspace.
func (a *app) graphIndex(p *workspace.Workspace) *graph.Index {
	return graph.Open(graph.Options{
		Root: p.Root, Dir: p.CacheDir(), Now: a.now, Log: a.logger(),
		Commit: func() string {
			if p.GitDir == "" {
				return ""
			}
			return gitinfo.Head(p.GitDir, p.GitCommonDir)
		},
	})
}

// withGraph opens the workspace and its graph, up to the files as they are now.
// Where another process indexes at the moment, the graph is as that has left
// it, and what is out of date in it is marked.
func (a *app) withGraph(ctx context.Context, f func(*memory.Workspace, *graph.Graph) error) error {
	return a.withIndex(ctx, func(w *memory.Workspace, _ *graph.Index, g *graph.Graph) error { return f(w, g) })
}

// withIndex is withGraph for what asks more of the index than its graph.
func (a *app) withIndex(ctx context.Context, f func(*memory.Workspace, *graph.Index, *graph.Graph) error) error {
	return a.with(ctx, func(w *memory.Workspace) (err error) {
		ix := a.graphIndex(w.Place())
		defer func() { err = errors.Join(err, ix.Close()) }()
		roomy()
		if _, err := a.syncGraph(ctx, ix); err != nil && !errors.Is(err, graph.ErrBusy) {
			return graphFault(err)
		}
		g, err := ix.Graph(ctx)
		if err != nil {
			return graphFault(err)
		}
		return f(w, ix, g)
	})
}

// roomy lets the heap of a command that reads the graph grow before it is
// cleaned: the process ends soon. Without it a cold index of 690,000 lines took
// a fifth more processor time; within graphMemory the whole process stays below
// 300 MB. A user's own GOGC wins.
func roomy() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(graphGrowth)
	debug.SetMemoryLimit(graphMemory)
}

const (
	graphGrowth = 1000      // percent
	graphMemory = 190 << 20 // bytes, what Go's own part should stay within
)

// graphFault says what to do about a graph that can't be read or written.
func graphFault(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if h := hint(err); h != "" {
		return &memory.UserError{Msg: err.Error(), Err: err, Hint: h}
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: "`manicule index --rebuild` builds it again; `manicule doctor` looks at the folders."}
}

// codePlace reads FILE[#Symbol], relative to where the person is.
func (a *app) codePlace(w *memory.Workspace, arg string) (around.Place, error) {
	name, symbol, named := strings.Cut(arg, "#")
	if name != "" {
		name = a.rooted(w, name)
	}
	if named {
		name += "#" + symbol
	}
	return around.Parse(w, name)
}

// rooted is a path as it is meant: from where the person is, or from --root.
func (a *app) rooted(w *memory.Workspace, name string) string {
	p := a.here(name)
	if !filepath.IsAbs(p) {
		p = filepath.Join(w.Root(), p)
	}
	return p
}

func (a *app) graphCommand() *cobra.Command {
	var possible bool
	cmd := &cobra.Command{
		Use:   "graph FILE[#Symbol] | NAME | FOLDER",
		Short: "Show who calls a symbol, what it calls, and what a file or folder uses",
		Long: "Show the definition, callers and callees of a symbol, and the imports and dependents of its\n" +
			"file. The bare name of a symbol will do where only one has it. Who passes a function on as a\n" +
			"value counts as a caller. \"may\" marks what dynamic dispatch or a name alone makes possible,\n" +
			"\"via\" the method through which it goes. --possible also lists calls of the same name of which\n" +
			"nothing says what they call: all that a search for the name finds, without what surely means\n" +
			"something else. Of a folder, show which others it uses and is used by, and where the programs\n" +
			"begin that come to it.",
		Example: "  manicule graph src/auth/token.go#Store.Validate\n  manicule graph Store.Validate\n  manicule graph src/auth/token.go --json\n  manicule graph src/auth",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: a.completeSymbols,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withIndex(cmd.Context(), func(w *memory.Workspace, ix *graph.Index, g *graph.Graph) error {
				p, err := a.codePlace(w, args[0])
				if err != nil {
					return err
				}
				if _, err := w.Sync(cmd.Context()); err != nil { // edges of memories are found in the view of all
					return err
				}
				if p.Symbol == "" && !g.Has(p.File) {
					if m, ok := g.Module(p.File); ok {
						a.printModule(cmd.Context(), w, m)
						return nil
					}
				}
				syms, err := around.Symbols(g, p)
				if err != nil {
					return err
				}
				out := a.graphOf(cmd.Context(), w, g, p, syms)
				if possible {
					more, err := ix.Possible(cmd.Context(), syms)
					if err != nil {
						return graphFault(err)
					}
					out.Possible = new(list(more))
				}
				a.printGraph(w, out)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&possible, "possible", false, "also list calls of the same name that nothing is known of")
	return cmd
}

// completeSymbols completes what comes after the # of FILE#Symbol, from the graph
// as it was left; before it, the shell completes the file.
func (a *app) completeSymbols(cmd *cobra.Command, _ []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
	file, text, ok := strings.Cut(prefix, "#")
	if !ok {
		return nil, cobra.ShellCompDirectiveDefault
	}
	w, err := a.openQuietly()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = w.Close() }() // nothing was written
	ix := a.graphIndex(w.Place())
	defer func() { _ = ix.Close() }() // nothing was written
	g, err := ix.Graph(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	p, err := a.codePlace(w, file)
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
	around.Code
	Memories  []hitJSON     `json:"memories"`
	Knowledge []memory.Edge `json:"knowledge"`
	// Possible is there when it was asked for.
	Possible *[]graph.Relation `json:"possible,omitzero"`
}

func (a *app) graphOf(ctx context.Context, w *memory.Workspace, g *graph.Graph, p around.Place, syms []*resolve.Symbol) graphJSON {
	code := around.Describe(g, p, syms)
	return graphJSON{
		Code: code, Memories: hitsJSON(w.Root(), a.about(ctx, w, code.File, code.Definitions)), Knowledge: list(edgesAt(w, code.File, code.Definitions)),
	}
}

func (a *app) printGraph(w *memory.Workspace, out graphJSON) {
	if a.json {
		a.printJSON("graph", out)
		return
	}
	for _, d := range out.Definitions {
		a.printf("%s %s  %s\n", a.paint(bold, spot(d.File, d.Line)), d.Symbol, a.paint(faint, d.Signature))
	}
	if out.Stale {
		a.printf("%s\n", a.paint(faint, "the file has changed since; another process is indexing it"))
	}
	section := func(name string, all []graph.Relation) {
		if len(all) == 0 {
			return
		}
		a.printf("\n%s (%d)\n", a.paint(bold, name), len(all))
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
			if name == "callees" { // the line is that of the call, in the file asked about
				where = r.File
				note = fmt.Sprintf("line %d, %s", r.Line, note)
			}
			a.printf("  %s %s  %s\n", where, orFile(r.Symbol), a.paint(faint, strings.Trim(note, ", ")))
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
			a.printf("\n%s (%d)\n", a.paint(bold, l.name), len(l.paths))
			for _, f := range l.paths {
				a.printf("  %s\n", f)
			}
		}
	}
	a.printKnowledge(w, out.Memories, out.Knowledge)
}

// list is a list that prints as [] when it is empty.
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

// about are the memories about a place; that they can't be read is no reason to
// say nothing of the code.
func (a *app) about(ctx context.Context, w *memory.Workspace, rel string, at []graph.Ref) []memory.Hit {
	hits, err := around.Memories(ctx, w, rel, at)
	if err != nil && ctx.Err() == nil {
		a.warn("%v", err)
	}
	return hits
}

func (a *app) outlineCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "outline FILE",
		Short:   "List the symbols of a file",
		Example: "  manicule outline src/auth/token.go",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withGraph(cmd.Context(), func(w *memory.Workspace, g *graph.Graph) error {
				p, err := a.codePlace(w, args[0])
				if err != nil {
					return err
				}
				if _, err := around.Symbols(g, around.Place{File: p.File}); err != nil {
					return err
				}
				all := list(g.Outline(p.File))
				if a.json {
					a.printJSON("outline", struct {
						File    string      `json:"file"`
						Stale   bool        `json:"stale"`
						Symbols []graph.Ref `json:"symbols"`
					}{p.File, g.Stale(p.File), all})
					return nil
				}
				for _, s := range all {
					a.printf("%5d  %s%s %s\n", s.Line, strings.Repeat("  ", strings.Count(s.Symbol, ".")), s.Kind, s.Symbol)
				}
				return nil
			})
		},
	}
}
