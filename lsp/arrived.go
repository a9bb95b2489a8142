package lsp

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"manicule/indexer/anchor"
	"manicule/lsp/session"
)

// cut is the code of a mark that the edits of a document took away as a whole.
type cut struct {
	mark mark // in the document's base
	code []byte
}

// cutsOf lists what was taken away, given marks of a base and where they were
// carried to.
func cutsOf(base *session.Document, fixed, moved []mark) []cut {
	var all []cut
	for i, m := range moved {
		if m.deleted && fixed[i].found && fixed[i].body.end <= len(base.Text()) {
			all = append(all, cut{fixed[i], base.Text()[fixed[i].body.start:fixed[i].body.end]})
		}
	}
	return all
}

// minCarried is the length in bytes that code needs to be known again in another
// document: it is a line and more.
const minCarried = 40

// withArrived adds the marks whose code was cut from another document that is not
// saved and pasted into this one. Once both are saved the tracker finds it there.
func (p *page) withArrived(ctx context.Context, own []mark) []mark {
	for _, d := range p.snap.Documents() {
		if d.URI == p.doc.URI || !d.Open || d.Base() == d {
			continue
		}
		from, ok := p.page(ctx, d.URI)
		if !ok || from.folder != p.folder || from.rev != "" {
			continue
		}
		from.own(ctx) // so that what was cut is known
		cuts := p.server.marks.entry(d.URI).cuts.Load()
		if cuts == nil {
			continue
		}
		for _, c := range *cuts {
			if m, ok := p.arrives(c, from); ok {
				own = append(slices.Clip(own), m)
			}
		}
	}
	return own
}

// arrives finds code that was cut from a page in this one. It must stand here once,
// and nowhere else that was edited.
func (p *page) arrives(c cut, from *page) (mark, bool) {
	text := p.doc.Text()
	at := bytes.Index(text, c.code)
	if len(c.code) < minCarried || at < 0 || bytes.Count(text, c.code) != 1 {
		return mark{}, false
	}
	for _, d := range p.snap.Documents() {
		if d.URI != p.doc.URI && d.URI != from.doc.URI && d.Base() != d && bytes.Contains(d.Text(), c.code) {
			return mark{}, false
		}
	}
	if !p.server.marks.entry(p.doc.URI).arrival(c, !bytes.Contains(p.doc.Base().Text(), c.code)) {
		return mark{}, false // it stood here before
	}
	m := c.mark
	shift := at - m.body.start
	for _, s := range []*span{&m.body, &m.name, &m.head} {
		s.start, s.end = s.start+shift, s.end+shift
	}
	m.arrived = true
	m.res.State, m.res.Reason = anchor.Followed, fmt.Sprintf("it was cut from %s in the editor", from.rel)
	m.res.Path, m.res.Start, m.res.End = p.rel, m.body.start, m.body.end
	m.res.Line, m.res.EndLine = p.doc.Lines.Line(m.body.start)+1, p.doc.Lines.Line(max(m.body.start, m.body.end-1))+1
	return m, true
}

// arrival says whether code came to a document by an edit, now or before the
// document was saved.
func (e *markEntry) arrival(c cut, now bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := fmt.Sprintf("%s/%d", c.mark.hit.Memory.UUID, c.mark.index)
	if now {
		if e.arrivals == nil {
			e.arrivals = make(map[string]bool)
		}
		e.arrivals[key] = true
	}
	return e.arrivals[key]
}
