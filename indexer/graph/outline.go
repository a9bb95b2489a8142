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

// loadOutline loads the outline, which is not for queries.
func (h *held) loadOutline(ctx context.Context) (*Graph, error) {
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
	for _, k := range kept {
		if st := rd.g.files[k.id]; st != nil && rd.uses[k.id] == nil {
			st.names = k.names
			rd.g.setSorted(k.id, k.links)
		}
	}
	rd.outline, rd.held.g, rd.held.scip = false, rd.g, map[int32][]Link{}
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
	}
	rd.resolved = due
	return nil
}

// countEdges returns the number of edges after a rebuild. With an outline, that is the number before
// it, corrected by the files that were resolved again.
func (rd *rebuilder) countEdges(ctx context.Context, c Counts) (int, error) {
	if !rd.outline {
		return c.Edges, nil
	}
	v, err := rd.s.meta(ctx, "edges")
	if err != nil {
		return 0, err
	}
	before, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("read the number of edges: %w", errDamaged)
	}
	n := before + rd.edges
	for id := range rd.resolved {
		if st := rd.g.files[id]; st != nil {
			n += len(st.links)
		}
	}
	return n, nil
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
