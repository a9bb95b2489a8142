package lsp

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/action"
	"manicule/lsp/client"
	"manicule/lsp/convert"
	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/panel"
	"manicule/lsp/rpc"
	"manicule/lsp/session"
	"manicule/lsp/settings"
)

// request is the state that a request is answered from: that at its place in wire
// order.
type request struct {
	snap     *session.Snapshot
	settings *settings.Settings
}

// requests answers what the client asks. It changes nothing of the documents, folders
// and settings: notifications do that.
type requests struct {
	protocol.UnimplementedServer
	client  *client.Client
	session *session.Session
	folders *folder.Set
	pages   *page.Cache
	config  *configuration
	idle    *idleTimer
	actions *action.Env
	panel   *panel.Panel
	now     func() time.Time
	sent    sentDiagnostics
	opened  atomic.Uint64 // documents opened so far
}

// begin takes the state for a request and releases the order, so that later messages
// run concurrently. Every request handler calls it first, and once.
func (s *requests) begin(ctx context.Context) request {
	r := s.current()
	s.idle.reset()
	rpc.Release(ctx)
	return r
}

// current returns the current state, for work that no request started.
func (s *requests) current() request { return request{s.session.Snapshot(), s.config.current.Load()} }

// askedAbout notes the document of a request whose answer has commands.
func (s *requests) askedAbout(r request, u uri.URI) {
	if path, ok := r.snap.Path(u); ok {
		s.folders.AskedAbout(path)
	}
}

// Hover shows the memories at a position.
func (s *requests) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	r := s.begin(ctx)
	if !r.settings.Hover {
		return nil, nil
	}
	s.askedAbout(r, p.TextDocument.URI)
	pg, ok := s.pages.OpenEarly(ctx, r.snap, p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	return feature.Hover(ctx, pg, p.Position, feature.HoverOptions{
		Settings: r.settings, Markdown: s.client.Capabilities.Markdown, Now: s.now(), Links: action.Links(),
		Told: func(t feature.Telling) bool { return s.sent.settled(p.TextDocument.URI, t, s.now()) },
	}), nil
}

// CodeLens returns the places of the lenses; [requests.CodeLensResolve] adds their
// titles.
func (s *requests) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	r := s.begin(ctx)
	if !r.settings.CodeLens {
		return nil, nil
	}
	if m, ok := s.pages.OpenMemoryFile(ctx, r.snap, p.TextDocument.URI); ok {
		if s.client.Capabilities.InlayHints {
			return nil, nil
		}
		return feature.ScopeLenses(ctx, m, r.settings), ctx.Err()
	}
	pg, ok := s.pages.Open(ctx, r.snap, p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	out, err := feature.Lenses(ctx, pg, r.settings)
	if err != nil {
		return nil, err
	}
	threads, err := feature.ThreadLenses(ctx, pg, r.settings)
	out = feature.InOrder(append(out, threads...))
	for i := 0; s.client.Capabilities.LensTitles && i < len(out); i++ {
		if err := s.title(ctx, r, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, err
}

// CodeLensResolve sets the title, from the memories as they are now.
func (s *requests) CodeLensResolve(ctx context.Context, lens *protocol.CodeLens) (*protocol.CodeLens, error) {
	return lens, s.title(ctx, s.begin(ctx), lens)
}

// title sets the title of a lens.
func (s *requests) title(ctx context.Context, r request, lens *protocol.CodeLens) error {
	var data feature.LensData
	if err := json.Unmarshal(lens.Data, &data); err != nil {
		return rpc.InvalidParams("the code lens carries no data of ours: %v", err)
	}
	if data.Thread != "" {
		return feature.ResolveThreadLens(lens, data)
	}
	path, _ := r.snap.Path(data.URI)
	live := slices.DeleteFunc(slices.Clone(data.UUIDs), func(uuid string) bool {
		_, _, ok := s.folders.Find(ctx, uuid, path)
		return !ok
	})
	pg, _ := s.pages.Open(ctx, r.snap, data.URI)
	return feature.ResolveLens(ctx, lens, data, live, pg)
}

// InlayHint says in a memory's own file what its scope matches.
func (s *requests) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	r := s.begin(ctx)
	m, ok := s.pages.OpenMemoryFile(ctx, r.snap, p.TextDocument.URI)
	if !ok {
		return nil, ctx.Err()
	}
	return feature.InlayHints(ctx, m, p.Range, r.settings), ctx.Err()
}

// DocumentLink links files and memories: in a memory's own file all of its paths and
// ids, elsewhere citations.
func (s *requests) DocumentLink(ctx context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	r := s.begin(ctx)
	path, ok := convert.PathFrom(p.TextDocument.URI)
	ours := ok && page.IsMemoryFile(path)
	if doc, open := r.snap.Get(p.TextDocument.URI); !ours && (!open || !feature.HasCitations(doc.Text())) {
		return nil, nil
	}
	pg, ok := s.pages.Open(ctx, r.snap, p.TextDocument.URI)
	switch {
	case !ok:
		return nil, nil
	case ours:
		return asTaken(s.client, feature.FileLinks(pg)), nil
	}
	return asTaken(s.client, feature.Citations(pg)), nil
}

// asTaken is links without tooltips for a client that shows none.
func asTaken(c *client.Client, links []protocol.DocumentLink) []protocol.DocumentLink {
	if !c.Capabilities.LinkTooltips {
		for i := range links {
			links[i].Tooltip = nil
		}
	}
	return links
}

// Symbols finds memories by their text.
func (s *requests) Symbols(ctx context.Context, p *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	s.begin(ctx)
	return feature.Symbols(ctx, s.folders.All(ctx), p.Query)
}

// DocumentSymbol lists the symbols of a document if a setting turns that on. For most
// languages another server does it.
func (s *requests) DocumentSymbol(ctx context.Context, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	r := s.begin(ctx)
	if !r.settings.DocumentSymbols {
		return nil, nil
	}
	d, err := r.snap.Read(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	inPart := func(int) bool { return true }
	rangeOf := func(start, end int) protocol.Range { return d.Lines.Range(start, end, r.snap.Encoding) }
	if cell, ok := r.snap.Cell(p.TextDocument.URI); ok {
		inPart = cell.Holds
		rangeOf = func(start, end int) protocol.Range { return cell.Range(start, end, r.snap.Encoding) }
	}
	tree, err := feature.DocumentSymbols(ctx, d, inPart, rangeOf)
	if err != nil || s.client.Capabilities.NestedSymbols {
		return tree, err
	}
	return feature.FlatSymbols(p.TextDocument.URI, tree), nil
}

// CodeAction offers what a person can do at a range.
func (s *requests) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	r := s.begin(ctx)
	if !r.settings.CodeActions && !action.AsksWhatToRemember(p.Context) {
		return nil, nil
	}
	s.askedAbout(r, p.TextDocument.URI)
	return action.Offers(ctx, s.pages, r.snap, p, action.OfferOptions{Settings: r.settings, Literals: s.client.Capabilities.ActionLiterals,
		Menus: r.settings.ClientLists || s.client.Capabilities.Questions})
}

// ExecuteCommand runs one of our commands.
func (s *requests) ExecuteCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	r := s.begin(ctx)
	return s.actions.Execute(ctx, r.snap, r.settings, p)
}

// Request answers our own methods.
func (s *requests) Request(ctx context.Context, method string, params any) (any, error) {
	r := s.begin(ctx)
	raw, _ := params.(protocol.LSPAny)
	return s.panel.Answer(ctx, r.snap, method, raw)
}

// WillRenameFiles stores the places of the files' anchors. It edits nothing.
func (s *requests) WillRenameFiles(ctx context.Context, p *protocol.RenameFilesParams) (*protocol.WorkspaceEdit, error) {
	s.begin(ctx)
	for _, file := range p.Files {
		if from, ok := convert.PathFrom(uri.URI(file.OldURI)); ok {
			s.folders.Renames.Will(ctx, from)
		}
	}
	return nil, nil
}
