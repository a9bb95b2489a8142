package graph

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/resolve"
)

// Source is the text of an unsaved buffer. Its owner knows what was edited in it
// and need not parse it from the start.
type Source interface {
	Text() []byte // must not be changed
	Facts(ctx context.Context) (*extract.Facts, error)
}

// overlay is an unsaved buffer as the graph in memory sees it.
type overlay struct {
	text []byte
	rec  *record // nil where it can't be indexed
	uses []byte
}

// Overlay sets the unsaved buffers: paths with their sources, which the questions
// see from now on and the database does not. A path that is not among them
// means what is on disk again. Only what differs from the last call costs.
func (ix *Index) Overlay(ctx context.Context, sources map[string]Source) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if _, err := ix.graph(ctx); err != nil {
		return err
	}
	ix.wanted = sources
	return ix.applyOverlays(ctx)
}

// withoutOverlays runs f on the graph as it is on disk.
func (ix *Index) withoutOverlays(ctx context.Context, f func() error) error {
	wanted := ix.wanted
	ix.wanted = nil
	err := ix.applyOverlays(ctx)
	if err == nil {
		err = f()
	}
	ix.wanted = wanted
	if len(wanted) == 0 || ix.g == nil {
		return err
	}
	return errors.Join(err, ix.applyOverlays(ctx))
}

// applyOverlays brings the graph in memory from the overlays that it has to
// those that are wanted.
func (ix *Index) applyOverlays(ctx context.Context) error {
	if ix.g == nil {
		ix.overlays = nil
		return nil
	}
	swap := map[string]*overlay{} // nil: back to the disk
	for p := range ix.overlays {
		if _, ok := ix.wanted[p]; !ok {
			swap[p] = nil
		}
	}
	for p, source := range ix.wanted {
		text := source.Text()
		if was := ix.overlays[p]; was != nil && bytes.Equal(was.text, text) {
			continue
		}
		if languageOf(p) == "" || ix.ignored != nil && ix.ignored.Ignored(p, false) {
			continue
		}
		o := &overlay{text: text}
		if skipReason(p, text) == "" {
			facts, err := source.Facts(ctx)
			if err != nil && ctx.Err() != nil {
				return err
			}
			if err == nil {
				o.rec, o.uses = &record{facts: facts}, encodeUses(newWriter(), facts)
			}
		}
		swap[p] = o
	}
	if len(swap) == 0 {
		return nil
	}
	return ix.swap(ctx, swap)
}

// swap exchanges files of the graph in memory and resolves what that touches.
func (ix *Index) swap(ctx context.Context, files map[string]*overlay) error {
	g := ix.g
	renamed, due := map[string]bool{}, map[int32]bool{}
	typesChanged := false
	if ix.overlays == nil {
		ix.overlays = map[string]*overlay{}
	}
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		row := ix.rows[p]
		var disk *record
		var err error
		if row != nil {
			if disk, err = ix.record(ctx, row.id); err != nil {
				return err
			}
		}
		was := disk
		if o := ix.overlays[p]; o != nil {
			was = o.rec
		}
		next := files[p]
		now := disk
		if next != nil {
			if now = next.rec; now != nil {
				assignIDs(now, disk)
			}
		}
		before, after := map[string]string{}, map[string]string{}
		if was != nil {
			before = exportedAPI(was)
		}
		if now != nil {
			after = exportedAPI(now)
		}
		for n := range changedNames(before, after) {
			renamed[n] = true
		}
		typesChanged = typesChanged || !sameTypes(was, now, before, after)
		g.mu.Lock()
		g.addStranded(p, after, due)
		g.removeFile(p)
		if now != nil {
			id := int32(0)
			if row != nil {
				id = row.id
			} else {
				id = ix.nextID() + int32(len(ix.overlays)) + 1<<20 // a file that is not on disk
			}
			g.setFile(g.table.AddDeferred(p, id, now.facts, now.locals), mentions(now.facts))
			due[id] = true
		}
		g.mu.Unlock()
		if next == nil {
			delete(ix.overlays, p)
		} else {
			ix.overlays[p] = next
		}
	}
	g.mu.Lock()
	g.table.Invalidate(ix.project())
	g.table.AssignUnits()
	g.mu.Unlock()
	g.addMentioning(renamed, false, due)
	rr := resolve.NewResolver(g.table)
	for _, id := range sortedIDs(due) {
		st := g.files[id]
		if st == nil {
			continue
		}
		var uses []byte
		if o := ix.overlays[st.path]; o != nil {
			uses = o.uses
		}
		links, err := ix.resolveOne(ctx, rr, st.file, uses)
		if fault.Is(err) { // the text of now alone: nothing is kept of it
			ix.o.Log.Warn("what an unsaved file uses is not known", "file", st.path, "err", err)
		} else if err != nil {
			return err
		}
		scip := ix.scip[id]
		if ix.overlays[st.path] != nil {
			scip = nil
		}
		g.mu.Lock()
		g.setLinks(id, mergeLinks(links, scip))
		g.mu.Unlock()
	}
	if typesChanged {
		pairs := g.pairs
		if len(ix.overlays) > 0 {
			pairs, _ = g.table.Dispatch() // what is kept of the file once it is saved says what went wrong
		}
		g.mu.Lock()
		g.setDispatch(pairs)
		g.mu.Unlock()
	}
	return nil
}

func sortedIDs(set map[int32]bool) []int32 {
	out := make([]int32, 0, len(set))
	for id := range set {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
