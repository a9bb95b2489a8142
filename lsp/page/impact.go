package page

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/lsp/session"
	"manicule/memory"
)

// impactDepth is how many edges of the code graph an impact is followed.
const impactDepth = 2

// Impact is a declaration or cited lines that unsaved edits changed, with the memories
// that may become stale.
type Impact struct {
	Name       Span // of the declaration or lines, in the document's base
	Body       Span // of the whole, in the base
	Own        []memory.Hit
	Dependents []Dependent
}

// Dependent is a memory of code that depends on the changed code.
type Dependent struct {
	Hit   memory.Hit
	Place string // the symbol's path, with its file if that is another one
}

// impacts are the impacts of the edits since a base.
type impacts struct {
	base *session.Document
	list []Impact
}

// UpdateImpacts computes the impact of the document's unsaved edits for Impacts and
// ImpactOn. It reports whether there is or was something to show. It stops when ctx
// ends.
func (p *Page) UpdateImpacts(ctx context.Context) bool {
	e, now := p.cache.entry(p.Doc.URI), &impacts{base: p.Doc.Base()}
	if p.Doc.Base() != p.Doc && p.Rev == "" {
		c := comparison{resolver: p.resolver(), snap: p.snap, doc: p.Doc, marks: e.baseMarks(p.Doc.Base())}
		now.list = c.impacts(ctx)
	}
	if ctx.Err() != nil {
		return false
	}
	before := e.impacts.Swap(now)
	return len(now.list) > 0 || before != nil && before.base == now.base && len(before.list) > 0
}

// Impacts returns the impacts that were last computed for the document's base.
func (p *Page) Impacts() []Impact {
	if p.Doc.Base() == p.Doc {
		return nil
	}
	found := p.cache.entry(p.Doc.URI).impacts.Load()
	if found == nil || found.base != p.Doc.Base() {
		return nil
	}
	return found.list
}

// ImpactOn returns the impact on the code of a mark.
func (p *Page) ImpactOn(m *Mark) (Impact, bool) {
	for _, x := range p.Impacts() {
		if body, _, ok := moveCode(p.Doc, x.Body); ok && body == m.Body {
			return x, true
		}
	}
	return Impact{}, false
}

// Locate returns where an impact is in the document: at its name, or at the
// declaration's first line if the name was replaced. It returns false if the
// declaration was deleted.
func (p *Page) Locate(x Impact) (Span, bool) {
	if at, ok := moveSpan(p.Doc, x.Name); ok {
		return at, true
	}
	if body, _, ok := moveCode(p.Doc, x.Body); ok {
		line := p.Doc.Lines.Line(body.Start)
		return Span{body.Start, min(body.End, p.Doc.Lines.End(line))}, true
	}
	return Span{}, false
}

// comparison compares a document with its base.
type comparison struct {
	resolver
	snap  *session.Snapshot
	doc   *session.Document
	marks []Mark // of the base
}

// impacts returns what the edits changed that memories speak of.
func (c comparison) impacts(ctx context.Context) []Impact {
	was, is := c.parsed(ctx, c.doc.Base()), c.parsed(ctx, c.doc)
	var out []Impact
	if was != nil && is != nil {
		for _, sym := range c.changed(ctx, was, is) {
			x := Impact{Name: Span{sym.NameStart, sym.NameEnd}, Body: Span{sym.Start, sym.End}}
			for _, m := range c.marks {
				if m.Symbol != "" && m.Found && m.Body == x.Body {
					x.Own = appendHit(x.Own, m.Hit)
				}
			}
			x.Dependents = c.dependents(ctx, sym)
			if len(x.Own)+len(x.Dependents) > 0 {
				out = append(out, x)
			}
		}
	}
	return append(out, c.changedLines()...)
}

// baseMarks returns the marks of a base, none while they are being resolved.
func (e *entry) baseMarks(base *session.Document) []Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.key.base != base {
		return nil
	}
	return e.base
}

func appendHit(hits []memory.Hit, h memory.Hit) []memory.Hit {
	if slices.ContainsFunc(hits, func(o memory.Hit) bool { return o.Memory.UUID == h.Memory.UUID }) {
		return hits
	}
	return append(hits, h)
}

// changed returns the innermost declarations of the base that the edits changed. White
// space and comments don't count.
func (c comparison) changed(ctx context.Context, was, is *extract.File) []extract.Symbol {
	base := c.doc.Base()
	seen := make(map[Span]bool)
	var out []extract.Symbol
	for _, at := range c.doc.Edited() {
		sym, ok := was.At(at.Start)
		key := Span{sym.Start, sym.End}
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		if !sameTokens(ctx, was, base.Text(), key, is, c.doc) {
			out = append(out, sym)
		}
	}
	sorting.Func(out, func(a, b extract.Symbol) int { return a.Start - b.Start })
	return out
}

// sameTokens reports whether a span of the base has the same tokens in the document.
func sameTokens(ctx context.Context, was *extract.File, text []byte, at Span, is *extract.File, doc *session.Document) bool {
	now, _, ok := moveCode(doc, at)
	if !ok {
		return false
	}
	a, err := was.TokenHash(ctx, text, extract.Span{Start: at.Start, End: at.End})
	if err != nil {
		return true // in doubt, report no change
	}
	b, err := is.TokenHash(ctx, doc.Text(), extract.Span{Start: now.Start, End: now.End})
	return err != nil || a == b
}

// changedLines returns the cited lines that changed in more than white space.
func (c comparison) changedLines() []Impact {
	words := func(text []byte, s Span) string {
		return strings.Join(strings.Fields(string(text[s.Start:s.End])), " ")
	}
	var out []Impact
	for _, m := range c.marks {
		if !m.Found || m.Anchor.Kind != anchor.KindLines {
			continue
		}
		now, _, ok := moveCode(c.doc, m.Body)
		if ok && words(c.doc.Base().Text(), m.Body) == words(c.doc.Text(), now) {
			continue
		}
		out = append(out, Impact{Name: m.Body, Body: m.Body, Own: []memory.Hit{m.Hit}})
	}
	return out
}

// dependents returns the memories of code that depends on a declaration of the base. It
// returns none while the code graph is not ready, because it must not wait during
// typing.
func (c comparison) dependents(ctx context.Context, sym extract.Symbol) []Dependent {
	if c.folder.Code == nil || !c.folder.Index.Ready() || ctx.Err() != nil {
		return nil
	}
	var out []Dependent
	// The graph has this document as it was saved, so look up the name that the
	// declaration had then.
	err := c.folder.Index.WithGraph(ctx, c.snap, c.doc.URI, func(g *graph.Graph) error {
		of := g.Find(c.rel, sym.Path)
		if len(of) == 0 {
			return nil
		}
		for _, a := range g.Impact(of, impactDepth).Affected {
			if a.File == c.rel && a.Symbol == sym.Path {
				continue
			}
			for _, h := range c.anchoredTo(a.File, a.Symbol) {
				place := a.Symbol
				if a.File != c.rel {
					place = a.File + "#" + a.Symbol
				}
				if !slices.ContainsFunc(out, func(o Dependent) bool { return o.Hit.Memory.UUID == h.Memory.UUID }) {
					out = append(out, Dependent{h, place})
				}
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		c.local.Debug("dependents of an edit", "err", err)
	}
	return out
}

// anchoredTo returns the memories that are now anchored to a symbol of a file.
func (r resolver) anchoredTo(file, symbol string) []memory.Hit {
	var out []memory.Hit
	if r.folder.Tracker != nil {
		for _, at := range r.folder.Tracker.In(file) {
			if h, ok := r.view.GetLive(at.Memory); ok && at.Anchor.HasSymbol() && at.Symbol == symbol && at.State != anchor.Orphaned {
				out = appendHit(out, h)
			}
		}
		return out
	}
	for _, h := range r.view.Anchored(file) {
		for _, a := range h.Memory.Anchors {
			if a.HasSymbol() && a.Symbol == symbol && filepath.ToSlash(filepath.Clean(a.Path)) == file {
				out = appendHit(out, h)
			}
		}
	}
	return out
}
