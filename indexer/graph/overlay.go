package graph

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
)

// Source is the text of an unsaved buffer. Its owner knows the edits and can parse
// incrementally.
type Source interface {
	Text() []byte // must not be modified
	Facts(ctx context.Context) (*extract.Facts, error)
}

// overlay is an unsaved buffer in the in-memory graph.
type overlay struct {
	text []byte
	rec  *record // nil if it can't be indexed
	uses []byte
}

// Overlay sets the unsaved buffers by path. Queries see them from now on; the database
// does not. A path that is not listed returns to its content on disk. Only differences
// from the last call cost time.
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

// applyOverlays updates the in-memory graph from the applied overlays to the requested
// ones.
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

// swap replaces files of the in-memory graph and resolves what that affects.
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
	fr := ix.newFileResolver(g)
	for _, id := range slices.Sorted(maps.Keys(due)) {
		st := g.files[id]
		if st == nil {
			continue
		}
		var uses []byte
		if o := ix.overlays[st.path]; o != nil {
			uses = o.uses
		}
		links, err := fr.resolve(ctx, st.file, uses)
		if fault.Is(err) { // only the current text; nothing is stored
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
			pairs, _ = g.table.Dispatch() // once the file is saved, its stored fault says what went wrong
		}
		g.mu.Lock()
		g.setDispatch(pairs)
		g.mu.Unlock()
	}
	return nil
}
