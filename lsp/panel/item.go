package panel

import (
	"cmp"
	"context"
	"math"
	"path"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/file"
)

// item is a memory in an editor's panel. docs/lsp.md describes its members; positions
// are in the client's units.
type item struct {
	UUID        string             `json:"uuid"`
	Type        file.Type          `json:"type"`
	Layer       file.Layer         `json:"layer"`
	What        string             `json:"what"`
	Why         string             `json:"why,omitzero"`
	URI         uri.URI            `json:"uri"` // of its own file, "" for none
	Location    *protocol.Location `json:"location,omitempty"`
	Path        string             `json:"path,omitzero"` // relative to the workspace, with forward slashes
	Scope       []string           `json:"scope,omitempty"`
	Tags        []string           `json:"tags,omitempty"`
	State       anchor.State       `json:"state"` // "" without anchors
	Reason      string             `json:"reason,omitzero"`
	Suggestion  *suggestionItem    `json:"suggestion,omitempty"`
	Anchor      *int               `json:"anchor,omitempty"` // index of the anchor that state and suggestion are about
	Trust       trustItem          `json:"trust"`
	Contributor string             `json:"contributor,omitzero"`
	Confidence  float64            `json:"confidence"`
	Importance  file.Importance    `json:"importance,omitzero"`
	Pinned      bool               `json:"pinned"`
	Disputed    bool               `json:"disputed"`
	UpdatedAt   file.Time          `json:"updatedAt"`
	Branch      string             `json:"branch,omitzero"` // that a personal memory belongs to
	Owner       string             `json:"owner,omitzero"`  // the agent that it is for alone
	Draft       bool               `json:"draft"`
}

// trustItem says where a memory came from and whether people trust it.
type trustItem struct {
	Origin     file.Origin `json:"origin"`
	Tainted    bool        `json:"tainted"`
	VerifiedBy string      `json:"verifiedBy,omitzero"`
	Unreviewed bool        `json:"unreviewed,omitzero"` // it came with git and was not reviewed here
}

// suggestionItem is where the code of a lost anchor may be.
type suggestionItem struct {
	Location   protocol.Location `json:"location"`
	Confidence float64           `json:"confidence"`
	Preview    string            `json:"preview"` // the first line there
}

// items builds the items of one folder. Anchors that unsaved edits moved are where the
// edits moved them.
type items struct {
	snap   *session.Snapshot
	folder *folder.Folder
	root   uri.URI                      // of the folder
	live   map[string]protocol.Location // by memory
}

func (c *call) items(ctx context.Context, f *folder.Folder) *items {
	it := &items{snap: c.snap, folder: f, root: convert.URIFrom(f.Root), live: make(map[string]protocol.Location)}
	docs := c.snap.Unsaved()
	for _, n := range c.snap.Notebooks() { // what is on disk has lines, and no cells
		docs = append(docs, n.File)
	}
	for _, d := range docs {
		if _, inside := convert.RelFrom(f.Root, d.Path); !inside {
			continue
		}
		pg, ok := c.env.Pages.Open(ctx, c.snap, d.URI)
		if !ok || pg.Folder != f {
			continue
		}
		for _, m := range pg.Marks(ctx) {
			if _, known := it.live[m.Hit.Memory.UUID]; !known && m.Found && m.Anchor.Kind != anchor.KindFile {
				it.live[m.Hit.Memory.UUID] = pg.Location(m.Name)
			}
		}
	}
	return it
}

// item builds a memory's item.
func (it *items) item(h memory.Hit) item {
	m := h.Memory
	out := itemOf(m)
	out.Confidence = math.Round(h.Confidence()*1000) / 1000
	out.URI = it.folder.URI(h.Path)
	places := it.folder.Anchors.Places(h)
	if worst, ok := folder.WorstPlace(places); ok {
		out.State, out.Reason, out.Anchor = worst.State, worst.Reason, &worst.Index
	}
	for _, p := range places {
		if p.State == anchor.Orphaned || p.Path == "" {
			continue
		}
		out.Path = path.Clean(p.Path)
		out.Location = &protocol.Location{URI: it.folder.RelURI(p.Path), Range: wholeLines(p.Line, p.EndLine)}
		break
	}
	if at, ok := it.live[m.UUID]; ok {
		out.Location = &at
	}
	if paths := memory.PathsOf(m); out.Path == "" && len(paths) > 0 {
		out.Path = paths[0]
	}
	return out
}

// printable returns texts without invisible characters.
func printable(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, render.Printable(t))
	}
	return out
}

// itemOf builds an item from the memory alone.
func itemOf(m *file.Memory) item {
	branch := ""
	if m.Provenance != nil {
		branch = render.Printable(m.Provenance.Branch)
	}
	return item{
		Branch: branch, Owner: render.Printable(m.OwnedBy()), UUID: m.UUID, Type: m.Type, Layer: m.Layer, What: render.Printable(m.What), Why: render.Printable(m.Why), Scope: m.Scope, Tags: printable(m.Tags),
		Trust:       trustItem{feature.OriginOf(m), m.Trust.Tainted, render.Printable(m.Trust.VerifiedBy), m.Trust.Unreviewed},
		Contributor: render.Printable(m.Contributor), Confidence: m.Confidence, Importance: m.Importance, Pinned: m.Pinned,
		Disputed: m.Trust.Disputed(), UpdatedAt: m.UpdatedAt,
	}
}

// wholeLines returns the range of 1-based lines, from the start of the first to the
// start of the one after the last. It is right in any unit without reading the file.
// Without lines it is the start of the file.
func wholeLines(first, last int) protocol.Range {
	if first < 1 {
		return protocol.Range{}
	}
	return protocol.Range{Start: protocol.Position{Line: uint32(first - 1)}, End: protocol.Position{Line: uint32(max(first, last))}}
}

// suggested adds the suggested place of a lost anchor, with its first line.
func (it *items) suggested(ctx context.Context, out *item, h memory.Hit) {
	for _, p := range it.folder.Anchors.Places(h) {
		s := p.Suggestion
		if s == nil || p.State != anchor.Orphaned {
			continue
		}
		u := it.folder.RelURI(s.Path)
		doc, err := it.snap.Read(ctx, u)
		if err != nil {
			continue // it was deleted meanwhile
		}
		at := page.Span{Start: 0, End: doc.Lines.End(0)}
		if f, err := doc.Parsed(ctx); err == nil && f != nil && s.Symbol != "" {
			if sym, ok := f.Find(s.Symbol, s.Ordinal); ok {
				at = page.Span{Start: sym.Start, End: sym.End}
			}
		}
		line := doc.Lines.Line(at.Start)
		out.Anchor = &p.Index
		out.Suggestion = &suggestionItem{
			Location:   it.snap.Location(doc, at.Start, at.End),
			Confidence: s.Confidence,
			Preview:    render.OneLine(string(doc.Text()[doc.Lines.Start(line):doc.Lines.End(line)]), 120),
		}
		return
	}
}

// byPlace orders items by their place in the workspace.
func byPlace(a, b item) int {
	line := func(x item) uint32 {
		if x.Location == nil {
			return 0
		}
		return x.Location.Range.Start.Line
	}
	return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(line(a), line(b)), strings.Compare(a.What, b.What), strings.Compare(a.UUID, b.UUID))
}
