package lsp

import (
	"context"
	"fmt"
	"strings"

	"manicule/lsp/folder"

	"go.lsp.dev/protocol"
)

// Hover shows the memories of the symbol or the lines at a position; on the
// first line and on an import, those of the file. It is null when there are
// none: an empty hover would hide other servers' hovers.
func (s *server) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	r := s.begin(ctx)
	if !r.settings.Hover {
		return nil, nil
	}
	pg, ok := r.page(ctx, p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	offset := pg.doc.Lines.Offset(p.Position, r.snap.Encoding)
	groups := pg.hoverGroups(ctx, offset)
	if len(groups) == 0 {
		return nil, nil
	}
	h := &protocol.Hover{Contents: r.contents(pg, groups)}
	if sp := groups[0].span; sp != nil {
		h.Range = new(pg.doc.Lines.Range(sp.start, sp.end, r.snap.Encoding))
	}
	return h, nil
}

// group is memories that a hover shows under one heading.
type group struct {
	place  string // what they are about, "" for the file
	symbol bool   // place is a symbol's path
	span   *span  // nil for the file
	cards  []card
	also   int    // memories of the whole project, which are only counted
	note   string // what the edits that are not saved do to it
}

// card is one memory in a hover, with the anchor that shows it. All requests
// share the mark: it must not be written to.
type card struct{ *mark }

func (p *page) hoverGroups(ctx context.Context, offset int) []group {
	line := p.doc.Lines.Line(offset)
	marks := p.marks(ctx)
	var groups []group
	shown := make(map[string]bool)
	for _, m := range p.at(marks, line) {
		if shown[m.hit.Memory.UUID] || !p.folder.Shows(m.hit.Memory.UUID, folder.SurfaceHover) {
			continue
		}
		shown[m.hit.Memory.UUID] = true
		groups = addCard(groups, group{place: p.placeOf(m), symbol: m.symbol != "", span: &m.name, note: p.touchedBy(m)}, card{m})
	}
	if line != 0 && !p.onImport(ctx, offset) {
		return groups
	}
	file, placed := p.whole(), firstMarks(marks)
	g := group{cards: make([]card, 0, len(file.all))}
	for m := range file.marks(p) {
		uuid := m.hit.Memory.UUID
		if shown[uuid] || !p.folder.Shows(uuid, folder.SurfaceHover) {
			continue
		}
		if at := placed[uuid]; at != nil {
			m = at
		}
		g.cards = append(g.cards, card{m})
	}
	if len(g.cards) > 0 {
		groups = append(groups, g)
	}
	if n := len(groups); n > 0 {
		groups[n-1].also = file.project
	}
	return groups
}

// firstMarks are the first marks of the memories in the document, by uuid.
func firstMarks(marks []mark) map[string]*mark {
	out := make(map[string]*mark, len(marks))
	for i := range marks {
		if uuid := marks[i].hit.Memory.UUID; out[uuid] == nil {
			out[uuid] = &marks[i]
		}
	}
	return out
}

// addCard adds to the group of the same place, which g becomes if there is none.
func addCard(groups []group, g group, c card) []group {
	for i := range groups {
		if groups[i].place == g.place {
			groups[i].cards = append(groups[i].cards, c)
			return groups
		}
	}
	g.cards = []card{c}
	return append(groups, g)
}

// placeOf names what a mark is about.
func (p *page) placeOf(m *mark) string {
	if m.symbol != "" {
		return m.symbol
	}
	first, last := p.lines(m.body)
	if first == last {
		return fmt.Sprintf("line %d", first+1)
	}
	return fmt.Sprintf("lines %d–%d", first+1, last+1)
}

// onImport reports whether offset is on an import statement.
func (p *page) onImport(ctx context.Context, offset int) bool {
	f, err := p.doc.Parsed(ctx)
	if err != nil || f == nil {
		return false
	}
	for _, s := range f.Imports {
		if s.Start <= offset && offset <= s.End {
			return true
		}
	}
	return false
}

// contents renders groups in the client's format.
func (r *request) contents(p *page, groups []group) protocol.HoverContents {
	kind := protocol.MarkupKindPlainText
	if r.client.Capabilities.Markdown {
		kind = protocol.MarkupKindMarkdown
	}
	c := &cardWriter{request: r, page: p, markdown: r.client.Capabilities.Markdown, left: r.settings.MaxItems}
	for i, g := range groups {
		if i > 0 {
			c.rule()
		}
		c.group(g)
	}
	if l := p.folder.Ledger; l != nil {
		l.Shown(p.rel, c.shown)
	}
	return &protocol.MarkupContent{Kind: kind, Value: strings.TrimRight(c.String(), "\n ")}
}
