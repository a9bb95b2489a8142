package lsp

import (
	"context"
	"fmt"
	"slices"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/rpc"
	"manicule/memory"
)

// lensData is what a lens carries from the first step to the second.
type lensData struct {
	URI   uri.URI  `json:"uri"`
	UUIDs []string `json:"uuids"`
}

// CodeLens returns where the lenses are: one for the file on its first line,
// one for each declaration or line that memories are tied to. Their titles
// come with [server.CodeLensResolve].
func (s *server) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	r := s.begin(ctx)
	if !r.settings.CodeLens {
		return nil, nil
	}
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok && isMemoryFile(path) {
		return r.scopeLenses(ctx, p.TextDocument.URI), ctx.Err()
	}
	pg, ok := r.page(ctx, p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	return pg.lenses(ctx)
}

// lensAt is one lens: a line and the memories shown there.
type lensAt struct {
	line  int
	uuids []string
}

func (p *page) lenses(ctx context.Context) ([]protocol.CodeLens, error) {
	var out []protocol.CodeLens
	for _, at := range p.lensLines(ctx) {
		data, err := json.Marshal(lensData{URI: p.doc.URI, UUIDs: at.uuids})
		if err != nil {
			return nil, fmt.Errorf("code lens data: %w", err)
		}
		start, end := p.doc.Lines.Start(at.line), p.doc.Lines.End(at.line)
		out = append(out, protocol.CodeLens{Range: p.doc.Lines.Range(start, end, p.snap.Encoding), Data: data})
	}
	return out, nil
}

func (p *page) lensLines(ctx context.Context) []lensAt {
	byLine := make(map[int][]string)
	placed := make(map[string]bool)
	marks := p.marks(ctx)
	for i := range marks {
		m := &marks[i]
		if !m.found || m.anchor.Kind == anchor.KindFile || !p.folder.Shows(m.hit.Memory.UUID, folder.SurfaceLens) {
			continue
		}
		line := p.doc.Lines.Line(m.name.start)
		placed[m.hit.Memory.UUID] = true
		if !slices.Contains(byLine[line], m.hit.Memory.UUID) {
			byLine[line] = append(byLine[line], m.hit.Memory.UUID)
		}
	}
	for m := range p.whole().marks(p) {
		if uuid := m.hit.Memory.UUID; !placed[uuid] && p.folder.Shows(uuid, folder.SurfaceLens) {
			byLine[0] = append(byLine[0], uuid)
		}
	}
	out := make([]lensAt, 0, len(byLine))
	for line, uuids := range byLine {
		out = append(out, lensAt{line, uuids})
	}
	slices.SortFunc(out, func(a, b lensAt) int { return a.line - b.line })
	return p.capped(out)
}

// capped leaves at most as many lenses as a document may show. The memories of
// the others join those of the file, on the first line: nothing is hidden, and
// which stay depends on the memories and not on what is typed.
func (p *page) capped(lenses []lensAt) []lensAt {
	if len(lenses) <= p.settings.MaxPerFile {
		return lenses
	}
	places := make([][]memory.Hit, len(lenses))
	for i, l := range lenses {
		for _, uuid := range l.uuids {
			if h, ok := p.view.Get(uuid); ok && l.line > 0 {
				places[i] = append(places[i], h)
			}
		}
	}
	keeps := chosen(p.folder, places, folder.SurfaceLens, p.settings.MaxPerFile-1)
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

// distinct returns each uuid once, in their order.
func distinct(uuids []string) []string {
	var out []string
	for _, uuid := range uuids {
		if !slices.Contains(out, uuid) {
			out = append(out, uuid)
		}
	}
	return out
}

// CodeLensResolve fills in the title, from the memories as they are now.
func (s *server) CodeLensResolve(ctx context.Context, lens *protocol.CodeLens) (*protocol.CodeLens, error) {
	r := s.begin(ctx)
	var data lensData
	if err := json.Unmarshal(lens.Data, &data); err != nil {
		return nil, rpc.InvalidParams("the code lens carries no data of ours: %v", err)
	}
	live := make([]string, 0, len(data.UUIDs))
	for _, uuid := range distinct(data.UUIDs) {
		if _, _, ok := r.find(ctx, uuid); ok {
			live = append(live, uuid)
		}
	}
	args, err := rawArgs(data.URI, lens.Range.Start, live)
	if err != nil {
		return nil, err
	}
	title := "☞ " + render.Memories(len(live)) + " here" + r.lensState(ctx, data.URI, live)
	if len(live) == 0 {
		title = "☞ no memory here any more"
	}
	lens.Command = protocol.Command{Title: title, Command: cmdShow, Arguments: args}
	return lens, nil
}

// lensState says how many of a lens's memories may be stale, and which were
// followed from elsewhere.
func (r *request) lensState(ctx context.Context, u uri.URI, uuids []string) string {
	pg, ok := r.page(ctx, u)
	if !ok {
		return ""
	}
	stale, followed := make(map[string]bool), make(map[string]bool)
	for _, m := range pg.marks(ctx) {
		switch uuid := m.hit.Memory.UUID; {
		case !slices.Contains(uuids, uuid) || m.deleted:
		case doubtful(m.res):
			stale[uuid] = true
		case m.res.State == anchor.Followed:
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

// rawArgs marshals the arguments of a command.
func rawArgs(args ...any) ([]protocol.LSPAny, error) {
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
