package lsp

import (
	"context"
	"errors"
	"slices"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/lsp/convert"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
)

// methodShowAt asks where the memories of a document were in a commit.
const methodShowAt = "manicule/showAt"

// showAtParams are its parameters. A document that is an old version itself may
// leave Rev out.
type showAtParams struct {
	TextDocument struct {
		URI uri.URI `json:"uri"`
	} `json:"textDocument"`
	Rev string `json:"rev"`
}

// shownAt is one anchor in its answer. Lines are 1-based.
type shownAt struct {
	UUID       string       `json:"uuid"`
	Type       file.Type    `json:"type"`
	What       string       `json:"what"`
	State      anchor.State `json:"state"`
	Reason     string       `json:"reason,omitempty"`
	Symbol     string       `json:"symbol,omitempty"`
	Line       int          `json:"line,omitempty"`
	EndLine    int          `json:"endLine,omitempty"`
	Confidence float64      `json:"confidence"`
}

func (s *server) showAt(ctx context.Context, raw protocol.LSPAny) (any, error) {
	r := s.begin(ctx)
	var p showAtParams
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, rpc.InvalidParams("%s: %v", methodShowAt, err)
	}
	path, ok := convert.PathFrom(p.TextDocument.URI)
	if !ok {
		var rev string
		if path, rev, ok = convert.RevisionFrom(p.TextDocument.URI); !ok {
			return nil, rpc.InvalidParams("%s is neither a file nor an old version of one", p.TextDocument.URI)
		}
		if p.Rev == "" {
			p.Rev = rev
		}
	}
	if p.Rev == "" {
		return nil, rpc.InvalidParams("%s needs a revision: the name of a commit in rev", methodShowAt)
	}
	f, rel, ok := r.folders.Owner(ctx, path)
	if !ok {
		return []shownAt{}, nil
	}
	pg := &page{request: r, folder: f, view: f.Memories.View(), rel: rel, rev: p.Rev}
	places, err := pg.placesAt(ctx)
	if err != nil {
		return nil, rpc.Failed(r.hinted(err))
	}
	out := []shownAt{}
	for _, at := range places {
		m := at.hit.Memory
		out = append(out, shownAt{
			UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), State: at.State, Reason: at.Reason, Symbol: at.Symbol,
			Line: at.Line, EndLine: at.EndLine, Confidence: at.Confidence,
		})
	}
	return out, nil
}

// placeAt is an anchor in an old version.
type placeAt struct {
	follow.Place
	hit memory.Hit
}

// placesAt returns the anchors that were in the page's file at its revision.
func (p *page) placesAt(ctx context.Context) ([]placeAt, error) {
	if p.folder.Tracker == nil {
		return nil, folder.ErrNoTracker
	}
	if p.opts.Commit == nil {
		return nil, errors.New("this server shows no old versions")
	}
	commit, err := p.opts.Commit(ctx, p.folder.Memories.Root(), p.rev)
	if err != nil {
		return nil, err
	}
	var out []placeAt
	for _, h := range p.mayConcern() {
		then, places, err := p.folder.Tracker.At(ctx, h.Memory, commit)
		if err != nil {
			return nil, err
		}
		h.Memory = then
		for _, at := range places {
			if at.Path == p.rel && at.State != anchor.Orphaned && at.State != "" {
				out = append(out, placeAt{at, h})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b placeAt) int { return a.Line - b.Line })
	return out, nil
}

// mayConcern returns the memories with an anchor whose record names the file, or
// that is in it now: those that can have been in it before.
func (p *page) mayConcern() []memory.Hit {
	hits := p.view.Anchored(p.rel)
	for _, at := range p.folder.Tracker.In(p.rel) {
		if h, ok := p.view.Get(at.Memory); ok && !slices.ContainsFunc(hits, func(o memory.Hit) bool { return o.Memory.UUID == h.Memory.UUID }) {
			hits = append(hits, h)
		}
	}
	return hits
}

// marksAt is marks for an old version, whose text the client shows.
func (p *page) marksAt(ctx context.Context) []mark {
	places, err := p.placesAt(ctx)
	if err != nil {
		if ctx.Err() == nil {
			p.opts.Log.Info("show memories in an old version", "file", p.rel, "rev", p.rev, "err", err)
		}
		return nil
	}
	f := p.parsed(ctx, p.doc)
	var marks []mark
	for _, at := range places {
		m := mark{hit: at.hit, index: at.Index, anchor: at.Anchor, symbol: at.Symbol}
		m.res = anchor.Resolution{State: at.State, Reason: at.Reason, Path: at.Path, Symbol: at.Symbol, Ordinal: at.Ordinal, Line: at.Line, EndLine: at.EndLine, Confidence: at.Confidence}
		m.res.Start, m.res.End = p.spanOf(at.Place, f)
		marks = append(marks, markAt(m, f, p.doc))
	}
	return marks
}

// spanOf is the bytes of a place: of its declaration where the text has it, else
// of its lines.
func (p *page) spanOf(at follow.Place, f *extract.File) (start, end int) {
	if f != nil && at.Anchor.Declared() {
		if sym, ok := f.Find(at.Symbol, at.Ordinal); ok {
			return sym.Start, sym.End
		}
	}
	last := p.doc.Lines.Count() - 1
	first := min(max(at.Line-1, 0), last)
	return p.doc.Lines.Start(first), p.doc.Lines.End(min(max(at.EndLine-1, first), last))
}
