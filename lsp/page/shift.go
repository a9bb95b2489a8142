package page

import (
	"bytes"
	"context"
	"reflect"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/session"
	"manicule/memory/follow"
)

// shiftAll shifts the marks of a base by the edits since.
func (r resolver) shiftAll(ctx context.Context, base []Mark, doc *session.Document) []Mark {
	out := make([]Mark, 0, len(base))
	for _, m := range base {
		if !m.shift(doc) {
			m = r.relocate(ctx, m, doc)
		}
		out = append(out, m)
	}
	return out
}

// shift moves the mark by the edits since the base. It returns false if its code was
// deleted.
func (m *Mark) shift(doc *session.Document) bool {
	if !m.Found {
		return false
	}
	if m.Anchor.Kind == anchor.KindFile {
		return true
	}
	body, back, ok := moveCode(doc, m.Body)
	if !ok {
		return false
	}
	if back {
		*m = m.moveTo(body.Start)
		return true
	}
	name, ok := moveSpan(doc, m.Name)
	if !ok { // renamed: use the first line of the declaration
		name = Span{body.Start, body.Start}
	}
	head, ok := moveSpan(doc, m.Head)
	if !ok {
		head = name
	}
	m.Body, m.Name, m.Head = body, name, head
	return true
}

// moveCode moves the span of code by the edits since the base, and finds it again if they deleted it, or
// its beginning or end, and brought it back: by an undo, or a paste. back says that it was found so.
func moveCode(doc *session.Document, s Span) (now Span, back, ok bool) {
	now, ok = moveSpan(doc, s)
	at, back := 0, false
	if ok {
		at, back = restored(doc, s, now)
	} else {
		at, back = unchanged(doc, s)
	}
	if back {
		now = Span{at, at + s.End - s.Start}
	}
	return now, back, ok || back
}

// restored finds the whole code of a span of the base around what the edits left of it: a deletion over
// its beginning or end was undone. The edits alone don't tell that from new text beside it.
func restored(doc *session.Document, s, rest Span) (at int, ok bool) {
	was, now := doc.Base().Text(), doc.Text()
	if s.End > len(was) || rest.End-rest.Start >= s.End-s.Start {
		return 0, false
	}
	code := was[s.Start:s.End]
	from, to := max(0, rest.End-len(code)), min(len(now), rest.Start+len(code))
	at = bytes.Index(now[from:to], code)
	return from + at, at >= 0
}

func moveSpan(doc *session.Document, s Span) (Span, bool) {
	start, end, ok := doc.Moved(s.Start, s.End)
	return Span{start, end}, ok
}

// relocate resolves a mark whose code the edits deleted as a whole, or that the base
// did not have. Another declaration may have its name now. Else it counts as deleted until the document is
// saved.
func (r resolver) relocate(ctx context.Context, m Mark, doc *session.Document) Mark {
	f := r.parsed(ctx, doc)
	now := m
	if m.Symbol != "" { // its name since it was followed
		now.Anchor.Symbol, now.Anchor.Ordinal = m.Symbol, m.Resolution.Ordinal
	}
	now.Found = false
	now = resolve(now, f, doc)
	now.Anchor = m.Anchor
	switch {
	case now.Found && m.Found:
		now.Resolution = m.Resolution
	case !now.Found && m.Found:
		now.Resolution, now.Deleted = m.Resolution, true
	case !now.Found: // it was orphaned before
		return m
	}
	return now
}

// minUnchanged is the least length in bytes by which code is recognized: a lone brace
// is everywhere.
const minUnchanged = 8

// unchanged finds the unchanged code of a span of the base in a later version. It must
// occur once in both.
func unchanged(doc *session.Document, s Span) (at int, ok bool) {
	was := doc.Base().Text()
	if s.End > len(was) || s.End-s.Start < minUnchanged {
		return 0, false
	}
	code := was[s.Start:s.End]
	at = bytes.Index(doc.Text(), code)
	return at, at >= 0 && bytes.Count(doc.Text(), code) == 1 && bytes.Count(was, code) == 1
}

// reconcile compares the shifted marks with those resolved in the saved text. Where
// both differ about a declaration, the person's own edits are right. The returned moves
// are for the tracker, because the files alone don't show them.
func (r resolver) reconcile(ctx context.Context, shifted, found []Mark, doc *session.Document) (marks []Mark, moves []follow.EditorMove) {
	f := r.parsed(ctx, doc)
	marks = append(marks, found...)
	for _, was := range shifted {
		sym, ok := was.declared(f)
		if !ok {
			continue
		}
		at := -1
		for i := range marks {
			if marks[i].Index == was.Index && marks[i].Hit.Memory.UUID == was.Hit.Memory.UUID {
				at = i
			}
		}
		if at >= 0 && marks[at].Found && marks[at].Name == (Span{sym.NameStart, sym.NameEnd}) {
			continue // both agree
		}
		if at >= 0 && !reflect.DeepEqual(marks[at].Anchor, was.Anchor) {
			continue // a person has changed the anchor meanwhile
		}
		was.Resolution.Start, was.Resolution.End, was.Resolution.Symbol, was.Resolution.Ordinal = sym.Start, sym.End, sym.Path, sym.Ordinal
		was = markAt(was, f, doc)
		if at >= 0 {
			marks[at] = was
		} else {
			marks = append(marks, was)
		}
		first, last := doc.Lines.Line(sym.Start), doc.Lines.Line(max(sym.Start, sym.End-1))
		moves = append(moves, follow.EditorMove{
			Memory: was.Hit.Memory.UUID, Index: was.Index, Path: r.rel, Text: doc.Text(),
			Lines: anchor.LineRange{Start: first + 1, End: last + 1}, Symbol: sym.Path,
		})
	}
	return marks, moves
}

// declared returns the declaration that a mark was shifted to, if the mark covers it
// exactly.
func (m Mark) declared(f *extract.File) (extract.Symbol, bool) {
	if f == nil || !m.Found || m.Deleted || !m.Anchor.HasSymbol() {
		return extract.Symbol{}, false
	}
	sym, ok := symbolAt(f, m.Body.Start, m.Symbol)
	return sym, ok && sym.Start == m.Body.Start && sym.End == m.Body.End
}

// moveTo returns the mark at another offset.
func (m Mark) moveTo(start int) Mark {
	by := start - m.Body.Start
	for _, s := range []*Span{&m.Body, &m.Name, &m.Head} {
		s.Start, s.End = s.Start+by, s.End+by
	}
	return m
}
