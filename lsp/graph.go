package lsp

import (
	"context"
	"errors"
	"path/filepath"

	"manicule/lsp/folder"

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
	err = f.WithGraph(ctx, r.snap, "", func(g *graph.Graph) error {
		syms, err := r.symbolsAt(ctx, g, rel, p)
		if err != nil {
			return err
		}
		answer = answerOf(method, g, rel, syms, p)
		if m, ok := answer.(map[string]any); ok && p.Possible && method == methodGraph {
			more, err := f.Code.Possible(ctx, syms)
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
func (r *request) codeOwner(ctx context.Context, u uri.URI) (*folder.Folder, string, error) {
	path, ok := convert.PathFrom(u)
	if !ok {
		return nil, "", rpc.InvalidParams("%s is no file", u)
	}
	f, rel, ok := r.folders.Owner(ctx, path)
	if !ok {
		return nil, "", nil
	}
	if f.Code == nil {
		return nil, "", rpc.Failed(f.NoCode)
	}
	if err := f.WaitIndexed(ctx); err != nil {
		return nil, "", err
	}
	return f, filepath.ToSlash(rel), nil
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
