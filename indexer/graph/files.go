package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"manicule/indexer/hashing"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// File is a file in the graph.
type File struct {
	Path string
	Hash string // of its bytes; see [HashOf]
}

// HashOf returns the hash under which the graph stores a file.
func HashOf(text []byte) string {
	sum := hashing.Sum256(text)
	return string(sum[:hashBytes])
}

// hashBytes is how much of SHA-256 is stored: enough to tell files apart.
const hashBytes = 16

// Files lists the indexed files by path, without those that can't be indexed.
func (ix *Index) Files(ctx context.Context) ([]File, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.held.s.open(ctx); err != nil {
		return nil, err
	}
	t := ix.held.tree
	if err := t.readRows(ctx); err != nil {
		return nil, err
	}
	out := make([]File, 0, len(t.rows))
	for p, r := range t.rows {
		if r.reason == "" {
			out = append(out, File{p, string(r.hash)})
		}
	}
	sorting.Func(out, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// SymbolsNamed returns the symbols with one of the names, by name. A name matches the
// last part of a path, or, if the name has several parts, the end of the path. It is
// case-sensitive. A name with more than limit symbols is omitted, because it says
// nothing.
func (g *Graph) SymbolsNamed(names []string, limit int) map[string][]*resolve.Symbol {
	type want struct{ whole, last string }
	byLast := map[string][]want{}
	for _, n := range names {
		last := n
		if i := strings.LastIndexAny(n, ".:#"); i >= 0 {
			last = n[i+1:]
		}
		byLast[last] = append(byLast[last], want{n, last})
	}
	out := map[string][]*resolve.Symbol{}
	g.mu.RLock()
	defer g.mu.RUnlock()
	for st := range g.declaring(slices.Collect(maps.Keys(byLast))...) {
		for _, s := range st.file.Symbols {
			for _, w := range byLast[s.Name] {
				if whole := strings.ReplaceAll(w.whole, "::", "."); w.last == w.whole || s.Path == whole || strings.HasSuffix(s.Path, "."+whole) {
					out[w.whole] = append(out[w.whole], s)
				}
			}
		}
	}
	for n, list := range out {
		if len(list) > limit {
			delete(out, n)
			continue
		}
		sorting.Func(list, func(a, b *resolve.Symbol) int {
			return cmp.Or(cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Line, b.Line))
		})
	}
	return out
}
