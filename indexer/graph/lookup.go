package graph

import (
	"cmp"
	"strings"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Lookup returns all symbols that match a bare name: those whose path is the name or
// ends with it, as App.Shutdown does for Shutdown. They are sorted by file and line.
func (g *Graph) Lookup(name string) []*resolve.Symbol {
	if name == "" {
		return nil
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []*resolve.Symbol
	for _, st := range g.files {
		for _, s := range st.file.Symbols {
			if s.Path == name || strings.HasSuffix(s.Path, name) && s.Path[len(s.Path)-len(name)-1] == '.' {
				out = append(out, s)
			}
		}
	}
	sorting.Func(out, func(a, b *resolve.Symbol) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), a.Line-b.Line, strings.Compare(a.Path, b.Path))
	})
	return out
}

// Complete returns the paths of a file's symbols whose path or last part begins with
// text, each once, in the order of the file.
func (g *Graph) Complete(file, text string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.byPath[file]
	if st == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, s := range st.file.Symbols {
		if !seen[s.Path] && (strings.HasPrefix(s.Path, text) || strings.HasPrefix(s.Name, text)) {
			seen[s.Path] = true
			out = append(out, s.Path)
		}
	}
	return out
}
