package lsp

import (
	"bytes"
	"context"
	"reflect"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/session"
	"manicule/memory/follow"
)

// shiftAll shifts marks of a document's base by the edits that made the document
// of it.
func (p *page) shiftAll(ctx context.Context, base []mark, doc *session.Document) []mark {
	out := make([]mark, 0, len(base))
	for _, m := range base {
		if !m.shift(doc) {
			m = p.relocate(ctx, m, doc)
		}
		out = append(out, m)
	}
	return out
}

// shift moves the mark by the edits since the base, false when its code is gone.
func (m *mark) shift(doc *session.Document) bool {
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

// relocate looks for a mark whose code the edits deleted as a whole, or that the
// base did not have. Its code may have come back, by an undo or a paste, or may
// have been replaced by another declaration of its name. Else it counts as deleted
// until the document is saved.
func (p *page) relocate(ctx context.Context, m mark, doc *session.Document) mark {
	if back, ok := m.unchanged(doc); ok {
		return back
	}
	f := p.parsed(ctx, doc)
	now := m
	if m.symbol != "" { // as it is called since it was followed
		now.anchor.Symbol, now.anchor.Ordinal = m.symbol, m.res.Ordinal
	}
	now.found = false
	now = resolve(now, f, doc)
	now.anchor = m.anchor
	switch {
	case now.found && m.found:
		now.res = m.res
	case !now.found && m.found:
		now.res, now.deleted = m.res, true
	case !now.found: // it was orphaned before
		return m
	}
	return now
}

// minUnchanged is the length in bytes under which code that came back proves
// nothing: a lone brace is everywhere.
const minUnchanged = 8

// unchanged finds the code of a mark of the base, as it was, in a later version.
// It must stand once in both.
func (m mark) unchanged(doc *session.Document) (mark, bool) {
	was := doc.Base().Text()
	if !m.found || m.body.end-m.body.start < minUnchanged {
		return m, false
	}
	code := was[m.body.start:m.body.end]
	at := bytes.Index(doc.Text(), code)
	if at < 0 || bytes.Count(doc.Text(), code) != 1 || bytes.Count(was, code) != 1 {
		return m, false
	}
	return m.moveTo(at), true
}

// reconcile compares where edits shifted marks to with where they are found in the
// text that was saved. Where both differ about a declaration, the person's own
// edits are right. The moves are for the tracker, since the files alone can't tell.
func (p *page) reconcile(ctx context.Context, shifted, found []mark, doc *session.Document) (marks []mark, moves []follow.Move) {
	f := p.parsed(ctx, doc)
	marks = append(marks, found...)
	for _, was := range shifted {
		sym, ok := was.declared(f)
		if !ok {
			continue
		}
		at := -1
		for i := range marks {
			if marks[i].index == was.index && marks[i].hit.Memory.UUID == was.hit.Memory.UUID {
				at = i
			}
		}
		if at >= 0 && marks[at].found && marks[at].name == (span{sym.NameStart, sym.NameEnd}) {
			continue // both agree
		}
		if at >= 0 && !reflect.DeepEqual(marks[at].anchor, was.anchor) {
			continue // a person has decided something else meanwhile
		}
		was.res.Start, was.res.End, was.res.Symbol, was.res.Ordinal = sym.Start, sym.End, sym.Path, sym.Ordinal
		was = markAt(was, f, doc)
		if at >= 0 {
			marks[at] = was
		} else {
			marks = append(marks, was)
		}
		first, last := doc.Lines.Line(sym.Start), doc.Lines.Line(max(sym.Start, sym.End-1))
		moves = append(moves, follow.Move{
			Memory: was.hit.Memory.UUID, Index: was.index, Path: p.rel, Text: doc.Text(),
			Lines: anchor.LineRange{Start: first + 1, End: last + 1}, Symbol: sym.Path,
		})
	}
	return marks, moves
}

// declared returns the declaration that a mark was shifted to, if it is one to its
// last byte.
func (m mark) declared(f *extract.File) (extract.Symbol, bool) {
	if f == nil || !m.found || m.deleted || !m.anchor.Declared() {
		return extract.Symbol{}, false
	}
	sym, ok := symbolAt(f, m.body.start, m.symbol)
	return sym, ok && sym.Start == m.body.start && sym.End == m.body.end
}

// moveTo returns the mark at another offset.
func (m mark) moveTo(start int) mark {
	by := start - m.body.start
	for _, s := range []*span{&m.body, &m.name, &m.head} {
		s.start, s.end = s.start+by, s.end+by
	}
	return m
}
