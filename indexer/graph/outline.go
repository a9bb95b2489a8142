package graph

import (
	"context"
	"fmt"
	"strconv"

	"manicule/indexer/resolve"
)

// An outline is a graph with the declarations of all files, but without their edges and without the
// names that they mention. Both take longer to load than the declarations. A rebuild of few files
// needs them only if a symbol is gone, or if a name means something else now. Then the outline is
// completed.
//
// An outline is thin at first: it has the declarations of the files that the changed ones reach (see
// [resolve.Table.Defer]), and reads the others when the graph as a whole is asked for.

const (
	qLoadDecls = `SELECT d.file, f.path, f.stale, d.decls FROM data d JOIN files f ON f.id = d.file ORDER BY d.file`
	qHasSCIP   = `SELECT EXISTS (SELECT 1 FROM scip)`
)

// outlineSuffices reports whether a rebuild can begin with an outline.
func (h *held) outlineSuffices(ctx context.Context, c change) (bool, error) {
	if h.g != nil || len(c.files) > fewChanges || len(c.gone) > 0 || len(c.waiting) > 0 {
		return false, nil
	}
	if cut, err := h.tree.interrupted(ctx); err != nil || cut {
		return false, err
	}
	var imported bool
	if err := h.s.db.QueryRowContext(ctx, qHasSCIP).Scan(&imported); err != nil {
		return false, fmt.Errorf("look for a SCIP index: %w", err)
	}
	return !imported, nil
}

// loadOutline loads the outline, which is not for queries: of all that is not needed at once only what
// leads to it, if that can be.
func (h *held) loadOutline(ctx context.Context, changed []found) (*Graph, *unread, error) {
	if g, u, err := h.loadThin(ctx, changed); g != nil || err != nil {
		return g, u, err
	}
	g, err := h.loadDeclarations(ctx)
	return g, nil, err
}

// loadDeclarations loads the outline of all files.
func (h *held) loadDeclarations(ctx context.Context) (*Graph, error) {
	kept, err := h.s.readFiles(ctx, qLoadDecls, h.o.Workers)
	if err != nil {
		return nil, err
	}
	table := resolve.NewTable(nil) // assignUnits sets the project
	g := newGraph(table)
	for _, k := range kept {
		table.AddFile(k.file)
		g.setFile(k.file, nil).stale = k.stale
	}
	return g, h.loadDispatch(ctx, g)
}

// begin prepares the replacement of a file, before its old edges are dropped. It completes an
// outline if a symbol of the file is gone.
func (rd *rebuilder) begin(ctx context.Context, p *parsed) error {
	if !rd.outline {
		return nil
	}
	if p.rec == nil || len(rd.g.lost(p.row.path, exportedAPI(p.rec))) > 0 {
		return rd.complete(ctx)
	}
	if st := rd.g.byPath[p.row.path]; st != nil {
		rd.symbols -= len(st.file.Symbols)
	}
	n, err := rd.s.countEdges(ctx, p.row.id)
	rd.edges -= n
	return err
}

// complete adds the names and edges of the files that were not read again.
func (rd *rebuilder) complete(ctx context.Context) error {
	kept, err := rd.s.readFiles(ctx, qLoad, rd.held.o.Workers)
	if err != nil {
		return err
	}
	rd.g.mu.Lock()
	defer rd.g.mu.Unlock()
	if err := rd.readRest(kept); err != nil {
		return err
	}
	for _, k := range kept {
		if st := rd.g.files[k.id]; st != nil && rd.uses[k.id] == nil {
			st.names = k.names
			rd.g.setSorted(k.id, k.links)
		}
	}
	rd.outline, rd.held.g, rd.held.scip = false, rd.g, map[int32][]Link{}
	return nil
}

// readRest adds the files that an outline lacks, of those that were read.
func (rd *rebuilder) readRest(all []*storedFile) error {
	if rd.unread == nil {
		return nil
	}
	files := make([]*resolve.File, 0, len(all))
	for _, k := range all {
		files = append(files, k.file)
	}
	if err := rd.g.table.Fill(files...); err != nil {
		return err
	}
	for _, k := range all {
		if rd.g.files[k.id] == nil {
			rd.g.setFile(rd.g.table.File(k.path), nil).stale = k.stale
		}
	}
	rd.g.setDispatch(rd.g.pairs)
	rd.unread.close()
	rd.unread = nil
	return nil
}

// beginResolving prepares the resolution of some files. The edges of those that were not read again
// are counted; see [rebuilder.countEdges].
func (rd *rebuilder) beginResolving(ctx context.Context, due map[int32]bool) error {
	if !rd.outline {
		return nil
	}
	for id := range due {
		if rd.uses[id] != nil {
			continue // counted before its edges were dropped
		}
		n, err := rd.s.countEdges(ctx, id)
		if err != nil {
			return err
		}
		rd.edges -= n
		rd.symbols -= len(rd.g.files[id].file.Symbols)
	}
	rd.resolved = due
	return nil
}

// count returns the numbers of symbols and edges after a rebuild. With an outline, those are the numbers
// before it, corrected by the files that were resolved again.
func (rd *rebuilder) count(ctx context.Context) (symbols, edges int, err error) {
	if !rd.outline {
		c := rd.g.Counts()
		return c.Symbols, c.Edges, nil
	}
	before := [2]int{}
	for i, key := range []string{"symbols", "edges"} {
		v, err := rd.s.meta(ctx, key)
		if err != nil {
			return 0, 0, err
		}
		if before[i], err = strconv.Atoi(v); err != nil {
			return 0, 0, fmt.Errorf("read the number of %s: %w", key, errDamaged)
		}
	}
	symbols, edges = before[0]+rd.symbols, before[1]+rd.edges
	for id := range rd.resolved {
		if st := rd.g.files[id]; st != nil {
			symbols += len(st.file.Symbols)
			edges += len(st.links)
		}
	}
	return symbols, edges, nil
}

// countEdges returns the number of stored edges of a file that lead to the workspace.
func (s *store) countEdges(ctx context.Context, id int32) (n int, err error) {
	var links []byte
	if err := s.db.QueryRowContext(ctx, `SELECT coalesce((`+qLinksOf+`), x'0000')`, id).Scan(&links); err != nil {
		return 0, fmt.Errorf("read the edges of a file: %w", err)
	}
	all, err := decodeLinks(links, id)
	for _, l := range all {
		if l.To != 0 {
			n++
		}
	}
	return n, err
}
