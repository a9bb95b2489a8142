package panel

import (
	"context"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/graph"
	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/rpc"
)

// Our own requests about the code graph. Their parameters name a document and a
// position in it, or a symbol. Their results are those of the commands of the same name
// (docs/json.md).
const (
	methodGraph   = "manicule/graph"
	methodImpact  = "manicule/impact"
	methodOutline = "manicule/outline"
)

// graphParams are the parameters of the requests about the code graph.
type graphParams struct {
	TextDocument struct {
		URI uri.URI `json:"uri"`
	} `json:"textDocument"`
	Position *protocol.Position `json:"position"`
	Symbol   string             `json:"symbol"`
	Depth    int                `json:"depth"`
	Possible bool               `json:"possible"` // include calls of the name whose target is unknown
}

// code answers a request about the code graph.
func (c *call) code(ctx context.Context) (any, error) {
	var p graphParams
	if err := json.Unmarshal(c.raw, &p); err != nil {
		return nil, rpc.InvalidParams("%s: %v", c.method, err)
	}
	f, rel, err := c.codeOwner(ctx, p.TextDocument.URI)
	if err != nil || f == nil {
		return nil, err
	}
	var answer any
	err = f.Index.Ask(ctx, c.snap, func(g *graph.Graph) error {
		syms, err := c.symbolsAt(ctx, g, rel, p)
		if err != nil {
			return err
		}
		answer = answerOf(c.method, g, rel, syms, p)
		if m, ok := answer.(map[string]any); ok && p.Possible && c.method == methodGraph {
			more, err := f.Code.Possible(ctx, syms)
			if err != nil {
				return err
			}
			m["possible"] = feature.OrEmpty(more)
		}
		return nil
	})
	return answer, err
}

func answerOf(method string, g *graph.Graph, rel string, syms []*graph.Symbol, p graphParams) any {
	switch method {
	case methodOutline:
		return map[string]any{"file": rel, "stale": g.Stale(rel), "symbols": feature.OrEmpty(g.Outline(rel))}
	case methodImpact:
		if p.Depth == 0 {
			p.Depth = graph.DefaultDepth
		}
		return g.Impact(syms, p.Depth)
	}
	return map[string]any{
		"file": rel, "symbol": p.Symbol, "stale": g.Stale(rel), "definitions": g.Refs(syms), "callers": feature.OrEmpty(g.Callers(syms)), "callees": feature.OrEmpty(g.Callees(syms)),
		"references": feature.OrEmpty(g.References(syms)), "imports": feature.OrEmpty(g.Imports(rel)), "dependents": feature.OrEmpty(g.Dependents(rel)),
	}
}

// codeOwner returns the folder of a document and the document's path in it, once the
// folder's code graph is ready. The folder is nil for a document outside of all
// workspaces.
func (c *call) codeOwner(ctx context.Context, u uri.URI) (*folder.Folder, string, error) {
	path, ok := c.snap.Path(u)
	if !ok {
		return nil, "", rpc.InvalidParams("%s is not a file", u)
	}
	f, rel, ok := c.env.Folders.Owner(ctx, path)
	if !ok {
		return nil, "", nil
	}
	if f.Code == nil {
		return nil, "", rpc.Failed(f.NoCode)
	}
	if err := f.Index.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, "", err
		}
		return nil, "", rpc.Failed(c.env.withHint(err))
	}
	return f, filepath.ToSlash(f.RealRel(rel)), nil
}

// symbolsAt returns the symbols that the parameters name: a symbol, the innermost one
// at a position, or those of the file.
func (c *call) symbolsAt(ctx context.Context, g *graph.Graph, rel string, p graphParams) ([]*graph.Symbol, error) {
	if p.Symbol == "" && p.Position != nil {
		d, err := c.snap.Read(ctx, p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		line := int(p.Position.Line) + 1
		if cell, ok := c.snap.Cell(p.TextDocument.URI); ok {
			line = d.Lines.Line(cell.Offset(*p.Position, c.snap.Encoding)) + 1
		} else if p.Position.Line >= uint32(d.Lines.Count()) {
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
