package panel

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory/file"
)

// methodCandidate returns one candidate with the code that it is about. The list of them
// has no code: it may be long, and each piece has to be looked for in its file.
const methodCandidate = "manicule/candidate"

// Of a candidate, at most this much code is shown.
const (
	mostPlaces = 3
	mostLines  = 12
)

// candidateItem is the answer of manicule/candidate.
type candidateItem struct {
	feature.Candidate
	Code []codeItem `json:"code"`
}

// codeItem is a place that a candidate is about, and how its code begins.
type codeItem struct {
	Path     string            `json:"path"`
	Location protocol.Location `json:"location"` // of the name
	Text     string            `json:"text"`
	More     int               `json:"more,omitzero"` // how many lines of it are left out
}

func (c *call) candidate(ctx context.Context, p params) (any, error) {
	if strings.TrimSpace(p.UUID) == "" {
		return nil, rpc.InvalidParams("uuid is missing; try: the uuid of a candidate")
	}
	for _, f := range c.from(ctx, p) {
		found, anchored, err := waiting(ctx, f, p.UUID)
		if err != nil {
			return nil, err
		}
		if found != nil {
			found.Folder = f.RelURI("")
			return candidateItem{*found, c.codeOf(ctx, f, anchored)}, nil
		}
	}
	return nil, rpc.InvalidParams("nothing with the id %q waits for review", p.UUID)
}

// waiting returns what of a folder waits for review under an id or its short form, or nil, and the memory in it.
func waiting(ctx context.Context, f *folder.Folder, id string) (*feature.Candidate, *file.Memory, error) {
	list, err := f.Memories.Drafts().Candidates(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range list {
		if named(x.Memory, id) {
			found := feature.CandidateOf(x)
			return &found, x.Memory, nil
		}
	}
	for _, h := range feature.Conflicts(f) {
		if named(h.Memory, id) {
			found := feature.ConflictCandidate(h)
			return &found, h.Memory, nil
		}
	}
	for _, t := range f.OpenThreads.Undecided() {
		if named(t.Memory, id) {
			found := feature.ThreadConflictCandidate(&t)
			return &found, t.Memory, nil
		}
	}
	held, err := f.Memories.Quarantine().List(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, h := range held {
		if named(h.Memory, id) {
			found := feature.HeldCandidate(f, h)
			return &found, h.Memory, nil
		}
	}
	return nil, nil, nil
}

func named(m *file.Memory, id string) bool { return m.UUID == id || m.ShortID() == id }

// codeOf returns the code that a memory is anchored to. Files as a whole are left out: how
// they begin says nothing.
func (c *call) codeOf(ctx context.Context, f *folder.Folder, m *file.Memory) []codeItem {
	out := []codeItem{}
	for _, a := range m.Anchors[:min(len(m.Anchors), mostPlaces)] {
		pg, ok := c.env.Pages.Open(ctx, c.snap, f.RelURI(a.Path))
		if !ok || pg.Folder != f {
			continue // the file is gone
		}
		at := pg.LocateAnchor(ctx, a)
		if !at.Found || at.Body.End == 0 {
			continue
		}
		lines := pg.Doc.Lines
		first, last := pg.LinesOf(at.Body)
		shown := min(last, first+mostLines-1)
		out = append(out, codeItem{
			Path: a.Path, Location: pg.Location(at.Name),
			Text: render.Printable(string(pg.Doc.Text()[lines.Start(first):lines.End(shown)])), More: last - shown,
		})
	}
	return out
}
