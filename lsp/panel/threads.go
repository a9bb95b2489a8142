package panel

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory/thread"
)

// methodThreads returns what sessions have left for the next one.
const methodThreads = "manicule/threads"

// threadItem is an open or parked thread in the answer of manicule/threads.
type threadItem struct {
	UUID       string             `json:"uuid"`
	Kind       thread.Kind        `json:"kind"`
	State      thread.State       `json:"state"`
	Text       string             `json:"text"`
	Why        string             `json:"why,omitzero"`
	Resolution string             `json:"resolution,omitzero"` // why it was parked or reopened
	Owner      string             `json:"owner,omitzero"`
	By         string             `json:"by"`
	Agent      bool               `json:"agent"`
	Observed   bool               `json:"observed"` // nobody wrote it
	Tainted    bool               `json:"tainted"`
	Shared     bool               `json:"shared"` // a file of the repository
	Branch     string             `json:"branch,omitzero"`
	Folder     uri.URI            `json:"folder"`
	Path       string             `json:"path,omitzero"`
	Location   *protocol.Location `json:"location,omitempty"` // of the name, if the code is found
	UpdatedAt  time.Time          `json:"updatedAt"`
}

// maxLocated is how many threads of an answer are looked up in their files.
const maxLocated = 200

func (c *call) threads(ctx context.Context, p params) (any, error) {
	folders, err := c.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	if p.Limit != nil && *p.Limit < 0 {
		return nil, rpc.InvalidParams("limit must not be negative")
	}
	answer := struct {
		Threads   []threadItem `json:"threads"`
		Total     int          `json:"total"`     // also of those that the limit leaves out
		Open      int          `json:"open"`      // of these, those that are not parked
		Elsewhere int          `json:"elsewhere"` // open ones of other branches
	}{Threads: []threadItem{}}
	for _, f := range folders {
		list, err := f.Threads.All(ctx)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(t thread.Thread) bool { return t.State.Closed() })
		if len(list) == 0 {
			continue // without looking at git
		}
		from := f.Threads.From(f.Memories.Root())
		from.Rank(list)
		sorting.StableFunc(list, func(a, b thread.Thread) int { return cmp.Compare(rankOfState(a.State), rankOfState(b.State)) })
		for i := range list {
			t := &list[i]
			if !from.Concerns(t) {
				if t.State == thread.StateOpen {
					answer.Elsewhere++
				}
				continue
			}
			answer.Total++
			if t.State == thread.StateOpen {
				answer.Open++
			}
			if p.Limit != nil && len(answer.Threads) >= *p.Limit {
				continue
			}
			answer.Threads = append(answer.Threads, c.thread(ctx, f, t, len(answer.Threads) < maxLocated))
		}
	}
	return answer, nil
}

// rankOfState puts the open threads first.
func rankOfState(s thread.State) int {
	if s == thread.StateOpen {
		return 0
	}
	return 1
}

func (c *call) thread(ctx context.Context, f *folder.Folder, t *thread.Thread, locate bool) threadItem {
	m := t.Memory
	out := threadItem{
		UUID: m.UUID, Kind: t.Kind, State: t.State, Text: render.Printable(m.What), Why: render.Printable(m.Why), Resolution: render.Printable(t.Resolution),
		Owner: render.Printable(t.Owner), By: render.Printable(t.By()), Agent: t.Agent != "", Observed: t.Observed(), Tainted: m.Trust.Tainted, Shared: t.Shared,
		Branch: render.Printable(t.Branch), Folder: f.RelURI(""), UpdatedAt: t.Updated,
	}
	if len(m.Anchors) == 0 {
		return out
	}
	out.Path = m.Anchors[0].Path
	if !locate {
		return out
	}
	pg, ok := c.env.Pages.Open(ctx, c.snap, f.RelURI(out.Path))
	if !ok || pg.Folder != f {
		return out // the file is gone
	}
	at := page.Span{}
	if found := pg.LocateAnchor(ctx, m.Anchors[0]); found.Found && found.Anchor.Kind != anchor.KindFile {
		at = found.Name
	}
	out.Location = new(pg.Location(at))
	return out
}
