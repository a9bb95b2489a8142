package graph

import (
	"context"
	"database/sql"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
)

// held is what an index holds of the stored graph in memory: all of it or the parts that questions have
// read, with unsaved buffers over it. It loads it, keeps it in step with what other processes write, and
// updates it. The mutex of the [Index] guards it.
type held struct {
	o    Options
	s    *store
	tree *tree

	g    *Graph  // nil until requested
	part *stored // what questions have read of the graph while g is nil
	scip map[int32][]Link
	used time.Time // time of the last request for the graph

	wanted   map[string]Source   // requested unsaved buffers
	overlays map[string]*overlay // applied unsaved buffers
	half     *swap               // the one that was cancelled: files are replaced, and what that affects is not resolved
}

// catchUp forgets what was read of the graph if another process has written it since, or begun a new one: the ids of files
// may be other ones. The caller holds the lock, so nobody writes meanwhile.
//
// If the cache folder was deleted, the lock is another file than the one that a process may still hold, which writes the deleted
// graph. This one begins a new one.
func (h *held) catchUp(ctx context.Context) error {
	current := h.s.db == nil
	if !current {
		var err error
		if current, err = h.s.isCurrent(); err != nil {
			return err // the open one stays, and the next update asks again
		}
	}
	if !current {
		if err := h.s.close(); err != nil {
			return fmt.Errorf("close the graph that was replaced or deleted: %w", err)
		}
	}
	if h.s.db == nil {
		h.forget()
	}
	if err := h.s.open(ctx); err != nil {
		return err
	}
	return h.forgetOutdated(ctx)
}

// forgetOutdated forgets what was read before another process wrote.
func (h *held) forgetOutdated(ctx context.Context) error {
	written, err := h.s.meta(ctx, metaWritten)
	if err != nil || written == h.s.written {
		return err
	}
	h.forget()
	h.s.written = written
	return nil
}

// forget drops what is in memory. The requested overlays stay.
func (h *held) forget() {
	h.tree.forget()
	h.g, h.part, h.scip, h.overlays, h.half = nil, nil, nil, nil, nil
}

// release frees the memory of the graph unless it was used recently.
func (h *held) release(unusedFor time.Duration) {
	if h.g == nil && h.part == nil || h.o.Now().Sub(h.used) < unusedFor {
		return
	}
	h.g, h.scip, h.overlays, h.half, h.part = nil, nil, nil, nil, nil
	debug.FreeOSMemory()
	extract.Trim()
}

// graph returns the whole graph. It loads it if it is not in memory.
func (h *held) graph(ctx context.Context) (*Graph, error) {
	h.used = h.o.Now()
	if h.g != nil { // what is read of the database beside it must fit it
		if cut, err := h.tree.interrupted(ctx); err == nil && !cut { // else another process is at work
			_ = h.forgetOutdated(ctx) // the next synchronization reports it
		}
	}
	if h.g != nil {
		if h.half != nil {
			if err := h.applyOverlays(ctx); err != nil {
				return nil, fmt.Errorf("apply unsaved buffers to the graph: %w", err)
			}
		}
		return h.g, nil
	}
	for attempt := 0; ; attempt++ {
		err := h.s.open(ctx)
		if err == nil {
			err = h.load(ctx)
		}
		if err == nil { // restore the unsaved buffers that the released graph had
			if err := h.applyOverlays(ctx); err != nil {
				h.g, h.overlays, h.half = nil, nil, nil
				return nil, fmt.Errorf("apply unsaved buffers to the graph: %w", err)
			}
			return h.g, nil
		}
		if attempt > 0 || !damaged(err) {
			return nil, fmt.Errorf("load the graph: %w", err)
		}
		if err := h.s.beginGeneration(ctx); err != nil {
			return nil, fmt.Errorf("create a new graph: %w", err)
		}
	}
}

// load reads the whole graph from the database.
func (h *held) load(ctx context.Context) error {
	if err := h.tree.readRowsAgain(ctx); err != nil {
		return err
	}
	if h.tree.paths == nil {
		h.tree.listPaths()
	}
	table := resolve.NewTable(h.tree.project())
	g := newGraph(table)
	h.scip = map[int32][]Link{}
	kept, err := h.s.readFiles(ctx, qLoad, h.o.Workers)
	if err != nil {
		return err
	}
	for _, k := range kept {
		table.AddFile(k.file)
		st := g.setFile(k.file, k.names)
		st.stale = k.stale
		if len(k.scip) > 0 {
			h.scip[k.id] = k.scip
		}
	}
	for _, k := range kept {
		g.setSorted(k.id, k.links)
	}
	if err := h.loadDispatch(ctx, g); err != nil {
		return err
	}
	h.g = g
	return nil
}

// loadDispatch loads what is stored of the graph as a whole.
func (h *held) loadDispatch(ctx context.Context, g *Graph) error {
	if err := h.loadPairs(ctx, g); err != nil {
		return err
	}
	g.setDispatch(g.pairs)
	return nil
}

// loadPairs is loadDispatch for a graph that answers no questions.
func (h *held) loadPairs(ctx context.Context, g *Graph) error {
	pairs, err := h.s.meta(ctx, metaDispatch)
	if err != nil {
		return err
	}
	if g.pairs, err = decodePairs([]byte(pairs)); err != nil {
		return err
	}
	h.tree.build, err = h.s.meta(ctx, metaBuild)
	return err
}

// beginPart begins a question to a part; nil if the whole graph is due.
func (h *held) beginPart(ctx context.Context) (*Graph, error) {
	h.used = h.o.Now()
	if len(h.wanted) > 0 {
		return nil, nil
	}
	if err := h.s.open(ctx); err != nil {
		return nil, fmt.Errorf("open the graph: %w", err)
	}
	if h.g != nil {
		if cut, err := h.tree.interrupted(ctx); err != nil || cut {
			return nil, nil
		}
	}
	if err := h.forgetOutdated(ctx); err != nil || h.g != nil {
		return nil, nil // what is damaged is found when it is loaded
	}
	if err := h.tree.readRows(ctx); err != nil {
		return nil, nil
	}
	if cut, err := h.tree.interrupted(ctx); err != nil || cut {
		return nil, nil
	}
	if h.part == nil || h.part.db != h.s.db || h.part.written != h.s.written {
		h.part = newStored(h.s, h.tree.rows)
	}
	p := &part{stored: h.part, ctx: ctx, stmts: map[string]*sql.Stmt{}}
	return &Graph{content: p, part: p}, nil
}

// updateAll updates the graph to all files on disk. It reads the first paths first.
func (h *held) updateAll(ctx context.Context, progress func(Progress), first []string) (Report, error) {
	if err := h.s.open(ctx); err != nil {
		return Report{}, err
	}
	seen := h.o.Now().UnixNano()
	files, err := h.tree.onDisk(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := h.tree.readRows(ctx); err != nil {
		return Report{}, err
	}
	before, err := h.s.meta(ctx, metaIndexed)
	if err != nil {
		return Report{}, err
	}
	changed, err := h.tree.changed(ctx, files, seen)
	if err != nil {
		return Report{}, err
	}
	prioritize(changed, first)
	return h.apply(ctx, change{files: changed, gone: h.tree.gone(files), seen: seen}, func(p Progress) {
		p.First = before == ""
		progress(p)
	})
}

// updateSome updates the graph to some files on disk. Their paths may repeat, and may be of files that nobody indexes.
func (h *held) updateSome(ctx context.Context, paths []string, seen int64) (Report, error) {
	var files []found
	var gone []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		f, ok := h.tree.statPath(p)
		switch {
		case ok:
			files = append(files, f)
		case h.tree.rows[p] != nil:
			gone = append(gone, p)
		}
	}
	changed, err := h.tree.changed(ctx, files, seen)
	if err != nil {
		return Report{}, err
	}
	return h.apply(ctx, change{files: changed, gone: gone, seen: seen}, func(Progress) {})
}

// apply rebuilds what a change affects, if there is anything to do.
func (h *held) apply(ctx context.Context, c change, progress func(Progress)) (Report, error) {
	c.waiting = h.tree.stale()
	r := Report{Removed: len(c.gone), Cold: len(h.tree.rows) == 0}
	if len(c.files) == 0 && len(c.gone) == 0 && len(c.waiting) == 0 {
		r.Files = len(h.tree.rows)
		if cut, err := h.tree.interrupted(ctx); err != nil || !cut {
			return r, err
		}
	}
	return rebuild(ctx, h, c, r, progress)
}
