// Package page knows where memories are in one version of a document. It resolves
// their anchors, shifts the marks by unsaved edits, and caches both. It must not know
// the client, the server or how anything is shown.
package page

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
)

// Page is a document with the memories of its folder at one moment.
type Page struct {
	Doc    *session.Document
	Folder *folder.Folder
	View   *memory.View
	Rel    string // relative to the folder's root
	Rev    string // the revision of an old version, "" for the current file
	snap   *session.Snapshot
	cache  *Cache
}

// Open returns a document of a snapshot with its memories. It returns false if the
// document can't be read or belongs to no folder.
func (c *Cache) Open(ctx context.Context, snap *session.Snapshot, u uri.URI) (*Page, bool) {
	return c.open(ctx, snap, u, c.opts.Folders.Owner, func(f *folder.Folder, _ string) (*memory.View, error) {
		return f.Memories.View(), nil
	})
}

// OpenEarly is Open without waiting until all memories are read. The view of the page
// may hold only the memories of this document.
func (c *Cache) OpenEarly(ctx context.Context, snap *session.Snapshot, u uri.URI) (*Page, bool) {
	return c.open(ctx, snap, u, c.opts.Folders.EarlyOwner, func(f *folder.Folder, rel string) (*memory.View, error) {
		return f.EarlyView(ctx, rel)
	})
}

// owner returns the folder of a path, as [folder.Set.Owner] does.
type owner func(ctx context.Context, path string) (f *folder.Folder, rel string, ok bool)

func (c *Cache) open(
	ctx context.Context, snap *session.Snapshot, u uri.URI, owner owner, view func(f *folder.Folder, rel string) (*memory.View, error),
) (*Page, bool) {
	doc, err := snap.Read(ctx, u)
	if err != nil {
		c.opts.LocalLog.Debug("read document", "err", err)
		return nil, false
	}
	at, rev := doc.Path, ""
	if at == "" {
		at, rev, _ = convert.RevisionFrom(u)
	}
	f, rel, ok := owner(ctx, at)
	if !ok {
		return nil, false
	}
	if rev == "" {
		rel = f.RealRel(rel)
	}
	v, err := view(f, rel)
	if err != nil {
		return nil, false
	}
	return &Page{cache: c, snap: snap, Doc: doc, Folder: f, View: v, Rel: rel, Rev: rev}, true
}

// Range converts a span to a range of the client.
func (p *Page) Range(s Span) protocol.Range {
	return p.Doc.Lines.Range(s.Start, s.End, p.snap.Encoding)
}

// Offset converts a position of the client to a byte offset.
func (p *Page) Offset(at protocol.Position) int {
	return p.Doc.Lines.Offset(at, p.snap.Encoding)
}

// Offsets converts a range of the client to byte offsets.
func (p *Page) Offsets(rng protocol.Range) (start, end int) {
	return p.Doc.Lines.Offsets(rng, p.snap.Encoding)
}

// LinesOf returns the 0-based first and last line of a span of the document.
func (p *Page) LinesOf(s Span) (first, last int) {
	return p.Doc.Lines.Line(s.Start), p.Doc.Lines.Line(max(s.Start, s.End-1))
}

// MarksOn returns the marks to show on a line. A symbol's mark is on the lines of its
// signature, a mark of lines is on each of them.
func (p *Page) MarksOn(marks []Mark, line int) []*Mark {
	var here []*Mark
	for i := range marks {
		m := &marks[i]
		if !m.Found || m.Anchor.Kind == anchor.KindFile {
			continue
		}
		if first, last := p.LinesOf(m.Head); first <= line && line <= last {
			here = append(here, m)
		}
	}
	return here
}
