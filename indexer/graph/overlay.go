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
	if ix.g == nil && len(sources) == 0 { // a graph that is loaded later has none either
		ix.wanted = nil
		return nil
	}
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
	for _, p := range slices.Sorted(maps.Keys(files)) {
		changed, err := ix.swapFile(ctx, p, files[p], renamed, due)
		if err != nil {
			return err
		}
		typesChanged = typesChanged || changed
	}
	g.mu.Lock()
	g.table.Invalidate(ix.project())
	g.table.AssignUnits()
	g.mu.Unlock()
	g.addMentioning(renamed, false, due)
	if err := ix.linkDue(ctx, due); err != nil || !typesChanged {
		return err
	}
	pairs := g.pairs
	if len(ix.overlays) > 0 {
		pairs, _ = g.table.Dispatch() // once the file is saved, its stored fault says what went wrong
	}
	g.mu.Lock()
	g.setDispatch(pairs)
	g.mu.Unlock()
	return nil
}

// swapFile replaces one file of the in-memory graph, by what is on disk if next is nil. It adds to renamed the exported names that
// changed, and to due the ids of the files to resolve anew. It reports whether types changed.
func (ix *Index) swapFile(ctx context.Context, path string, next *overlay, renamed map[string]bool, due map[int32]bool) (typesChanged bool, err error) {
	row := ix.rows[path]
	var disk *record
	if row != nil {
		if disk, err = ix.record(ctx, row.id); err != nil {
			return false, err
		}
	}
	was, now := disk, disk
	if o := ix.overlays[path]; o != nil {
		was = o.rec
	}
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
	typesChanged = !sameTypes(was, now, before, after)
	g := ix.g
	g.mu.Lock()
	g.addStranded(path, after, due)
	g.removeFile(path)
	if now != nil {
		id := int32(0)
		if row != nil {
			id = row.id
		} else {
			id = ix.nextID() + int32(len(ix.overlays)) + 1<<20 // a file that is not on disk
		}
		g.setFile(g.table.AddDeferred(path, id, now.facts, now.locals), mentions(now.facts))
		due[id] = true
	}
	g.mu.Unlock()
	if next == nil {
		delete(ix.overlays, path)
	} else {
		ix.overlays[path] = next
	}
	return typesChanged, nil
}

// linkDue resolves what files use, as they are in the editor.
func (ix *Index) linkDue(ctx context.Context, due map[int32]bool) error {
	g := ix.g
	fr := ix.newFileResolver(g)
	for _, id := range slices.Sorted(maps.Keys(due)) {
		st := g.files[id]
		if st == nil {
			continue
		}
		uses, scip := []byte(nil), ix.scip[id]
		if o := ix.overlays[st.path]; o != nil {
			uses, scip = o.uses, nil
		}
		links, err := fr.resolve(ctx, st.file, uses)
		if fault.Is(err) { // only the current text; nothing is stored
			ix.o.Log.Warn("what an unsaved file uses is not known", "file", st.path, "err", err)
		} else if err != nil {
			return err
		}
		g.mu.Lock()
		g.setLinks(id, mergeLinks(links, scip))
		g.mu.Unlock()
	}
	return nil
}
