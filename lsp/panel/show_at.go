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

// methodShowAt returns where the memories of a document were in a commit.
const methodShowAt = "manicule/showAt"

// showAtParams are the parameters of manicule/showAt. Rev may be left out if the
// document itself is an old version.
type showAtParams struct {
	TextDocument struct {
		URI uri.URI `json:"uri"`
	} `json:"textDocument"`
	Rev string `json:"rev"`
}

// showAtAnchor is an anchor in the answer. Lines are 1-based.
type showAtAnchor struct {
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
	path, ok := c.snap.Path(p.TextDocument.URI)
	if !ok {
		var rev string
		if path, rev, ok = convert.RevisionFrom(p.TextDocument.URI); !ok {
			return nil, rpc.InvalidParams("%s is not a file or an old version of one", p.TextDocument.URI)
		}
		if p.Rev == "" {
			p.Rev = rev
		}
	}
	if p.Rev == "" {
		return nil, rpc.InvalidParams("%s needs a revision; try: a commit, branch or tag in rev", methodShowAt)
	}
	f, rel, ok := c.env.Folders.Owner(ctx, path)
	if !ok {
		return []showAtAnchor{}, nil
	}
	places, err := c.env.Pages.AtRevision(f, rel, p.Rev).PlacesAt(ctx)
	if err != nil {
		return nil, rpc.Failed(c.env.withHint(err))
	}
	out := []showAtAnchor{}
	for _, at := range places {
		m := at.Hit.Memory
		out = append(out, showAtAnchor{
			UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), State: at.State, Reason: at.Reason, Symbol: at.Symbol,
			Line: at.Line, EndLine: at.EndLine, Confidence: at.Confidence,
		})
	}
	return out, nil
}
