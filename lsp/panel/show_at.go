package panel

import (
	"context"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory/file"
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

func (c *call) showAt(ctx context.Context) (any, error) {
	var p showAtParams
	if err := json.Unmarshal(c.raw, &p); err != nil {
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
	f, rel, ok := c.env.Folders.Owner(ctx, path)
	if !ok {
		return []shownAt{}, nil
	}
	places, err := c.env.Pages.AtRevision(f, rel, p.Rev).PlacesAt(ctx)
	if err != nil {
		return nil, rpc.Failed(c.env.hinted(err))
	}
	out := []shownAt{}
	for _, at := range places {
		m := at.Hit.Memory
		out = append(out, shownAt{
			UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), State: at.State, Reason: at.Reason, Symbol: at.Symbol,
			Line: at.Line, EndLine: at.EndLine, Confidence: at.Confidence,
		})
	}
	return out, nil
}
