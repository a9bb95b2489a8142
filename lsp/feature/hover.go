// Package feature computes what a person sees: hovers, lenses, diagnostics, links,
// symbols and hints. Each feature is a function from a page and the settings to
// protocol values. The package must not know the server or how commands are executed.
package feature

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/settings"
	"manicule/memory"
)

// HoverOptions are what a hover needs besides its page.
type HoverOptions struct {
	Settings *settings.Settings
	Markdown bool      // the client shows Markdown, else plain text
	Now      time.Time // ages are relative to it
	Links    Links
	// Told reports whether the client shows a diagnostic by now. Without it no text is left out.
	Told func(Telling) bool
}

// Link is a link that runs a command.
type Link struct {
	Label   string
	Command string
	Args    []any
}

// Links offer commands in a hover. Either may be nil.
type Links struct {
	Memory func(memory.Hit) []Link // about a memory
	Anchor func(*page.Mark) []Link // about the state of an anchor
}

// Hover shows the memories of the symbol or lines at a position; on the first line and
// on imports, those of the file. It is nil if there are none: an empty hover would hide
// those of other servers.
func Hover(ctx context.Context, p *page.Page, at protocol.Position, o HoverOptions) *protocol.Hover {
	groups := hoverGroups(ctx, p, p.Offset(at))
	if len(groups) == 0 {
		return nil
	}
	told := map[string]bool{}
	if o.Settings.Diagnostics && o.Settings.DiagnosticsInHover && o.Told != nil {
		told = toldAt(pageDiagnostics(ctx, p, o.Settings), at, o.Told)
	}
	h := &protocol.Hover{Contents: hoverContents(p, groups, told, o)}
	if s := groups[0].span; s != nil {
		h.Range = new(p.Range(*s))
	}
	return h
}

// group is the memories under one heading of a hover.
type group struct {
	place  string     // what they are about, "" for the file
	symbol bool       // place is a symbol's path
	span   *page.Span // nil for the file
	cards  []card
	also   int    // how many memories apply to the whole project
	note   string // the impact of unsaved edits
}

// card is one memory in a hover, with the anchor that it is shown for. Requests share
// the mark: don't modify it.
type card struct{ *page.Mark }

func hoverGroups(ctx context.Context, p *page.Page, offset int) []group {
	line, _ := p.LinesOf(page.Span{Start: offset, End: offset})
	marks := p.Marks(ctx)
	var groups []group
	shown := make(map[string]bool)
	for _, m := range p.MarksOn(marks, line) {
		if shown[m.Hit.Memory.UUID] || !p.Folder.Dismissed.Shows(m.Hit.Memory.UUID, folder.SurfaceHover) {
			continue
		}
		shown[m.Hit.Memory.UUID] = true
		g := group{place: placeName(p, m), symbol: m.Symbol != "", span: &m.Name}
		if x, ok := p.ImpactOn(m); ok {
			g.note = impactText(x)
		}
		groups = addCard(groups, g, card{m})
	}
	if !(line == 0 && p.ShowsFile()) && !onImport(ctx, p, offset) {
		return groups
	}
	file, placed := p.DocumentMemories(), firstMarks(p.FileMarks(ctx))
	g := group{cards: make([]card, 0, file.Len())}
	for m := range file.Marks(p) {
		uuid := m.Hit.Memory.UUID
		if shown[uuid] || !p.Folder.Dismissed.Shows(uuid, folder.SurfaceHover) {
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
		groups[n-1].also = file.Project
	}
	return groups
}

// firstMarks returns the first mark of each memory in the document, by uuid.
func firstMarks(marks []page.Mark) map[string]*page.Mark {
	out := make(map[string]*page.Mark, len(marks))
	for i := range marks {
		if uuid := marks[i].Hit.Memory.UUID; out[uuid] == nil {
			out[uuid] = &marks[i]
		}
	}
	return out
}

// addCard adds a card to the group of the same place, or adds g.
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

// placeName names the place of a mark.
func placeName(p *page.Page, m *page.Mark) string {
	if m.Symbol != "" {
		return m.Symbol
	}
	first, last := p.LinesOf(m.Body)
	if first == last {
		return fmt.Sprintf("line %d", first+1)
	}
	return fmt.Sprintf("lines %d–%d", first+1, last+1)
}

// onImport reports whether offset is on an import statement.
func onImport(ctx context.Context, p *page.Page, offset int) bool {
	f, err := p.Doc.Parsed(ctx)
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

// hoverContents renders groups in the client's format. told holds the memories whose text a
// diagnostic shows beside the hover, by uuid.
func hoverContents(p *page.Page, groups []group, told map[string]bool, o HoverOptions) protocol.HoverContents {
	kind := protocol.MarkupKindPlainText
	if o.Markdown {
		kind = protocol.MarkupKindMarkdown
	}
	c := &cardWriter{page: p, opts: o, told: told, left: o.Settings.MaxItems}
	for i, g := range groups {
		if i > 0 {
			c.rule()
		}
		c.group(g)
	}
	if l := p.Folder.Ledger; l != nil {
		l.Shown(p.Rel, c.shown)
	}
	return &protocol.MarkupContent{Kind: kind, Value: strings.TrimRight(c.String(), "\n ")}
}
