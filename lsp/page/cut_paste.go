package page

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"manicule/indexer/anchor"
	"manicule/lsp/session"
)

// cut is the code of a mark that unsaved edits deleted as a whole.
type cut struct {
	mark Mark // in the document's base
	code []byte
}

// cutsOf returns the deleted marks, given the marks of a base before and after the
// edits shifted them.
func cutsOf(base *session.Document, before, after []Mark) []cut {
	var all []cut
	for i, m := range after {
		if was := before[i]; m.Deleted && was.Found && was.Body.End <= len(base.Text()) {
			all = append(all, cut{was, base.Text()[was.Body.Start:was.Body.End]})
		}
	}
	return all
}

// minPasted is the least length in bytes by which code is recognized in another
// document: more than a line.
const minPasted = 40

// withPasted adds the marks whose code was cut from another unsaved document and pasted
// into this one. After both are saved the tracker finds them.
func (p *Page) withPasted(ctx context.Context, own []Mark) []Mark {
	for _, d := range p.snap.Unsaved() {
		if d.URI == p.Doc.URI {
			continue
		}
		from, ok := p.cache.Open(ctx, p.snap, d.URI)
		if !ok || from.Folder != p.Folder || from.Rev != "" {
			continue
		}
		from.ownMarks(ctx) // it computes the cuts
		cuts := p.cache.entry(d.URI).cuts.Load()
		if cuts == nil {
			continue
		}
		for _, c := range *cuts {
			if m, ok := p.findPasted(c, from); ok {
				own = append(slices.Clip(own), m)
			}
		}
	}
	return own
}

// findPasted finds code that was cut from another page. It must be here once, and in no
// other unsaved document.
func (p *Page) findPasted(c cut, from *Page) (Mark, bool) {
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
	if !p.cache.entry(p.Doc.URI).isPasted(c, !bytes.Contains(p.Doc.Base().Text(), c.code)) {
		return Mark{}, false // it was here before
	}
	m := c.mark.moveTo(at)
	m.Pasted = true
	m.Resolution.State, m.Resolution.Reason = anchor.Followed, fmt.Sprintf("it was cut from %s in the editor", from.Rel)
	m.Resolution.Path, m.Resolution.Start, m.Resolution.End = p.Rel, m.Body.Start, m.Body.End
	m.Resolution.Line, m.Resolution.EndLine = p.Doc.Lines.Line(m.Body.Start)+1, p.Doc.Lines.Line(max(m.Body.Start, m.Body.End-1))+1
	return m, true
}

// isPasted reports whether an edit put code into a document, now or before the last
// save.
func (e *entry) isPasted(c cut, now bool) bool {
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
