package lsp

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"manicule/indexer/anchor"
	"manicule/lsp/session"
)

// cut is the code of a mark that the edits of a document deleted as a whole.
type cut struct {
	mark mark // in the document's base
	code []byte
}

// cutsOf lists what was deleted, given the marks of a base and where the edits
// shifted them.
func cutsOf(base *session.Document, before, after []mark) []cut {
	var all []cut
	for i, m := range after {
		if was := before[i]; m.deleted && was.found && was.body.end <= len(base.Text()) {
			all = append(all, cut{was, base.Text()[was.body.start:was.body.end]})
		}
	}
	return all
}

// minPasted is the length in bytes that code needs to be recognized in another
// document: a line and more.
const minPasted = 40

// withPasted adds the marks whose code was cut from another document that is not
// saved and pasted into this one. Once both are saved the tracker finds it there.
func (p *page) withPasted(ctx context.Context, own []mark) []mark {
	for _, d := range p.snap.Documents() {
		if d.URI == p.doc.URI || !d.Open || d.Base() == d {
			continue
		}
		from, ok := p.cache.Open(ctx, p.snap, d.URI)
		if !ok || from.folder != p.folder || from.rev != "" {
			continue
		}
		from.own(ctx) // which finds what was cut
		cuts := p.cache.entry(d.URI).cuts.Load()
		if cuts == nil {
			continue
		}
		for _, c := range *cuts {
			if m, ok := p.pasted(c, from); ok {
				own = append(slices.Clip(own), m)
			}
		}
	}
	return own
}

// pasted finds code that was cut from another page in this one. It must stand here
// once, and in no other edited document.
func (p *page) pasted(c cut, from *page) (mark, bool) {
	text := p.doc.Text()
	at := bytes.Index(text, c.code)
	if len(c.code) < minPasted || at < 0 || bytes.Count(text, c.code) != 1 {
		return mark{}, false
	}
	for _, d := range p.snap.Documents() {
		if d.URI != p.doc.URI && d.URI != from.doc.URI && d.Base() != d && bytes.Contains(d.Text(), c.code) {
			return mark{}, false
		}
	}
	if !p.cache.entry(p.doc.URI).pasted(c, !bytes.Contains(p.doc.Base().Text(), c.code)) {
		return mark{}, false // it stood here before
	}
	m := c.mark.moveTo(at)
	m.pasted = true
	m.res.State, m.res.Reason = anchor.Followed, fmt.Sprintf("it was cut from %s in the editor", from.rel)
	m.res.Path, m.res.Start, m.res.End = p.rel, m.body.start, m.body.end
	m.res.Line, m.res.EndLine = p.doc.Lines.Line(m.body.start)+1, p.doc.Lines.Line(max(m.body.start, m.body.end-1))+1
	return m, true
}

// pasted reports whether code came into a document by an edit, now or before the
// document was saved.
func (e *entry) pasted(c cut, now bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := fmt.Sprintf("%s/%d", c.mark.hit.Memory.UUID, c.mark.index)
	if now {
		if e.pastes == nil {
			e.pastes = make(map[string]bool)
		}
		e.pastes[key] = true
	}
	return e.pastes[key]
}
