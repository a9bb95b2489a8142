package panel

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/uri"

	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
)

// methodSearch searches memories by words, meaning and structure.
const methodSearch = "manicule/search"

// Searcher is the search of a workspace. Memories without one are searched by words.
type Searcher interface {
	Find(ctx context.Context, q search.Question) (search.Answer, error)
}

// searchParams are the parameters of a search. The document chooses the workspace;
// without one all are searched.
type searchParams struct {
	TextDocument struct {
		URI uri.URI `json:"uri"`
	} `json:"textDocument"`
	search.Question
}

// folderResult is the result of one workspace.
type folderResult struct {
	Root   string        `json:"root"`
	Hits   []searchHit   `json:"hits"`
	Answer search.Answer `json:"answer"`
}

// searchHit is a memory in the answer, with its file.
type searchHit struct {
	Memory *file.Memory `json:"memory"`
	Score  float64      `json:"score"`
	File   uri.URI      `json:"file"`
	State  string       `json:"state,omitzero"`
}

// errNoText is the error of a search without a text.
var errNoText = errors.New("manicule/search needs a text to search for")

func (c *call) search(ctx context.Context) (any, error) {
	var p searchParams
	if err := json.Unmarshal(c.raw, &p); err != nil {
		return nil, rpc.InvalidParams("%s: %v", methodSearch, err)
	}
	if p.Text == "" {
		return nil, rpc.InvalidParams("%v", errNoText)
	}
	if p.Limit <= 0 {
		p.Limit = memory.DefaultLimit
	}
	p.Explicit = true
	folders := c.env.Folders.All(ctx)
	if p.TextDocument.URI != "" {
		path, ok := c.snap.Path(p.TextDocument.URI)
		if !ok {
			return nil, rpc.InvalidParams("%s is not a file", p.TextDocument.URI)
		}
		f, _, ok := c.env.Folders.Owner(ctx, path)
		if folders = nil; ok {
			folders = []*folder.Folder{f}
		}
	}
	out := []folderResult{}
	for _, f := range folders {
		here, err := searchFolder(ctx, f, p.Question)
		if err != nil {
			return nil, fmt.Errorf("search the memories of %s: %w", f.Root, err)
		}
		out = append(out, here)
	}
	return out, nil
}

func searchFolder(ctx context.Context, f *folder.Folder, q search.Question) (folderResult, error) {
	out := folderResult{Root: f.Root, Hits: []searchHit{}}
	finder, ok := f.Memories.(Searcher)
	if !ok {
		hits, err := f.Memories.Recaller().Search(ctx, q.Text, q.Limit)
		for _, h := range hits {
			out.Hits = append(out.Hits, newSearchHit(f, h, h.Score))
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
			out.Hits = append(out.Hits, newSearchHit(f, h, x.Score))
		}
	}
	return out, nil
}

func newSearchHit(f *folder.Folder, h memory.Hit, score float64) searchHit {
	return searchHit{h.Memory, score, f.URI(h.Path), string(h.Freshness().State)}
}
