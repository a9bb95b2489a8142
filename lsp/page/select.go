package page

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/session"
	"manicule/memory"
)

// HitsIn returns the memories of the marks that a range touches, and on the first line
// those of the whole document.
func (p *Page) HitsIn(ctx context.Context, rng protocol.Range) []memory.Hit {
	var hits []memory.Hit
	seen := make(map[string]bool)
	keep := func(h memory.Hit) {
		if !seen[h.Memory.UUID] {
			seen[h.Memory.UUID] = true
			hits = append(hits, h)
		}
	}
	for _, m := range p.MarksIn(ctx, rng) {
		if m.Found {
			keep(m.Hit)
		}
	}
	if rng.Start.Line == 0 && p.ShowsFile() {
		for m := range p.DocumentMemories().Marks(p) {
			keep(m.Hit)
		}
	}
	return hits
}

// MarksIn returns the marks that the range touches, and on the first line those without
// another place.
func (p *Page) MarksIn(ctx context.Context, rng protocol.Range) []Mark {
	var out []Mark
	for _, m := range p.Marks(ctx) {
		first, last := p.LinesOf(m.Head)
		switch {
		case m.Deleted:
		case m.Found && m.Body.End > 0 && first <= int(rng.End.Line) && int(rng.Start.Line) <= last,
			rng.Start.Line == 0 && (!m.Found || m.Anchor.Kind == anchor.KindFile):
			out = append(out, m)
		}
	}
	return out
}

// SavedLine returns the line of the file for a line of the editor. It follows the
// edits. A client that replaces the whole document sends useless edits; then the only
// line with the same text counts.
func (p *Page) SavedLine(line int) int {
	base, doc := p.Doc.Base().Lines, p.Doc.Lines
	text := func(l *convert.Lines, n int) string { return strings.TrimSpace(string(l.Text()[l.Start(n):l.End(n)])) }
	at, want := base.Line(p.Doc.Original(doc.Start(line))), text(doc, line)
	if text(base, at) == want {
		return at
	}
	found, times := at, 0
	for n := range base.Count() {
		if text(base, n) == want {
			found, times = n, times+1
		}
	}
	if times != 1 {
		return at
	}
	return found
}

// ResolveAnchor resolves an anchor in a document by its record alone.
func ResolveAnchor(ctx context.Context, doc *session.Document, a anchor.Anchor) Mark {
	f, err := doc.Parsed(ctx)
	if err != nil {
		f = nil // file and line anchors still resolve
	}
	return resolve(Mark{Anchor: a}, f, doc)
}
