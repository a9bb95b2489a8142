package lsp

import (
	"context"
	"iter"
	"path"
	"slices"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"

	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/convert"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// span is a range of bytes.
type span struct{ start, end int }

// mark is where one anchor of a memory is in one version of a document.
type mark struct {
	hit     memory.Hit
	index   int // of the anchor among the memory's
	anchor  anchor.Anchor
	res     anchor.Resolution
	symbol  string // the symbol's path, "" for lines and files
	found   bool   // false: orphaned, or deleted; the spans say nothing
	deleted bool   // its code is gone from the text in the editor, which is not saved: nothing is decided yet
	pasted  bool   // its code was cut from another document and pasted here, and not both are saved: the same
	body    span   // the declaration or the lines
	name    span   // the symbol's name, else body
	head    span   // the declaration up to its body, else body
}

// page is a document with the memories that its folder had when it was opened.
type page struct {
	doc    *session.Document
	folder *folder.Folder
	view   *memory.View
	rel    string // relative to the folder's root
	rev    string // of an old version that is shown, "" for the file as it is
	snap   *session.Snapshot
	cache  *pageCache
}

// Open returns a document of a snapshot with its memories, false when it has none
// to show: it can't be read or belongs to no folder.
func (c *pageCache) Open(ctx context.Context, snap *session.Snapshot, u uri.URI) (*page, bool) {
	doc, err := snap.Read(ctx, u)
	if err != nil {
		c.opts.LocalLog.Debug("read document", "err", err)
		return nil, false
	}
	at, rev := doc.Path, ""
	if at == "" {
		at, rev, _ = convert.RevisionFrom(u)
	}
	f, rel, ok := c.opts.Folders.Owner(ctx, at)
	if !ok {
		return nil, false
	}
	return &page{cache: c, snap: snap, doc: doc, folder: f, view: f.Memories.View(), rel: rel, rev: rev}, true
}

// Range returns a span of the document in the client's units.
func (p *page) Range(s span) protocol.Range {
	return p.doc.Lines.Range(s.start, s.end, p.snap.Encoding)
}

// Offset returns where a position of the client is.
func (p *page) Offset(at protocol.Position) int {
	return p.doc.Lines.Offset(at, p.snap.Encoding)
}

// Offsets returns where a range of the client begins and ends.
func (p *page) Offsets(rng protocol.Range) (start, end int) {
	return p.doc.Lines.Offsets(rng, p.snap.Encoding)
}

// resolveAll finds the anchors that are in a version of the document.
func (p *page) resolveAll(ctx context.Context, doc *session.Document) []mark {
	if p.folder.Tracker != nil {
		return p.resolveTracked(ctx, doc)
	}
	return p.resolveRecords(ctx, doc)
}

// resolveTracked asks the tracker for the anchors that are in the document.
func (p *page) resolveTracked(ctx context.Context, doc *session.Document) []mark {
	untracked := p.untracked() // before, lest the tracker comes to know one in between
	live, err := p.folder.Tracker.ResolveText(ctx, p.source(ctx, doc))
	if err != nil {
		if ctx.Err() == nil {
			p.cache.opts.Log.Warn("look for anchors", "file", p.rel, "err", err)
		}
		return p.resolveRecords(ctx, doc)
	}
	known := func(h memory.Hit) bool {
		return slices.ContainsFunc(live, func(l follow.Live) bool { return l.Memory == h.Memory.UUID })
	}
	marks := p.resolveHits(ctx, doc, slices.DeleteFunc(untracked, known))
	if len(live) == 0 {
		return marks
	}
	f := p.parsed(ctx, doc)
	for _, l := range live {
		h, ok := p.view.Get(l.Memory)
		if !ok {
			continue // it was forgotten meanwhile
		}
		h.Match = memory.MatchAnchor
		l.Resolution = p.movedBySave(p.keepState(l, doc), l, f)
		if gone := l.Path != "" && l.Path != p.rel; gone {
			continue
		}
		marks = append(marks, markAt(mark{hit: h, index: l.Index, anchor: l.Anchor, res: l.Resolution}, f, doc))
	}
	return marks
}

// source is a document as the tracker takes it: parsed once for both.
func (p *page) source(ctx context.Context, doc *session.Document) *anchor.Source {
	if doc.Lang == "" {
		return follow.Text(p.rel, doc.Text(), nil)
	}
	return follow.Text(p.rel, doc.Text(), func() (*extract.File, *extract.Tree) {
		f, t, err := doc.Read(ctx)
		if err != nil {
			p.cache.opts.LocalLog.Warn("parse", "err", err) // file and line anchors still resolve
		}
		return f, t
	})
}

// untracked returns the memories that the tracker has yet to look for, since they
// were written just now. Their anchors are where their records say.
func (p *page) untracked() []memory.Hit {
	known := func(h memory.Hit) bool { return len(p.folder.Tracker.Of(h.Memory.UUID)) > 0 }
	return slices.DeleteFunc(p.view.Anchored(p.rel), known)
}

// keepState returns a resolution with the state that was noted before, while the
// code does not parse or git is in the middle of something: that is no reason to
// trust a memory less than before.
func (p *page) keepState(l follow.Live, doc *session.Document) anchor.Resolution {
	res := l.Resolution
	was, ok := p.folder.LastPlace(l.Memory, l.Index)
	if !ok || was.State == res.State {
		if ok && res.Suggestion == nil { // one in another file, which a single text can't know
			res.Suggestion = resolutionOf(was).Suggestion
		}
		return res
	}
	if !res.Unsettled && !p.folder.GitBusy() {
		return res
	}
	if res.State == anchor.Orphaned && was.State != anchor.Orphaned { // where it was is the best guess
		res.Path, res.Symbol, res.Ordinal = was.Path, was.Symbol, was.Ordinal
		last := doc.Lines.Count() - 1
		first := min(max(was.Line-1, 0), last)
		res.Start, res.End = doc.Lines.Start(first), doc.Lines.End(min(max(was.EndLine-1, first), last))
	}
	res.State, res.Reason, res.Confidence = was.State, was.Reason, was.Confidence
	return res
}

// movedBySave returns a resolution, or for a lost anchor where a person's edits had
// moved it when the file was saved: nothing in the text alone says so.
func (p *page) movedBySave(res anchor.Resolution, l follow.Live, f *extract.File) anchor.Resolution {
	was, ok := p.folder.LastPlace(l.Memory, l.Index)
	if res.State != anchor.Orphaned || !ok || was.State != anchor.Followed || was.Path != p.rel || f == nil {
		return res
	}
	if sym, there := f.Find(was.Symbol, was.Ordinal); there {
		res = resolutionOf(was)
		res.Start, res.End = sym.Start, sym.End
	}
	return res
}

// Parsed returns the document's symbols, nil where there are none.
func (p *page) Parsed(ctx context.Context) *extract.File { return p.parsed(ctx, p.doc) }

func (p *page) parsed(ctx context.Context, doc *session.Document) *extract.File {
	f, err := doc.Parsed(ctx)
	if err != nil {
		p.cache.opts.LocalLog.Warn("parse", "err", err) // file and line anchors still resolve
	}
	return f
}

// resolveRecords finds every anchor whose record names the document.
func (p *page) resolveRecords(ctx context.Context, doc *session.Document) []mark {
	return p.resolveHits(ctx, doc, p.view.Anchored(p.rel))
}

// resolveHits finds the anchors of some memories whose records name the document.
func (p *page) resolveHits(ctx context.Context, doc *session.Document, hits []memory.Hit) []mark {
	if len(hits) == 0 {
		return nil
	}
	f := p.parsed(ctx, doc)
	var marks []mark
	for _, h := range hits {
		for i, a := range h.Memory.Anchors {
			if path.Clean(a.Path) == p.rel {
				marks = append(marks, resolve(mark{hit: h, index: i, anchor: a}, f, doc))
			}
		}
	}
	return marks
}

func resolve(m mark, f *extract.File, doc *session.Document) mark {
	m.res = anchor.Resolve(m.anchor, f, doc.Text())
	return markAt(m, f, doc)
}

// markAt gives a mark the spans that its resolution leads to.
func markAt(m mark, f *extract.File, doc *session.Document) mark {
	if m.anchor.Kind == anchor.KindFile {
		m.found = m.res.State != anchor.Orphaned
		return m
	}
	if m.res.State == anchor.Orphaned || m.res.End > len(doc.Text()) || m.res.Start > m.res.End {
		return m
	}
	m.found = true
	m.body = span{m.res.Start, m.res.End}
	m.name, m.head = m.body, m.body
	if m.anchor.Declared() && f != nil {
		m.symbol = m.anchor.Symbol
		if m.res.Symbol != "" {
			m.symbol = m.res.Symbol
		}
		if sym, ok := symbolAt(f, m.res.Start, m.symbol); ok {
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

// LinesOf returns the 0-based first and last line of a span of the document.
func (p *page) LinesOf(s span) (first, last int) {
	return p.doc.Lines.Line(s.start), p.doc.Lines.Line(max(s.start, s.end-1))
}

// MarksOn returns those of some marks that a line shows: a symbol's on the lines of
// its signature, lines' on each of them.
func (p *page) MarksOn(marks []mark, line int) []*mark {
	var here []*mark
	for i := range marks {
		m := &marks[i]
		if !m.found || m.anchor.Kind == anchor.KindFile {
			continue
		}
		if first, last := p.LinesOf(m.head); first <= line && line <= last {
			here = append(here, m)
		}
	}
	return here
}

// whole is what applies to a document as a whole.
type whole struct {
	Project int // how many more memories apply to the whole project

	key key    // without a base
	all []mark // one for each memory, without a place, in recall's order
}

// Len is how many memories may apply to the document as a whole.
func (w *whole) Len() int { return len(w.all) }

// Whole returns what applies to the document as a whole. An open document's is
// cached until memories change: to choose among hundreds of them and to sort them
// is most of what a hover or the lenses cost.
func (p *page) Whole() *whole {
	if p.rev != "" || !p.doc.Open {
		return p.chooseWhole()
	}
	e, now := p.cache.entry(p.doc.URI), p.key()
	now.base = nil
	if w := e.whole.Load(); w != nil && w.key == now {
		return w
	}
	w := p.chooseWhole()
	w.key = now
	e.whole.Store(w)
	return w
}

func (p *page) chooseWhole() *whole {
	w := new(whole)
	for _, h := range p.view.ForPath(p.rel, false) {
		if h.Match >= memory.MatchScope {
			w.all = append(w.all, mark{hit: h, res: anchor.Resolution{State: anchor.Fresh}})
		} else if h.Match == memory.MatchProject {
			w.Project++
		}
	}
	return w
}

// Marks are those of the memories that still apply to the page: the code of others
// went to other files meanwhile. Requests share them: they must not be written to.
func (w *whole) Marks(p *page) iter.Seq[*mark] {
	return func(yield func(*mark) bool) {
		for i := range w.all {
			m := &w.all[i]
			if m.hit.Match == memory.MatchAnchor && p.left(m.hit) {
				continue
			}
			if !yield(m) {
				return
			}
		}
	}
}

// left reports whether all anchors that a memory has in the document are now in
// other files. A memory with a scope applies by that, too.
func (p *page) left(h memory.Hit) bool {
	if p.folder.Tracker == nil || h.Memory.Scope != nil {
		return false
	}
	places := p.folder.Tracker.Of(h.Memory.UUID)
	return len(places) > 0 && !slices.ContainsFunc(places, func(at follow.Place) bool { return at.Path == p.rel })
}

// resolutionOf is the part of a place that says what became of its code.
func resolutionOf(p follow.Place) anchor.Resolution {
	r := anchor.Resolution{
		State: p.State, Reason: p.Reason, Path: p.Path, Symbol: p.Symbol, Ordinal: p.Ordinal, Line: p.Line, EndLine: p.EndLine, Confidence: p.Confidence,
	}
	if p.Suggestion != nil {
		r.Suggestion = &anchor.Suggestion{Path: p.Suggestion.Path, Symbol: p.Suggestion.Symbol, Ordinal: p.Suggestion.Ordinal, Confidence: p.Suggestion.Confidence}
	}
	return r
}
