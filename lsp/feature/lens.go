package feature

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
)

// ShowMemoriesCommand is the command of a lens: it lists the memories of the lens.
const ShowMemoriesCommand = "manicule.showMemories"

// LensData is what a lens carries until it is resolved.
type LensData struct {
	URI   uri.URI  `json:"uri"`
	UUIDs []string `json:"uuids"`
	// Thread is the uuid of the thread, for its lenses; Act is what the lens does, and Title
	// its text.
	Thread string `json:"thread,omitzero"`
	Act    string `json:"act,omitzero"`
	Title  string `json:"title,omitzero"`
}

// Lenses returns the places of a page's lenses: one on the first line for the file, and
// one for each declaration or line with anchored memories. [ResolveLens] adds their
// titles.
func Lenses(ctx context.Context, p *page.Page, s *settings.Settings) ([]protocol.CodeLens, error) {
	var out []protocol.CodeLens
	for _, at := range lensLines(ctx, p, s) {
		data, err := json.Marshal(LensData{URI: p.URI, UUIDs: at.uuids})
		if err != nil {
			return nil, fmt.Errorf("code lens data: %w", err)
		}
		out = append(out, protocol.CodeLens{Range: wholeLine(p, at.line), Data: data})
	}
	return out, nil
}

// wholeLine returns the range of a line of a page.
func wholeLine(p *page.Page, line int) protocol.Range {
	text := p.Text()
	return p.TextRange(page.Span{Start: text.Start(line), End: text.End(line)})
}

// lensAt is one lens: a line and the memories shown there.
type lensAt struct {
	line  int
	uuids []string
}

func lensLines(ctx context.Context, p *page.Page, s *settings.Settings) []lensAt {
	byLine := make(map[int][]string)
	placed := make(map[string]bool)
	marks := p.FileMarks(ctx)
	for i := range marks {
		m := &marks[i]
		if !m.Found || m.Anchor.Kind == anchor.KindFile || !p.Folder.Dismissed.Shows(m.Hit.Memory.UUID, folder.SurfaceLens) {
			continue
		}
		placed[m.Hit.Memory.UUID] = true
		if !p.Shows(m) {
			continue
		}
		line, _ := p.LinesOf(m.Name)
		if !slices.Contains(byLine[line], m.Hit.Memory.UUID) {
			byLine[line] = append(byLine[line], m.Hit.Memory.UUID)
		}
	}
	for m := range p.DocumentMemories().Marks(p) {
		if uuid := m.Hit.Memory.UUID; p.ShowsFile() && !placed[uuid] && p.Folder.Dismissed.Shows(uuid, folder.SurfaceLens) {
			byLine[0] = append(byLine[0], uuid)
		}
	}
	out := make([]lensAt, 0, len(byLine))
	for line, uuids := range byLine {
		out = append(out, lensAt{line, uuids})
	}
	sorting.Func(out, func(a, b lensAt) int { return a.line - b.line })
	return capLenses(p, s, out)
}

// capLenses limits the lenses of a document. The memories of the others join those of
// the file on the first line, so nothing is hidden. The choice depends on the memories,
// not on what is typed.
func capLenses(p *page.Page, s *settings.Settings, lenses []lensAt) []lensAt {
	if len(lenses) <= s.MaxPerFile {
		return lenses
	}
	places := make([][]memory.Hit, len(lenses))
	for i, l := range lenses {
		for _, uuid := range l.uuids {
			if h, ok := p.View.Get(uuid); ok && l.line > 0 {
				places[i] = append(places[i], h)
			}
		}
	}
	keeps := selectPlaces(p.Folder, places, folder.SurfaceLens, s.MaxPerFile-1)
	rest, out := lensAt{line: 0}, []lensAt{}
	for i, l := range lenses {
		if keeps[i] {
			out = append(out, l)
			continue
		}
		rest.uuids = append(rest.uuids, l.uuids...)
	}
	if rest.uuids = distinct(rest.uuids); len(rest.uuids) == 0 {
		return out
	}
	return append([]lensAt{rest}, out...)
}

// distinct returns each uuid once, in order.
func distinct(uuids []string) []string {
	var out []string
	for _, uuid := range uuids {
		if !slices.Contains(out, uuid) {
			out = append(out, uuid)
		}
	}
	return out
}

// ResolveLens sets the title of a lens. live are those of its memories that still
// exist; p is its document, nil if it has nothing to show.
func ResolveLens(ctx context.Context, lens *protocol.CodeLens, data LensData, live []string, p *page.Page) error {
	live = distinct(live)
	title := "☞ no memory here any more"
	if len(live) > 0 {
		title = "☞ " + render.Memories(len(live)) + " here"
	}
	if len(live) > 0 && p != nil {
		marks := p.Marks(ctx)
		sorted, here, others := splitByReach(p, marks, live)
		live, title = sorted, lensTitle(len(live), here, others)+lensState(marks, live)
	}
	args, err := RawArgs(data.URI, lens.Range.Start, live)
	if err != nil {
		return err
	}
	lens.Command = protocol.Command{Title: title, Command: ShowMemoriesCommand, Arguments: args}
	return nil
}

// lensState says how many of a lens's memories may be stale, and how many were followed
// from elsewhere.
func lensState(marks []page.Mark, uuids []string) string {
	stale, followed := make(map[string]bool), make(map[string]bool)
	for _, m := range marks {
		switch uuid := m.Hit.Memory.UUID; {
		case !slices.Contains(uuids, uuid) || m.Deleted:
		case Doubtful(m.Resolution):
			stale[uuid] = true
		case m.Resolution.State == anchor.Followed:
			followed[uuid] = true
		}
	}
	text := ""
	if n := len(stale); n > 0 {
		text += fmt.Sprintf(", %d may be stale", n)
	}
	if n := len(followed); n > 0 {
		text += fmt.Sprintf(", %d followed", n)
	}
	return text
}

// RawArgs marshals the arguments of a command.
func RawArgs(args ...any) ([]protocol.LSPAny, error) {
	out := make([]protocol.LSPAny, len(args))
	for i, a := range args {
		b, err := protocol.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		out[i] = b
	}
	return out, nil
}
