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
	load  func() *graph.Graph            // nil if there is none; loaded on first use
}

// inView looks up the memories about a file in a view.
func inView(v *memory.View) func(string) []memory.Hit {
	return func(file string) []memory.Hit { return v.ForPath(file, false) }
}

// graphOf loads a graph once, and records the outcome in the state.
func graphOf(ctx context.Context, open func(context.Context) (*graph.Graph, error), st *State) func() *graph.Graph {
	st.Graph = "not asked"
	return sync.OnceValue(func() *graph.Graph {
		if open == nil {
			st.Graph = "not there"
			return nil
		}
		g, err := open(ctx)
		if err != nil {
			st.Graph = err.Error()
			return nil
		}
		st.Graph = "ready"
		return g
	})
}

// Mentioned returns the files that names refer to.
func (s *structure) Mentioned(names []string) []string {
	var out []string
	add := func(f string) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	if len(names) == 0 {
		return nil
	}
	g := s.load()
	var symbols []string
	for _, n := range names {
		p := strings.TrimPrefix(path.Clean(strings.ReplaceAll(n, `\`, "/")), "./")
		if file, _, ok := strings.Cut(p, ":"); ok && path.Ext(file) != "" {
			p = file // with a line number
		}
		if g == nil {
			if slices.ContainsFunc(s.about(p), func(h memory.Hit) bool { return h.Match == memory.MatchAnchor }) {
				add(p)
			}
			continue
		}
		if found := g.FilesBySuffix(p); len(found) > 0 && len(found) <= maxNamed {
			slices.Sort(found)
			for _, f := range found {
				add(f)
			}
			continue
		}
		symbols = append(symbols, strings.TrimSuffix(n, "()"))
	}
	if g == nil || len(symbols) == 0 {
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
func (s *structure) Neighbours(file string) []string {
	g := s.load()
	if g == nil {
		return nil
	}
	out := g.Imports(file)
	for _, f := range g.Dependents(file) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	if len(out) > maxNeighbours {
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
