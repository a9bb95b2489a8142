package page

import (
	"context"
	"errors"
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/sorting"
	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// RevisionPlace is the place of an anchor in an old version, with the memory as it was
// then.
type RevisionPlace struct {
	follow.Place
	Hit memory.Hit
}

// AtRevision returns a page for a file at a revision, without its text.
func (c *Cache) AtRevision(f *folder.Folder, rel, rev string) *Page {
	return &Page{cache: c, Folder: f, View: f.Memories.View(), Rel: rel, Rev: rev}
}

// PlacesAt returns the anchors in the file at the page's revision.
func (p *Page) PlacesAt(ctx context.Context) ([]RevisionPlace, error) {
	if p.Folder.Tracker == nil {
		return nil, folder.ErrNoTracker
	}
	if p.cache.opts.Commit == nil {
		return nil, errors.New("this server can't show memories in old versions: it has no git repository to read")
	}
	commit, err := p.cache.opts.Commit(ctx, p.Folder.Memories.Root(), p.Rev)
	if err != nil {
		return nil, err
	}
	var out []RevisionPlace
	for _, h := range p.resolver().candidates() {
		then, places, err := p.Folder.Tracker.At(ctx, h.Memory, commit)
		if err != nil {
			return nil, err
		}
		h.Memory = then
		for _, at := range places {
			if at.Path == p.Rel && at.State != anchor.Orphaned && at.State != "" {
				out = append(out, RevisionPlace{at, h})
			}
		}
	}
	sorting.StableFunc(out, func(a, b RevisionPlace) int { return a.Line - b.Line })
	return out, nil
}

// candidates returns the memories that may have been in the file: those with an anchor
// whose record names the file, or that is in it now.
func (r resolver) candidates() []memory.Hit {
	hits := r.view.Anchored(r.rel)
	for _, at := range r.folder.Tracker.In(r.rel) {
		if h, ok := r.view.GetLive(at.Memory); ok && !slices.ContainsFunc(hits, func(o memory.Hit) bool { return o.Memory.UUID == h.Memory.UUID }) {
			hits = append(hits, h)
		}
	}
	return hits
}

// revisionMarks returns the marks of an old version, whose text the client has.
func (p *Page) revisionMarks(ctx context.Context) []Mark {
	places, err := p.PlacesAt(ctx)
	if err != nil {
		if ctx.Err() == nil {
			p.cache.opts.LocalLog.Info("show memories in an old version", "file", p.Rel, "rev", p.Rev, "err", err)
		}
		return nil
	}
	f := p.Parsed(ctx)
	var marks []Mark
	for _, at := range places {
		m := Mark{Hit: at.Hit, Index: at.Index, Anchor: at.Anchor, Symbol: at.Symbol}
		m.Resolution = ResolutionOf(at.Place)
		m.Resolution.Suggestion = nil
		m.Resolution.Start, m.Resolution.End = spanOf(p.Doc, at.Place, f)
		marks = append(marks, markAt(m, f, p.Doc))
	}
	return marks
}

// spanOf returns the span of a place: of its declaration if the text has it, else of
// its lines.
func spanOf(doc *session.Document, at follow.Place, f *extract.File) (start, end int) {
	if f != nil && at.Anchor.HasSymbol() {
		if sym, ok := f.Find(at.Symbol, at.Ordinal); ok {
			return sym.Start, sym.End
		}
	}
	last := doc.Lines.Count() - 1
	first := min(max(at.Line-1, 0), last)
	return doc.Lines.Start(first), doc.Lines.End(min(max(at.EndLine-1, first), last))
}
