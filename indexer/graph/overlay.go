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
	h := ix.held
	if h.g == nil && len(sources) == 0 { // a graph that is loaded later has none either
		h.wanted = nil
		return nil
	}
	if _, err := h.graph(ctx); err != nil {
		return err
	}
	h.wanted = sources
	return h.applyOverlays(ctx)
}

// withoutOverlays runs f on the graph as it is on disk.
func (h *held) withoutOverlays(ctx context.Context, f func() error) error {
	wanted := h.wanted
	h.wanted = nil
	err := h.applyOverlays(ctx)
	if err == nil {
		err = f()
	}
	h.wanted = wanted
	if len(wanted) == 0 || h.g == nil {
		return err
	}
	return errors.Join(err, h.applyOverlays(ctx))
}

// withMoreOverlays runs f on the graph as it would be with other texts of some files.
func (h *held) withMoreOverlays(ctx context.Context, texts map[string]Source, f func()) (err error) {
	wanted := h.wanted
	h.wanted = make(map[string]Source, len(wanted)+len(texts))
	maps.Copy(h.wanted, wanted)
	maps.Copy(h.wanted, texts)
	defer func() {
		h.wanted = wanted
		err = errors.Join(err, h.applyOverlays(context.WithoutCancel(ctx)))
	}()
	if err := h.applyOverlays(ctx); err != nil {
		return err
	}
	f()
	return nil
}

// applyOverlays updates the in-memory graph from the applied overlays to the requested
// ones.
func (h *held) applyOverlays(ctx context.Context) error {
	if h.g == nil {
		h.overlays, h.half = nil, nil
		return nil
	}
	files := map[string]*overlay{} // to replace; nil: back to the disk
	for p := range h.overlays {
		if _, ok := h.wanted[p]; !ok {
			files[p] = nil
		}
	}
	for p, source := range h.wanted {
		text := source.Text()
		if was := h.overlays[p]; was != nil && bytes.Equal(was.text, text) {
			continue
		}
		if languageOf(p) == "" || h.tree.ignores(p) {
			continue
		}
		o, err := newOverlay(ctx, p, text, source)
		if err != nil {
			return err
		}
		files[p] = o
	}
	if len(files) == 0 && h.half == nil {
		return nil
	}
	if h.overlays == nil {
		h.overlays = map[string]*overlay{}
	}
	if h.half == nil {
		h.half = &swap{held: h, changed: newMeanings(), due: map[int32]bool{}}
	}
	if err := h.half.run(ctx, files); err != nil {
		return err // the question was cancelled, perhaps; the next one goes on
	}
	h.half = nil
	return nil
}

// newOverlay parses the text of a source, unless it can't be indexed.
func newOverlay(ctx context.Context, path string, text []byte, source Source) (*overlay, error) {
	o := &overlay{text: text}
	if skipReason(path, text) != "" {
		return o, nil
	}
	facts, err := source.Facts(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err == nil {
		o.rec, o.uses = &record{facts: facts}, encodeUses(newWriter(), facts)
	}
	return o, nil
}

// swap replaces files of the in-memory graph by unsaved buffers, or by what is on disk. While it does it
// collects what that affects, and resolves that at the end. If it was cancelled, it can run again.
type swap struct {
	held *held

	changed meanings
	due     map[int32]bool // ids of the files to resolve again
}

// run replaces files, by what is on disk where there is no overlay.
func (sw *swap) run(ctx context.Context, files map[string]*overlay) error {
	g := sw.held.g
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if err := sw.replace(ctx, p, files[p]); err != nil {
			return err
		}
	}
	g.mu.Lock()
	g.table.Invalidate(sw.held.tree.project())
	g.table.AssignUnits()
	g.mu.Unlock()
	sw.changed.expand(g.table)
	g.addMentioning(sw.changed.names, false, sw.due)
	if err := sw.link(ctx); err != nil || !sw.changed.methods {
		return err
	}
	pairs := g.pairs
	if len(sw.held.overlays) > 0 {
		pairs, _ = g.table.Dispatch() // once the file is saved, its stored fault says what went wrong
	}
	g.mu.Lock()
	g.setDispatch(pairs)
	g.mu.Unlock()
	return nil
}

// replace replaces one file, by what is on disk if next is nil.
func (sw *swap) replace(ctx context.Context, path string, next *overlay) error {
	h, g := sw.held, sw.held.g
	row := h.tree.rows[path]
	var disk *record
	if row != nil {
		var err error
		if disk, err = h.s.record(ctx, row.id); err != nil {
			return err
		}
	}
	was, now := disk, disk
	if o := h.overlays[path]; o != nil {
		was = o.rec
	}
	if next != nil {
		if now = next.rec; now != nil {
			assignIDs(now, disk)
		}
	}
	after := sw.changed.replaced(path, was, now)
	g.mu.Lock()
	g.addStranded(path, after, sw.due)
	g.removeFile(path)
	if now != nil {
		var id int32
		if row != nil {
			id = row.id
		} else { // not on disk
			id = h.tree.nextID() + 1<<20
			for g.files[id] != nil { // another such file
				id++
			}
		}
		g.setFile(g.table.AddDeferred(path, id, now.facts, now.locals), mentions(now.facts))
		sw.due[id] = true
	}
	g.mu.Unlock()
	if next == nil {
		delete(h.overlays, path)
	} else {
		h.overlays[path] = next
	}
	return nil
}

// link resolves what the files that are due use, as they are in the editor.
func (sw *swap) link(ctx context.Context) error {
	h, g := sw.held, sw.held.g
	fr := newFileResolver(h.s, g)
	for _, id := range slices.Sorted(maps.Keys(sw.due)) {
		st := g.files[id]
		if st == nil {
			continue
		}
		uses, scip := []byte(nil), h.scip[id]
		if o := h.overlays[st.path]; o != nil {
			uses, scip = o.uses, nil
		}
		links, err := fr.resolve(ctx, st.file, uses)
		if fault.Is(err) { // only the current text; nothing is stored
			h.o.Log.Warn("what an unsaved file uses is not known", "file", st.path, "err", err)
		} else if err != nil {
			return err
		}
		g.mu.Lock()
		g.setLinks(id, mergeLinks(links, scip))
		g.mu.Unlock()
	}
	return nil
}
