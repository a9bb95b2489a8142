// Package page knows where memories are in one version of a document. It resolves
// their anchors, shifts the marks by unsaved edits, and caches both. It must not know
// the client, the server or how anything is shown.
package page

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
)

// Page is a document with the memories of its folder at one moment. That of a notebook's cell is a part of the
// page of the notebook's file: Doc is the file, ranges and lines are those of the cell.
type Page struct {
	URI    uri.URI // as the client names the document
	Doc    *session.Document
	Folder *folder.Folder
	View   *memory.View
	Rel    string // relative to the folder's root
	Rev    string // the revision of an old version, "" for the current file
	snap   *session.Snapshot
	cache  *Cache
	cell   *session.Cell // nil for any other document
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
	if ctx.Err() != nil { // superseded while it waited for the processor: nobody needs its text parsed
		return nil, false
	}
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
	p := &Page{URI: u, cache: c, snap: snap, Doc: doc, Folder: f, View: v, Rel: rel, Rev: rev}
	if cell, ok := snap.Cell(u); ok {
		p.cell = &cell
	}
	return p, true
}

// resolver returns what finds the anchors of the page's file.
func (p *Page) resolver() resolver {
	return resolver{folder: p.Folder, view: p.View, rel: p.Rel, log: p.cache.opts.Log, local: p.cache.opts.LocalLog}
}

// Parsed returns the document's symbols, nil for none.
func (p *Page) Parsed(ctx context.Context) *extract.File { return p.resolver().parsed(ctx, p.Doc) }

// Text returns the text that the client shows.
func (p *Page) Text() *convert.Lines {
	if p.cell != nil {
		return p.cell.Doc.Lines
	}
	return p.Doc.Lines
}

// TextRange converts a span of the text that the client shows to a range of the client.
func (p *Page) TextRange(s Span) protocol.Range {
	return p.Text().Range(s.Start, s.End, p.snap.Encoding)
}

// ShowsFile reports whether what is about the whole file is shown on the page's first line.
func (p *Page) ShowsFile() bool { return p.cell == nil || p.cell.First() }

// Holds reports whether an offset of the document is on the page.
func (p *Page) Holds(offset int) bool { return p.cell == nil || p.cell.Holds(offset) }

// Shows reports whether a mark of the document is on the page. One that no cell of a notebook has, as of what a cell has
// printed, is shown as one of the whole file.
func (p *Page) Shows(m *Mark) bool {
	if !m.Found || m.Anchor.Kind == anchor.KindFile {
		return p.ShowsFile()
	}
	if p.Holds(m.Name.Start) {
		return true
	}
	_, elsewhere := p.snap.CellIn(p.Doc, m.Name.Start)
	return !elsewhere && p.ShowsFile()
}

// Location returns where a span is for the client.
func (p *Page) Location(s Span) protocol.Location {
	return p.snap.Location(p.Doc, s.Start, s.End)
}

// Range converts a span to a range of the client.
func (p *Page) Range(s Span) protocol.Range {
	switch {
	case p.cell != nil && !p.Holds(s.Start):
		return protocol.Range{} // of the whole file
	case p.cell != nil:
		return p.cell.Range(s.Start, s.End, p.snap.Encoding)
	}
	return p.Doc.Lines.Range(s.Start, s.End, p.snap.Encoding)
}

// Offset converts a position of the client to a byte offset.
func (p *Page) Offset(at protocol.Position) int {
	if p.cell != nil {
		return p.cell.Offset(at, p.snap.Encoding)
	}
	return p.Doc.Lines.Offset(at, p.snap.Encoding)
}

// Offsets converts a range of the client to byte offsets.
func (p *Page) Offsets(rng protocol.Range) (start, end int) {
	if p.cell != nil {
		start, end = p.Offset(rng.Start), p.Offset(rng.End)
		return min(start, end), max(start, end)
	}
	return p.Doc.Lines.Offsets(rng, p.snap.Encoding)
}

// LinesOf returns the 0-based first and last line of a span of the document, as the client counts them.
func (p *Page) LinesOf(s Span) (first, last int) {
	if p.cell != nil {
		r := p.Range(Span{s.Start, max(s.Start, s.End-1)})
		return int(r.Start.Line), int(r.End.Line)
	}
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
