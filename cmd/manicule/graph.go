package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/gitinfo"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/workspace"
	"manicule/memory"
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
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: "`manicule index --rebuild` builds it again; `manicule doctor` looks at the folders."}
}

// place is a FILE#Symbol of the command line.
type codePlace struct{ file, symbol string }

// codePlace reads FILE[#Symbol], relative to where the person is.
func (a *app) codePlace(w *memory.Workspace, arg string) (codePlace, error) {
	name, symbol, _ := strings.Cut(arg, "#")
	rel, ok := w.Place().Rel(a.rooted(w, name))
	if !ok || name == "" {
		return codePlace{}, &memory.UserError{Msg: fmt.Sprintf("%q is no file of this workspace", name), Hint: "Name a file below " + w.Root() + "."}
	}
	return codePlace{filepath.ToSlash(rel), symbol}, nil
}

// rooted is a path as it is meant: from where the person is, or from --root.
func (a *app) rooted(w *memory.Workspace, name string) string {
	p := a.here(name)
	if !filepath.IsAbs(p) {
		p = filepath.Join(w.Root(), p)
	}
	return p
}

// symbols finds what a place names; a person who is wrong learns what there is.
func symbols(g *graph.Graph, p codePlace) ([]*resolve.Symbol, error) {
	if !g.Has(p.file) {
		e := &memory.UserError{Msg: p.file + " is not in the code graph", Err: memory.ErrNotFound, Hint: "It is ignored, has no supported language, or isn't there; `manicule index` says what was skipped."}
		if near := g.FilesOf(filepath.Base(p.file)); len(near) > 0 {
			e.Hint = "There is " + strings.Join(near[:min(3, len(near))], ", ") + "."
		}
		return nil, e
	}
	found := g.Find(p.file, p.symbol)
	if len(found) == 0 {
		e := &memory.UserError{Msg: fmt.Sprintf("%s has no symbol %q", p.file, p.symbol), Err: memory.ErrNotFound, Hint: "`manicule outline " + p.file + "` lists what it has."}
		return nil, e
	}
	if paths := distinctPaths(found); len(paths) > 1 {
		return nil, &memory.UserError{Msg: fmt.Sprintf("%q is ambiguous in %s", p.symbol, p.file), Err: memory.ErrAmbiguous, Hint: "Say which: " + strings.Join(paths[:min(6, len(paths))], ", ") + "."}
	}
	return found, nil
}

func distinctPaths(all []*resolve.Symbol) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s.Path) {
			out = append(out, s.Path)
		}
	}
	return out
}

func (a *app) graphCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "graph FILE[#Symbol] | FOLDER",
		Short: "Show who calls a symbol, what it calls, and what a file or folder uses",
		Long: "Show the definition, callers and callees of a symbol, and the imports and dependents of its\n" +
			"file. \"may\" marks what dynamic dispatch or a name alone makes possible. Of a folder, show\n" +
			"which others it uses and is used by, and where the programs begin that come to it.",
		Example: "  manicule graph src/auth/token.go#Store.Validate\n  manicule graph src/auth/token.go --json\n  manicule graph src/auth",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withGraph(cmd.Context(), func(w *memory.Workspace, g *graph.Graph) error {
				p, err := a.codePlace(w, args[0])
				if err != nil {
					return err
				}
				if _, err := w.Sync(cmd.Context()); err != nil { // edges of memories are found in the view of all
					return err
				}
				if p.symbol == "" && !g.Has(p.file) {
					if m, ok := g.Module(p.file); ok {
						a.printModule(w, m)
						return nil
					}
				}
				syms, err := symbols(g, p)
				if err != nil {
					return err
				}
				a.printGraph(w, g, p, syms)
				return nil
			})
		},
	}
}

// graphJSON is the shape "graph".
type graphJSON struct {
	File        string           `json:"file"`
	Symbol      string           `json:"symbol"`
	Stale       bool             `json:"stale"`
	Definitions []graph.Ref      `json:"definitions"`
	Callers     []graph.Relation `json:"callers"`
	Callees     []graph.Relation `json:"callees"`
	References  []graph.Relation `json:"references"`
	Imports     []string         `json:"imports"`
	Dependents  []string         `json:"dependents"`
	Memories    []hitJSON        `json:"memories"`
	Knowledge   []memory.Edge    `json:"knowledge"`
}

func (a *app) printGraph(w *memory.Workspace, g *graph.Graph, p codePlace, syms []*resolve.Symbol) {
	out := graphJSON{
		File: p.file, Symbol: p.symbol, Stale: g.Stale(p.file), Definitions: g.Refs(syms),
		Callers: list(g.Callers(syms)), Callees: list(g.Callees(syms)), References: list(g.References(syms)),
		Imports: list(g.Imports(p.file)), Dependents: list(g.Dependents(p.file)), Memories: hitsJSON(w.Root(), about(w, p.file, syms)),
		Knowledge: list(edgesAt(w, p.file, syms)),
	}
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
				note += ", through " + r.Via
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
	section("callees", out.Callees)
	if len(out.Callers) == 0 {
		section("references", out.References)
	}
	for _, l := range []struct {
		name  string
		paths []string
	}{{"uses", out.Imports}, {"used by", out.Dependents}} {
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

// about are the memories for a file and, where symbols are named, of those at
// symbols only the ones at them. Those of the whole project are left out.
func about(w *memory.Workspace, rel string, syms []*resolve.Symbol) []memory.Hit {
	r, err := w.Recall(context.Background(), memory.Query{Paths: []string{filepath.Join(w.Root(), filepath.FromSlash(rel))}, Limit: -1})
	if err != nil {
		return nil
	}
	var out []memory.Hit
	for _, h := range r.Hits {
		switch h.Match {
		case memory.MatchAnchor:
			if atSymbols(h, syms) {
				out = append(out, h)
			}
		case memory.MatchScope, memory.MatchParent: // the latter for a folder
			out = append(out, h)
		}
	}
	return out
}

func atSymbols(h memory.Hit, syms []*resolve.Symbol) bool {
	for _, an := range h.Memory.Anchors {
		if an.Symbol == "" || onSymbols(an.Symbol, syms) {
			return true
		}
	}
	return len(h.Memory.Anchors) == 0 && onSymbols("", syms)
}

// onSymbols says whether a symbol's path is that of one of the symbols, or of
// something in it.
func onSymbols(symbol string, syms []*resolve.Symbol) bool {
	return slices.ContainsFunc(syms, func(s *resolve.Symbol) bool {
		return s.Kind == "file" || symbol == s.Path || strings.HasPrefix(symbol, s.Path+".")
	})
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
				if _, err := symbols(g, codePlace{file: p.file}); err != nil {
					return err
				}
				all := list(g.Outline(p.file))
				if a.json {
					a.printJSON("outline", struct {
						File    string      `json:"file"`
						Stale   bool        `json:"stale"`
						Symbols []graph.Ref `json:"symbols"`
					}{p.file, g.Stale(p.file), all})
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
