package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// fileResolver resolves the edges of files, in one goroutine. It reuses its memory.
type fileResolver struct {
	ix    *Index
	r     *resolve.Resolver
	w     *writer
	facts extract.Facts
	links []Link
}

func (ix *Index) newFileResolver(g *Graph) *fileResolver {
	return &fileResolver{ix: ix, r: resolve.NewResolver(g.table), w: newWriter(), facts: extract.Facts{File: &extract.File{}}}
}

// resolveAll resolves the edges of files in parallel, and writes them. It takes from uses
// what it read.
func (ix *Index) resolveAll(ctx context.Context, g *Graph, due map[int32]bool, uses map[int32][]byte, progress func(Progress), r *Report) error {
	ids := make([]int32, 0, len(due))
	for id := range due {
		if g.files[id] != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	r.Resolved = len(ids)
	type item struct {
		id   int32
		uses []byte
	}
	items := make([]item, 0, len(ids))
	for _, id := range ids {
		items = append(items, item{id, uses[id]})
		delete(uses, id)
	}
	type done struct {
		id    int32
		links []link
		data  []byte
		fault error
	}
	begin := func(ctx context.Context) func(item) (done, error) {
		fr := ix.newFileResolver(g)
		return func(i item) (done, error) {
			links, err := fr.resolve(ctx, g.files[i.id].file, i.uses)
			d := done{id: i.id}
			if fault.Is(err) { // this file has no edges, the others have theirs
				d.fault, err = err, nil
			}
			if err == nil {
				d.data = encodeLinks(fr.w, links)
				d.links = sortedLinks(mergeLinks(links, ix.scip[i.id]))
			}
			return d, err
		}
	}
	byID := make(map[int32]*row, len(ix.rows))
	for _, row := range ix.rows {
		byID[row.id] = row
	}
	var batched []done
	flush := func() error {
		if len(batched) == 0 {
			return nil
		}
		sorting.Func(batched, func(a, b done) int { return int(a.id - b.id) }) // the order of the table
		ids := make([]int32, 0, len(batched))
		for _, d := range batched {
			ids = append(ids, d.id)
		}
		err := ix.s.batch(ctx, func(b *batch) error {
			for _, d := range batched {
				if err := b.exec(ctx, qPutLinks, d.id, d.data); err != nil {
					return err
				}
			}
			for _, d := range batched {
				if path := g.files[d.id].path; d.fault != nil || strings.HasPrefix(ix.faults[path], actEdges) {
					ix.noteFault(path, d.fault)
				}
			}
			if err := b.putFaults(ctx, ix); err != nil {
				return err
			}
			return b.markFresh(ctx, ids)
		})
		if err != nil {
			return err
		}
		g.mu.Lock()
		for _, d := range batched {
			g.setSorted(d.id, d.links)
			g.files[d.id].stale = false
			if row := byID[d.id]; row != nil {
				row.stale = false
			}
		}
		g.mu.Unlock()
		batched = batched[:0]
		return nil
	}
	n := 0
	err := inParallel(ctx, min(ix.o.Workers, max(1, len(ids)/8+1)), items, begin, func(d done) error {
		n++
		batched = append(batched, d)
		if len(batched) >= batchFiles {
			if err := flush(); err != nil {
				return err
			}
		}
		progress(Progress{Phase: "resolve", Done: n, Total: len(ids)})
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// actEdges begins the error of a file whose edges could not be resolved.
const actEdges = "find the edges"

// resolve resolves the edges of one file, which are valid until the next call.
func (fr *fileResolver) resolve(ctx context.Context, f *resolve.File, uses []byte) (_ []Link, err error) {
	defer fault.Catch(&err) // damaged facts
	if uses == nil {
		if err := fr.ix.s.db.QueryRowContext(ctx, qUses, f.ID).Scan(&uses); err != nil {
			return nil, fmt.Errorf("read the uses in %s: %w", f.Path, err)
		}
	}
	fr.facts.Symbols = sized(fr.facts.Symbols, len(f.Symbols))
	if err := decodeUses(uses, &fr.facts); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	edges, err := fr.r.Edges(ctx, f, &fr.facts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", actEdges, err)
	}
	fr.links = appendLinks(fr.links[:0], edges)
	return fr.links, nil
}

// appendLinks turns edges into links.
func appendLinks(links []Link, edges []resolve.Edge) []Link {
	for _, e := range edges {
		l := Link{From: e.From.Node(), External: e.External, Kind: e.Kind, Line: e.Line, Sure: e.Sure, May: e.May}
		if e.To != nil {
			l.To, l.External = e.To.Node(), ""
		}
		links = append(links, l)
	}
	return links
}

// mergeLinks combines the edges of a SCIP index with those of the syntax: on a line
// where SCIP resolves a name, it alone counts.
func mergeLinks(ast, scip []Link) []Link {
	if len(scip) == 0 {
		return ast
	}
	known := map[int]bool{}
	for _, l := range scip {
		known[l.Line] = true
	}
	out := slices.Clone(scip)
	for _, l := range ast {
		if !known[l.Line] {
			out = append(out, l)
		}
	}
	return out
}
