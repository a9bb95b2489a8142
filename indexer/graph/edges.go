package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// fileResolver resolves the edges of files, in one goroutine. It reuses its memory.
type fileResolver struct {
	s     *store
	r     *resolve.Resolver
	w     *writer
	facts extract.Facts
	links []Link

	expect func(*extract.Facts) error // is told what a file uses, before that is resolved; may be nil
}

func newFileResolver(s *store, g *Graph) *fileResolver {
	return &fileResolver{s: s, r: resolve.NewResolver(g.table), w: newWriter(), facts: extract.Facts{File: &extract.File{}}}
}

// resolve resolves the edges of files in parallel, and writes them.
func (rd *rebuilder) resolve(ctx context.Context, due map[int32]bool, progress func(Progress)) error {
	var files []usesOfFile
	for _, id := range slices.Sorted(maps.Keys(due)) {
		if st := rd.g.files[id]; st != nil {
			files = append(files, usesOfFile{st, rd.uses[id], rd.held.scip[id]})
			delete(rd.uses, id)
		}
	}
	rd.report.Resolved = len(files)
	w := linkWriter{s: rd.s, faults: rd.tree.faults, g: rd.g, rows: make(map[int32]*row, len(rd.tree.rows))}
	for _, row := range rd.tree.rows {
		w.rows[row.id] = row
	}
	begin := func(ctx context.Context) func(usesOfFile) (linksOfFile, error) {
		fr := newFileResolver(rd.s, rd.g)
		if rd.unread != nil {
			fr.expect = rd.unread.expect
		}
		return func(f usesOfFile) (linksOfFile, error) { return fr.linksOf(ctx, f) }
	}
	workers := min(rd.held.o.Workers, max(1, len(files)/8+1))
	if rd.unread != nil {
		workers = 1 // what is reached is added to the table
	}
	n := 0
	err := inParallel(ctx, workers, files, begin, func(l linksOfFile) error {
		n++
		if err := w.add(ctx, l); err != nil {
			return err
		}
		progress(Progress{Phase: "resolve", Done: n, Total: len(files)})
		return nil
	})
	if err != nil {
		return err
	}
	return w.flush(ctx)
}

// usesOfFile is a file to resolve, with what it uses.
type usesOfFile struct {
	st   *fileState
	uses []byte // nil if they are only in the database
	scip []Link
}

// linksOfFile are the edges of a resolved file.
type linksOfFile struct {
	id    int32
	links []link
	data  []byte // the links as they are stored
	fault error  // why there are none

	declared, targets []byte // for the table lookup
}

// linksOf resolves the edges of one file.
func (fr *fileResolver) linksOf(ctx context.Context, f usesOfFile) (linksOfFile, error) {
	links, err := fr.resolve(ctx, f.st.file, f.uses)
	l := linksOfFile{id: f.st.id, declared: encodeNames(declaredIn(f.st.file)), targets: []byte{}}
	if fault.Is(err) && fr.r.Unread() == nil { // this file has no edges, the others have theirs
		l.fault, err = err, nil
	}
	if err == nil {
		l.data = encodeLinks(fr.w, links)
		l.links = sortedLinks(links)
		l.targets = encodeTargets(l.links, f.st.id) // those of a SCIP index may be replaced
		if len(f.scip) > 0 {
			l.links = sortedLinks(mergeLinks(links, f.scip))
		}
	}
	return l, err
}

// linkWriter writes the edges of resolved files, some files at once.
type linkWriter struct {
	s      *store
	faults *faultLog
	g      *Graph
	rows   map[int32]*row // by id
	batch  []linksOfFile
}

func (w *linkWriter) add(ctx context.Context, l linksOfFile) error {
	if w.batch = append(w.batch, l); len(w.batch) < batchFiles {
		return nil
	}
	return w.flush(ctx)
}

// flush writes the files of the batch to the database, then to the graph in memory.
func (w *linkWriter) flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	sorting.Func(w.batch, func(a, b linksOfFile) int { return int(a.id - b.id) }) // the order of the table
	if err := w.s.batch(ctx, func(b *batch) error { return w.store(ctx, b) }); err != nil {
		return err
	}
	w.g.mu.Lock()
	for _, l := range w.batch {
		w.g.setSorted(l.id, l.links)
		w.g.files[l.id].stale = false
		if row := w.rows[l.id]; row != nil {
			row.stale = false
		}
	}
	w.g.mu.Unlock()
	w.batch = w.batch[:0]
	return nil
}

func (w *linkWriter) store(ctx context.Context, b *batch) error {
	ids := make([]int32, 0, len(w.batch))
	for _, l := range w.batch {
		ids = append(ids, l.id)
		if err := b.exec(ctx, qPutLinks, l.id, l.data); err != nil {
			return err
		}
		if err := b.exec(ctx, qPutLookup, l.id, l.declared, l.targets); err != nil {
			return err
		}
	}
	for _, l := range w.batch {
		if path := w.g.files[l.id].path; l.fault != nil || strings.HasPrefix(w.faults.byPath[path], actEdges) {
			w.faults.note(path, l.fault)
		}
	}
	if err := w.faults.save(ctx, b); err != nil {
		return err
	}
	return b.markFresh(ctx, ids)
}

// actEdges begins the error of a file whose edges could not be resolved.
const actEdges = "find the edges"

// resolve resolves the edges of one file, which are valid until the next call.
func (fr *fileResolver) resolve(ctx context.Context, f *resolve.File, uses []byte) (_ []Link, err error) {
	defer fault.Catch(&err) // damaged facts
	if uses == nil {
		if uses, err = fr.s.uses(ctx, f); err != nil {
			return nil, err
		}
	}
	fr.facts.Symbols = sized(fr.facts.Symbols, len(f.Symbols))
	if err := decodeUses(uses, &fr.facts); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if fr.expect != nil {
		if err := fr.expect(&fr.facts); err != nil {
			return nil, err
		}
	}
	edges, err := fr.r.Edges(ctx, f, &fr.facts)
	if unread := fr.r.Unread(); unread != nil {
		return nil, unread
	}
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
