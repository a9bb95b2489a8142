package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/graph"
	"manicule/lsp/convert"
	"manicule/lsp/rpc"
)

// The requests of our own about the code graph. Their parameters name a
// document and a position in it, or a symbol; their results are those of the
// commands of the same name (docs/json.md).
const (
	methodGraph   = "manicule/graph"
	methodImpact  = "manicule/impact"
	methodOutline = "manicule/outline"
)

// Code is what the server needs of a workspace's code graph. It is safe for
// concurrent use.
type Code interface {
	Sync(ctx context.Context, progress func(graph.Progress), first ...string) (graph.Report, error)
	Watch(ctx context.Context, done func(graph.Report, error)) error
	Update(ctx context.Context, paths []string) (graph.Report, error)
	Overlay(ctx context.Context, sources map[string]graph.Source) error
	Graph(ctx context.Context) (*graph.Graph, error)
	Possible(ctx context.Context, of []*graph.Symbol) ([]graph.Relation, error)
	Release(unusedFor time.Duration)
	Close() error
}

// codeOf returns the code graph of a workspace, or why there is none.
func (s *server) codeOf(root string) (Code, error) {
	if s.opts.Graph == nil {
		return nil, errors.New("this server keeps no code graph")
	}
	if !s.settings.Load().CodeGraph {
		return nil, errors.New("the code graph is turned off: set index.enabled to true and start the server again")
	}
	return s.opts.Graph(root)
}

// busyAfter is how long to wait for another process that indexes.
const busyAfter = 2 * time.Second

// follow keeps the code graph of a folder up to its files while it is open:
// what the person has open first, then the rest, then what changes.
func (s *server) follow(ctx context.Context, f *folder) {
	defer func() {
		if err := f.code.Close(); err != nil {
			s.opts.Log.Warn("close the code graph", "root", f.root, "err", err)
		}
	}()
	select { // what an editor asks right after it has opened a folder comes first
	case <-time.After(s.opts.IndexAfter):
	case <-f.wanted:
	case <-ctx.Done():
		return
	}
	for {
		err := s.index(ctx, f)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, graph.ErrBusy) {
			s.log.Warn("index the code", "root", f.root, "err", err)
			f.reading.failed.Store(true)
			s.changes.soon()
			return
		}
		select {
		case <-time.After(busyAfter):
		case <-ctx.Done():
			return
		}
	}
	close(f.indexed)
	s.changes.soon()
	f.code.Release(0) // building takes much more than keeping what nobody has asked for yet
	err := f.code.Watch(ctx, func(_ graph.Report, err error) {
		f.wantPlaces() // the code changed, whoever did it
		if err != nil && ctx.Err() == nil {
			s.log.Warn("follow the code", "root", f.root, "err", err)
		}
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("follow the code", "root", f.root, "err", err)
	}
}

// releaseIdle gives back what nobody has used for a while: the code graph, and
// git's objects.
func (s *server) releaseIdle(ctx context.Context, f *folder) {
	tick := time.NewTicker(s.opts.Keep / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if f.code != nil {
			f.code.Release(s.opts.Keep)
		}
		if f.tracker == nil {
			continue
		}
		if err := f.tracker.Rest(s.opts.Keep); err != nil {
			s.opts.Log.Warn("close git's files", "root", f.root, "err", err)
		}
	}
}

// index brings the graph up to the files, and shows how far it is when that
// takes long.
func (s *server) index(ctx context.Context, f *folder) error {
	var first []string
	for _, d := range s.session.Snapshot().Documents() {
		if rel, ok := convert.RelFrom(f.root, d.Path); ok && d.Open {
			first = append(first, filepath.ToSlash(rel))
		}
	}
	token := protocol.String("manicule-index-" + filepath.Base(f.root))
	begin, shown, told, last := s.opts.Now(), false, false, time.Time{}
	_, err := f.code.Sync(ctx, func(p graph.Progress) {
		now := s.opts.Now()
		f.reading.done.Store(int64(p.Done))
		f.reading.total.Store(int64(p.Total))
		s.changes.soon()
		if p.First && !told && now.Sub(begin) >= s.opts.ProgressAfter {
			told = true
			s.log.Info("this code is read for the first time: answers about it wait until that is done", "root", f.root, "files", p.Total)
		}
		if !s.client.Capabilities.Progress || now.Sub(begin) < s.opts.ProgressAfter || now.Sub(last) < progressEvery {
			return
		}
		last = now
		done := uint32(100 * p.Done / max(1, p.Total))
		text := fmt.Sprintf("%s %d of %d files", p.Phase, p.Done, p.Total)
		if !shown {
			title := "Manicule: code graph"
			if p.First {
				title += ", for the first time"
			}
			if !s.client.CreateProgress(ctx, token) {
				last = now.Add(time.Hour) // it doesn't want to know
				return
			}
			shown = true
			s.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Message: &text, Percentage: &done})
			return
		}
		s.client.Progress(ctx, token, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &done})
	}, first...)
	if shown {
		s.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
	}
	return err
}

// progressEvery is the least time between two messages about progress.
const progressEvery = 100 * time.Millisecond

// savedCode has a saved file read again at once; the watcher would gather
// events first.
func (s *server) savedCode(path string) {
	s.spawn(func(ctx context.Context) {
		f, rel, ok := s.folders.owner(ctx, path)
		if !ok || f.code == nil || !f.isIndexed() {
			return
		}
		if _, err := f.code.Update(ctx, []string{filepath.ToSlash(rel)}); err != nil && !errors.Is(err, graph.ErrBusy) && ctx.Err() == nil {
			s.log.Warn("index a saved file", "path", path, "err", err)
		}
	})
}

func (f *folder) isIndexed() bool {
	select {
	case <-f.indexed:
		return true
	default:
		return false
	}
}

// graphParams are the parameters of our requests.
type graphParams struct {
	TextDocument struct {
		URI uri.URI `json:"uri"`
	} `json:"textDocument"`
	Position *protocol.Position `json:"position"`
	Symbol   string             `json:"symbol"`
	Depth    int                `json:"depth"`
	Possible bool               `json:"possible"` // also the calls of the name that nothing is known of
}

// Request answers the methods of our own.
func (s *server) Request(ctx context.Context, method string, params any) (any, error) {
	raw, _ := params.(protocol.LSPAny)
	switch method {
	case methodShowAt:
		return s.showAt(ctx, raw)
	case methodSearch:
		return s.search(ctx, raw)
	case methodGraph, methodImpact, methodOutline:
	default:
		return s.panel(ctx, method, raw)
	}
	r := s.begin(ctx)
	var p graphParams
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, rpc.InvalidParams("%s: %v", method, err)
	}
	f, rel, err := r.codeOwner(ctx, p.TextDocument.URI)
	if err != nil || f == nil {
		return nil, err
	}
	var answer any
	err = r.withCode(ctx, f, "", func(g *graph.Graph) error {
		syms, err := r.symbolsAt(ctx, g, rel, p)
		if err != nil {
			return err
		}
		answer = answerOf(method, g, rel, syms, p)
		if m, ok := answer.(map[string]any); ok && p.Possible && method == methodGraph {
			more, err := f.code.Possible(ctx, syms)
			if err != nil {
				return err
			}
			m["possible"] = some(more)
		}
		return nil
	})
	return answer, err
}

func answerOf(method string, g *graph.Graph, rel string, syms []*graph.Symbol, p graphParams) any {
	switch method {
	case methodOutline:
		return map[string]any{"file": rel, "stale": g.Stale(rel), "symbols": some(g.Outline(rel))}
	case methodImpact:
		if p.Depth == 0 {
			p.Depth = graph.DefaultDepth
		}
		return g.Impact(syms, p.Depth)
	}
	return map[string]any{
		"file": rel, "symbol": p.Symbol, "stale": g.Stale(rel), "definitions": g.Refs(syms), "callers": some(g.Callers(syms)), "callees": some(g.Callees(syms)),
		"references": some(g.References(syms)), "imports": some(g.Imports(rel)), "dependents": some(g.Dependents(rel)),
	}
}

// some is a list that is written as [] when it is empty.
func some[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// codeOwner returns the folder with the graph that a document belongs to, when
// it is ready, and the document's path in it. The folder is nil for a document
// outside of all workspaces.
func (r *request) codeOwner(ctx context.Context, u uri.URI) (*folder, string, error) {
	path, ok := convert.PathFrom(u)
	if !ok {
		return nil, "", rpc.InvalidParams("%s is no file", u)
	}
	f, rel, ok := r.folders.owner(ctx, path)
	if !ok {
		return nil, "", nil
	}
	if f.code == nil {
		return nil, "", rpc.Failed(f.noCode)
	}
	select {
	case f.wanted <- struct{}{}:
	default: // somebody wants it already
	}
	select {
	case <-f.indexed:
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	return f, filepath.ToSlash(rel), nil
}

// withCode calls use with the code graph of a folder as the unsaved buffers make
// it, all but one of them. Nobody puts other buffers over it meanwhile.
func (r *request) withCode(ctx context.Context, f *folder, except uri.URI, use func(*graph.Graph) error) error {
	f.asking.Lock()
	defer f.asking.Unlock()
	unsaved := map[string]graph.Source{}
	for _, d := range r.snap.Documents() {
		if in, ok := convert.RelFrom(f.root, d.Path); ok && d.Open && d.Base() != d && d.URI != except {
			unsaved[filepath.ToSlash(in)] = d
		}
	}
	if err := f.code.Overlay(ctx, unsaved); err != nil {
		return fmt.Errorf("put unsaved text over the code graph: %w", err)
	}
	g, err := f.code.Graph(ctx)
	if err != nil {
		return fmt.Errorf("load the code graph: %w", err)
	}
	return use(g)
}

// symbolsAt finds what the parameters name: a symbol, the innermost one at a
// position, or the file.
func (r *request) symbolsAt(ctx context.Context, g *graph.Graph, rel string, p graphParams) ([]*graph.Symbol, error) {
	if p.Symbol == "" && p.Position != nil {
		d, err := r.snap.Read(ctx, p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		line := int(p.Position.Line) + 1
		if p.Position.Line >= uint32(d.Lines.Count()) {
			return nil, rpc.InvalidParams("the document has no line %d", line)
		}
		return g.SymbolsAt(rel, [][2]int{{line, line}}), nil
	}
	found := g.Find(rel, p.Symbol)
	if len(found) == 0 {
		return nil, rpc.InvalidParams("%s has no symbol %q", rel, p.Symbol)
	}
	return found, nil
}

// DocumentSymbol lists the symbols of a document, where a setting wants it:
// other servers own that for most languages.
func (s *server) DocumentSymbol(ctx context.Context, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	r := s.begin(ctx)
	if !r.settings.DocumentSymbols {
		return nil, nil
	}
	d, err := r.snap.Read(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f, err := d.Parsed(ctx)
	if err != nil || f == nil {
		return nil, err
	}
	enc := r.snap.Encoding
	children := make([][]int, len(f.Symbols))
	var top []int
	for i, s := range f.Symbols {
		if s.Parent >= 0 {
			children[s.Parent] = append(children[s.Parent], i)
		} else {
			top = append(top, i)
		}
	}
	var build func(all []int) []protocol.DocumentSymbol
	build = func(all []int) []protocol.DocumentSymbol {
		out := make([]protocol.DocumentSymbol, 0, len(all))
		for _, i := range all {
			s := f.Symbols[i]
			out = append(out, protocol.DocumentSymbol{
				Name: s.Name, Detail: &s.Signature, Kind: symbolKind(s.Kind), Range: d.Lines.Range(s.Start, s.End, enc),
				SelectionRange: d.Lines.Range(max(s.NameStart, s.Start), max(s.Start, min(s.NameEnd, s.End)), enc), Children: build(children[i]),
			})
		}
		return out
	}
	return protocol.DocumentSymbolSlice(build(top)), nil
}

func symbolKind(kind string) protocol.SymbolKind {
	switch kind {
	case "function":
		return protocol.SymbolKindFunction
	case "method":
		return protocol.SymbolKindMethod
	case "class", "type":
		return protocol.SymbolKindClass
	case "interface", "trait":
		return protocol.SymbolKindInterface
	case "struct":
		return protocol.SymbolKindStruct
	case "enum":
		return protocol.SymbolKindEnum
	case "const":
		return protocol.SymbolKindConstant
	case "field":
		return protocol.SymbolKindField
	case "module":
		return protocol.SymbolKindModule
	case "section":
		return protocol.SymbolKindString
	case "key":
		return protocol.SymbolKindKey
	}
	return protocol.SymbolKindVariable
}
