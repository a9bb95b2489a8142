package page

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
	mark Mark // in the document's base
	code []byte
}

// cutsOf lists what was deleted, given the marks of a base and where the edits
// shifted them.
func cutsOf(base *session.Document, before, after []Mark) []cut {
	var all []cut
	for i, m := range after {
		if was := before[i]; m.Deleted && was.Found && was.Body.End <= len(base.Text()) {
			all = append(all, cut{was, base.Text()[was.Body.Start:was.Body.End]})
		}
	}
	return all
}

// minPasted is the length in bytes that code needs to be recognized in another
// document: a line and more.
const minPasted = 40

// withPasted adds the marks whose code was cut from another document that is not
// saved and pasted into this one. Once both are saved the tracker finds it there.
func (p *Page) withPasted(ctx context.Context, own []Mark) []Mark {
	for _, d := range p.snap.Unsaved() {
		if d.URI == p.Doc.URI {
			continue
		}
		from, ok := p.cache.Open(ctx, p.snap, d.URI)
		if !ok || from.Folder != p.Folder || from.Rev != "" {
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
func (p *Page) pasted(c cut, from *Page) (Mark, bool) {
	text := p.Doc.Text()
	at := bytes.Index(text, c.code)
	if len(c.code) < minPasted || at < 0 || bytes.Count(text, c.code) != 1 {
		return Mark{}, false
	}
	for _, d := range p.snap.Unsaved() {
		if d.URI != p.Doc.URI && d.URI != from.Doc.URI && bytes.Contains(d.Text(), c.code) {
			return Mark{}, false
		}
	}
	if !p.cache.entry(p.Doc.URI).pasted(c, !bytes.Contains(p.Doc.Base().Text(), c.code)) {
		return Mark{}, false // it stood here before
	}
	m := c.mark.moveTo(at)
	m.Pasted = true
	m.Resolution.State, m.Resolution.Reason = anchor.Followed, fmt.Sprintf("it was cut from %s in the editor", from.Rel)
	m.Resolution.Path, m.Resolution.Start, m.Resolution.End = p.Rel, m.Body.Start, m.Body.End
	m.Resolution.Line, m.Resolution.EndLine = p.Doc.Lines.Line(m.Body.Start)+1, p.Doc.Lines.Line(max(m.Body.Start, m.Body.End-1))+1
	return m, true
}

// pasted reports whether code came into a document by an edit, now or before the
// document was saved.
func (e *entry) pasted(c cut, now bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := fmt.Sprintf("%s/%d", c.mark.Hit.Memory.UUID, c.mark.Index)
	if now {
		if e.pastes == nil {
			e.pastes = make(map[string]bool)
		}
		e.pastes[key] = true
	}
	return e.pastes[key]
}
