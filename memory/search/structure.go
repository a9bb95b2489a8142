package search

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"manicule/indexer/graph"
	"manicule/memory"
)

// Limits of walks over the code graph. A file that half of the project uses says little.
const (
	maxNamed      = 8  // symbols of one name
	maxNeighbours = 40 // of one file
)

// structure is the code graph as the pipeline sees it, with the memories about each file. Without a
// graph it still understands paths.
type structure struct {
	about func(file string) []memory.Hit // in recall order
	code  *codeGraph
}

// inView looks up the memories about a file in a view.
func inView(v *memory.View) func(string) []memory.Hit {
	return func(file string) []memory.Hit { return v.ForPath(file, false) }
}

// AskGraph calls a function with what it needs of the code graph, perhaps twice, and then only the last call counts. An
// error says why there is none.
type AskGraph func(context.Context, func(*graph.Graph)) error

// codeGraph is the graph of one question, which records in the answer whether there is one. It is safe for concurrent use.
type codeGraph struct {
	ctx context.Context //nolint:containedctx // of the question: the pipeline's functions take none
	ask AskGraph        // nil if there is none

	mu    sync.Mutex // guards what follows
	state *State
	none  bool // it was asked in vain
}

func newCodeGraph(ctx context.Context, ask AskGraph, st *State) *codeGraph {
	st.Graph = "not asked"
	return &codeGraph{ctx: ctx, ask: ask, state: st}
}

// read calls f with the graph, and reports whether there is one.
func (c *codeGraph) read(f func(*graph.Graph)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.none {
		return false
	}
	if c.ask == nil {
		c.state.Graph, c.none = "not there", true
		return false
	}
	if err := c.ask(c.ctx, f); err != nil {
		c.state.Graph, c.none = err.Error(), true
		return false
	}
	c.state.Graph = "ready"
	return true
}

// Mentioned returns the files that names refer to.
func (s *structure) Mentioned(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	var out []string
	if s.code.read(func(g *graph.Graph) { out = mentionedIn(g, names) }) {
		return out
	}
	out = nil
	for _, n := range names {
		p := pathOf(n)
		if !slices.Contains(out, p) && slices.ContainsFunc(s.about(p), func(h memory.Hit) bool { return h.Match == memory.MatchAnchor }) {
			out = append(out, p)
		}
	}
	return out
}

// pathOf returns a name as a path, without a line number.
func pathOf(name string) string {
	p := strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	if file, _, ok := strings.Cut(p, ":"); ok && path.Ext(file) != "" {
		return file
	}
	return p
}

// mentionedIn returns the files of a graph that names refer to, as paths and then as symbols.
func mentionedIn(g *graph.Graph, names []string) (out []string) {
	add := func(f string) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	var symbols []string
	for _, n := range names {
		if found := g.FilesBySuffix(pathOf(n)); len(found) > 0 && len(found) <= maxNamed {
			slices.Sort(found)
			for _, f := range found {
				add(f)
			}
			continue
		}
		symbols = append(symbols, strings.TrimSuffix(n, "()"))
	}
	if len(symbols) == 0 {
		return out
	}
	named := g.SymbolsNamed(symbols, maxNamed)
	for _, n := range symbols {
		for _, sym := range named[n] {
			add(sym.File.Path)
		}
	}
	return out
}

// Neighbours returns the files that a file uses and those that use it.
func (s *structure) Neighbours(file string) (out []string) {
	known := s.code.read(func(g *graph.Graph) {
		out = g.Imports(file)
		for _, f := range g.Dependents(file) {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	})
	if !known || len(out) > maxNeighbours {
		return nil
	}
	return out
}

// At lists the memories about a file: those that name it, then those of enclosing folders, deepest
// first. Project-wide memories are about no file.
func (s *structure) At(file string) []string {
	var out []string
	for _, h := range s.about(file) {
		if h.Match > memory.MatchProject {
			out = append(out, h.Memory.UUID)
		}
	}
	return out
}
