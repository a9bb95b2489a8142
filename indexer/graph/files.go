package graph

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"manicule/indexer/resolve"
)

// File is a file that the graph has read.
type File struct {
	Path string
	Hash string // of its bytes, as [HashOf] has it
}

// HashOf is the hash under which the graph keeps a file.
func HashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return string(sum[:hashBytes])
}

// hashBytes is how much of SHA-256 is kept: enough to tell files apart.
const hashBytes = 16

// Files lists the files that were read, by path, without those that can't be
// indexed.
func (ix *Index) Files(ctx context.Context) ([]File, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.s.open(ctx); err != nil {
		return nil, err
	}
	if ix.rows == nil {
		var err error
		if ix.rows, err = ix.s.rows(ctx); err != nil {
			return nil, err
		}
	}
	out := make([]File, 0, len(ix.rows))
	for p, r := range ix.rows {
		if r.reason == "" {
			out = append(out, File{p, string(r.hash)})
		}
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// SymbolsNamed returns the symbols with one of the names, by name: the last part of
// their paths, or the end of the path where the name has several. Names are
// matched as they are written. What more than limit symbols are called is left
// out: such a name says nothing.
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
	for _, st := range g.files {
		if st == nil {
			continue
		}
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
		slices.SortFunc(list, func(a, b *resolve.Symbol) int {
			return cmp.Or(cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Line, b.Line))
		})
	}
	return out
}
