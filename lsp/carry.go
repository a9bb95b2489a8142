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

// carryAll carries marks of a document's base to the document by the person's
// own edits.
func (p *page) carryAll(ctx context.Context, fixed []mark, doc *session.Document) []mark {
	moved := make([]mark, 0, len(fixed))
	for _, m := range fixed {
		if !m.carry(doc) {
			m = p.again(ctx, m, doc)
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

// again looks for a mark that the edits took away as a whole, or that the base
// did not have. Its code may have come back, by an undo or a paste, or may have
// been replaced by another declaration of its name. Where it is neither, that is
// provisional: a state changes when the document is saved.
func (p *page) again(ctx context.Context, m mark, doc *session.Document) mark {
	if back, ok := m.pasted(doc); ok {
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

// minPasted is the length in bytes under which code that came back proves
// nothing: a lone brace is everywhere.
const minPasted = 8

// pasted finds the code of a mark of the base, as it was, in a later version.
// It must stand once in both.
func (m mark) pasted(doc *session.Document) (mark, bool) {
	was := doc.Base().Text()
	if !m.found || m.body.end-m.body.start < minPasted {
		return m, false
	}
	code := was[m.body.start:m.body.end]
	at := bytes.Index(doc.Text(), code)
	if at < 0 || bytes.Count(doc.Text(), code) != 1 || bytes.Count(was, code) != 1 {
		return m, false
	}
	shift := at - m.body.start
	for _, s := range []*span{&m.body, &m.name, &m.head} {
		s.start, s.end = s.start+shift, s.end+shift
	}
	return m, true
}

// settle compares where marks were carried to with where they are found in the
// text that was saved. Where a person's own edits say something else about a
// declaration, they are right: so it stays, and the tracker is told, since the
// files alone can't say it.
func (p *page) settle(ctx context.Context, carried, found []mark, doc *session.Document) (marks []mark, moves []follow.Move) {
	f := p.parsed(ctx, doc)
	marks = append(marks, found...)
	for _, was := range carried {
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

// declared returns the declaration that a mark was carried to, if it is one to
// its last byte.
func (m mark) declared(f *extract.File) (extract.Symbol, bool) {
	if f == nil || !m.found || m.deleted || !m.anchor.Declared() {
		return extract.Symbol{}, false
	}
	sym, ok := symbolAt(f, m.body.start, m.symbol)
	return sym, ok && sym.Start == m.body.start && sym.End == m.body.end
}
