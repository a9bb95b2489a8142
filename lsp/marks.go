package lsp

import (
	"context"
	"path"
	"sync"

	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/session"
	"manicule/memory"
)

// span is a range of bytes.
type span struct{ start, end int }

// mark is where one anchor of a memory is in one version of a document.
type mark struct {
	hit    memory.Hit
	anchor anchor.Anchor
	res    anchor.Resolution
	symbol string // the symbol's path, "" for lines and files
	found  bool   // false: orphaned; the spans say nothing
	body   span   // the declaration or the lines
	name   span   // the symbol's name, else body
	head   span   // the declaration up to its body, else body
}

// markCache keeps the marks of open documents. Resolving an anchor may parse
// and hash; it happens once for each text and each state of the memories.
type markCache struct {
	mu    sync.Mutex
	byURI map[uri.URI]*markEntry // guarded by mu
}

// markEntry holds the marks of a document's base and of its newest version.
type markEntry struct {
	mu    sync.Mutex // held while computing, so that it is done once
	view  *memory.View
	gen   uint64
	base  *session.Document
	fixed []mark
	doc   *session.Document
	moved []mark
}

func (c *markCache) entry(u uri.URI) *markEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURI == nil {
		c.byURI = make(map[uri.URI]*markEntry)
	}
	e, ok := c.byURI[u]
	if !ok {
		e = new(markEntry)
		c.byURI[u] = e
	}
	return e
}

func (c *markCache) drop(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byURI, u)
}

// page is a document with the memories that its folder had when it was asked.
type page struct {
	*request
	doc    *session.Document
	folder *folder
	view   *memory.View
	rel    string // relative to the folder's root
}

// page returns the document with its memories, false when it has none to show:
// it can't be read or belongs to no folder.
func (r *request) page(ctx context.Context, u uri.URI) (*page, bool) {
	doc, err := r.snap.Read(ctx, u)
	if err != nil {
		r.opts.Log.Debug("read document", "err", err)
		return nil, false
	}
	f, rel, ok := r.folders.owner(ctx, doc.Path)
	if !ok {
		return nil, false
	}
	return &page{request: r, doc: doc, folder: f, view: f.mem.View(), rel: rel}, true
}

// marks returns where the document's anchors are.
func (p *page) marks(ctx context.Context) []mark {
	hits := p.view.Anchored(p.rel)
	if len(hits) == 0 {
		return nil
	}
	if !p.doc.Open {
		return p.resolveAll(ctx, p.doc, hits)
	}
	e := p.server.marks.entry(p.doc.URI)
	e.mu.Lock()
	defer e.mu.Unlock()
	base := p.doc.Base()
	if e.base != base || e.view != p.view || e.gen != p.view.Generation() {
		e.fixed = p.resolveAll(ctx, base, hits)
		e.base, e.view, e.gen, e.doc = base, p.view, p.view.Generation(), base
		e.moved = e.fixed
	}
	if e.doc != p.doc {
		e.moved = p.moveAll(ctx, e.fixed)
		e.doc = p.doc
	}
	return e.moved
}

// resolveAll finds every anchor that names the document in its text.
func (p *page) resolveAll(ctx context.Context, doc *session.Document, hits []memory.Hit) []mark {
	f, err := doc.Parsed(ctx)
	if err != nil {
		p.opts.Log.Warn("parse", "err", err) // file and line anchors still resolve
	}
	var marks []mark
	for _, h := range hits {
		for _, a := range h.Memory.Anchors {
			if path.Clean(a.Path) == p.rel {
				marks = append(marks, resolve(h, a, f, doc))
			}
		}
	}
	return marks
}

func resolve(h memory.Hit, a anchor.Anchor, f *extract.File, doc *session.Document) mark {
	m := mark{hit: h, anchor: a, res: anchor.Resolve(a, f, doc.Text())}
	if a.Kind == anchor.KindFile {
		m.found = m.res.State != anchor.Orphaned
		return m
	}
	if m.res.State == anchor.Orphaned || m.res.End > len(doc.Text()) || m.res.Start > m.res.End {
		return m
	}
	m.found = true
	m.body = span{m.res.Start, m.res.End}
	m.name, m.head = m.body, m.body
	if a.Declared() && f != nil {
		m.symbol = a.Symbol
		if sym, ok := symbolAt(f, m.res.Start, a.Symbol); ok {
			m.symbol = sym.Path
			m.name = span{sym.NameStart, sym.NameEnd}
			m.head = span{sym.Start, headEnd(doc.Text(), sym)}
		}
	}
	return m
}

// symbolAt returns the symbol that starts at offset, the one with the path
// first where several do (a declaration of several names).
func symbolAt(f *extract.File, offset int, path string) (extract.Symbol, bool) {
	var found extract.Symbol
	ok := false
	for _, s := range f.Symbols {
		if s.Start != offset && s.DocStart != offset {
			continue
		}
		if s.Path == path {
			return s, true
		}
		if !ok {
			found, ok = s, true
		}
	}
	return found, ok
}

// headEnd returns the end of a declaration's signature: the signature is the
// source up to the body with its white space folded, so its other bytes are
// counted off.
func headEnd(text []byte, sym extract.Symbol) int {
	at := sym.Start
	for i := 0; i < len(sym.Signature); i++ {
		if isSpace(sym.Signature[i]) {
			continue
		}
		for at < sym.End && isSpace(text[at]) {
			at++
		}
		if at >= sym.End || text[at] != sym.Signature[i] {
			return max(sym.NameEnd, sym.Start) // not the source's own bytes
		}
		at++
	}
	return max(at, sym.NameEnd)
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// moveAll carries marks of the base to the present version by the client's own
// edits. A mark whose code was deleted or replaced as a whole is looked for
// again, and so is one that the base did not have.
func (p *page) moveAll(ctx context.Context, fixed []mark) []mark {
	moved := make([]mark, 0, len(fixed))
	for _, m := range fixed {
		if !m.carry(p.doc) {
			f, err := p.doc.Parsed(ctx)
			if err != nil {
				p.opts.Log.Warn("parse", "err", err)
			}
			m = resolve(m.hit, m.anchor, f, p.doc)
		}
		moved = append(moved, m)
	}
	return moved
}

// carry moves the mark by the edits since the base, false when it is lost.
func (m *mark) carry(doc *session.Document) bool {
	if !m.found {
		return false
	}
	if m.anchor.Kind == anchor.KindFile {
		return true
	}
	body, ok := moveSpan(doc, m.body)
	if !ok {
		return false
	}
	name, ok := moveSpan(doc, m.name)
	if !ok { // renamed: the first line of the declaration stands for the name
		name = span{body.start, body.start}
	}
	head, ok := moveSpan(doc, m.head)
	if !ok {
		head = name
	}
	m.body, m.name, m.head = body, name, head
	return true
}

func moveSpan(doc *session.Document, s span) (span, bool) {
	start, end, ok := doc.Moved(s.start, s.end)
	return span{start, end}, ok
}

// lines returns the 0-based first and last line of a span of the document.
func (p *page) lines(s span) (first, last int) {
	return p.doc.Lines.Line(s.start), p.doc.Lines.Line(max(s.start, s.end-1))
}

// at returns the marks that a position on a line shows: a symbol's while the
// line is part of its signature, lines' while it is one of them.
func (p *page) at(marks []mark, line int) []mark {
	var here []mark
	for _, m := range marks {
		if !m.found || m.anchor.Kind == anchor.KindFile {
			continue
		}
		if first, last := p.lines(m.head); first <= line && line <= last {
			here = append(here, m)
		}
	}
	return here
}

// fileHits returns the memories of the document as a whole, recall's order,
// and how many more apply to the whole project.
func (p *page) fileHits() (hits []memory.Hit, project int) {
	for _, h := range p.view.ForPath(p.rel, false) {
		if h.Match >= memory.MatchScope {
			hits = append(hits, h)
		} else if h.Match == memory.MatchProject {
			project++
		}
	}
	return hits, project
}
