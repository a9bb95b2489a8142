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
	for st := range g.declaring(lastPart(name)) {
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

// Nearest returns up to limit symbols of different paths that are least far from what somebody
// typed: alike says how far a name is, and whether it can be meant at all. Those of the same
// distance are sorted by file and line.
func (g *Graph) Nearest(limit int, alike func(name string) (far int, ok bool)) []*resolve.Symbol {
	type candidate struct {
		symbol *resolve.Symbol
		far    int
	}
	var all []candidate
	for _, s := range g.symbolsNamed(func(name string) bool { _, ok := alike(name); return ok }) {
		if far, ok := alike(s.Name); ok && s.Path != "" {
			all = append(all, candidate{s, far})
		}
	}
	sorting.StableFunc(all, func(a, b candidate) int { return a.far - b.far })
	var out []*resolve.Symbol
	seen := map[string]bool{}
	for _, c := range all {
		if spot := c.symbol.File.Path + "#" + c.symbol.Path; len(out) < limit && !seen[spot] {
			seen[spot] = true
			out = append(out, c.symbol)
		}
	}
	return out
}

// Complete returns the paths of a file's symbols whose path or last part begins with
// text, each once, in the order of the file.
func (g *Graph) Complete(file, text string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
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
