package panel

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
)

// methodSearch asks for memories by words, meaning and structure.
const methodSearch = "manicule/search"

// Finder is what answers it. Memories that are no Finder are searched by words.
type Finder interface {
	Find(ctx context.Context, q search.Question) (search.Answer, error)
}

// searchParams are the parameters of a search. The document says which
// workspace is meant; without it all are.
type searchParams struct {
	TextDocument struct {
		URI uri.URI `json:"uri"`
	} `json:"textDocument"`
	search.Question
}

// foundHere is what one workspace has.
type foundHere struct {
	Root   string        `json:"root"`
	Hits   []foundHit    `json:"hits"`
	Answer search.Answer `json:"answer"`
}

// foundHit is a memory in the answer, with its own file.
type foundHit struct {
	Memory *file.Memory `json:"memory"`
	Score  float64      `json:"score"`
	File   uri.URI      `json:"file"`
	State  string       `json:"state,omitzero"`
}

// errNoQuestion is answered to a search without words.
var errNoQuestion = errors.New("manicule/search needs a text")

func (c *call) search(ctx context.Context) (any, error) {
	var p searchParams
	if err := json.Unmarshal(c.raw, &p); err != nil {
		return nil, rpc.InvalidParams("%s: %v", methodSearch, err)
	}
	if p.Text == "" {
		return nil, rpc.InvalidParams("%v", errNoQuestion)
	}
	if p.Limit <= 0 {
		p.Limit = memory.DefaultLimit
	}
	p.Explicit = true
	folders := c.env.Folders.All(ctx)
	if p.TextDocument.URI != "" {
		path, ok := convert.PathFrom(p.TextDocument.URI)
		if !ok {
			return nil, rpc.InvalidParams("%s is no file", p.TextDocument.URI)
		}
		f, _, ok := c.env.Folders.Owner(ctx, path)
		if folders = nil; ok {
			folders = []*folder.Folder{f}
		}
	}
	out := []foundHere{}
	for _, f := range folders {
		here, err := findIn(ctx, f, p.Question)
		if err != nil {
			return nil, fmt.Errorf("search the memories of %s: %w", f.Root, err)
		}
		out = append(out, here)
	}
	return out, nil
}

func findIn(ctx context.Context, f *folder.Folder, q search.Question) (foundHere, error) {
	out := foundHere{Root: f.Root, Hits: []foundHit{}}
	finder, ok := f.Memories.(Finder)
	if !ok {
		hits, err := f.Memories.Search(ctx, q.Text, q.Limit)
		for _, h := range hits {
			out.Hits = append(out.Hits, hitIn(f, h, h.Score))
		}
		return out, err
	}
	answer, err := finder.Find(ctx, q)
	if err != nil {
		return out, err
	}
	out.Answer = answer
	for _, x := range answer.Results {
		if h, ok := f.Memories.View().Get(x.ID); ok {
			out.Hits = append(out.Hits, hitIn(f, h, x.Score))
		}
	}
	return out, nil
}

func hitIn(f *folder.Folder, h memory.Hit, score float64) foundHit {
	return foundHit{h.Memory, score, f.URI(h.Path), string(h.Freshness().State)}
}
