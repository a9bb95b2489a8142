package panel

import (
	"cmp"
	"context"
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

// item is a memory as the panels of an editor list it. Its members are those of
// docs/lsp.md; places are in the client's units.
type item struct {
	UUID        string             `json:"uuid"`
	Type        file.Type          `json:"type"`
	Layer       file.Layer         `json:"layer"`
	What        string             `json:"what"`
	Why         string             `json:"why,omitzero"`
	URI         uri.URI            `json:"uri"` // of its own file, "" where it has none
	Location    *protocol.Location `json:"location,omitempty"`
	Path        string             `json:"path,omitzero"` // in the workspace, with forward slashes
	Scope       []string           `json:"scope,omitempty"`
	State       anchor.State       `json:"state"` // "" without anchors
	Reason      string             `json:"reason,omitzero"`
	Suggestion  *suggestionItem    `json:"suggestion,omitempty"`
	Anchor      *int               `json:"anchor,omitempty"` // the index of the one that state and suggestion are about, from 0
	Trust       trustItem          `json:"trust"`
	Contributor string             `json:"contributor,omitzero"`
	Confidence  float64            `json:"confidence"`
	Importance  file.Importance    `json:"importance,omitzero"`
	Pinned      bool               `json:"pinned"`
	Disputed    bool               `json:"disputed"`
	UpdatedAt   file.Time          `json:"updatedAt"`
	Draft       bool               `json:"draft"`
}

// trustItem is how a memory came to be.
type trustItem struct {
	Origin     file.Origin `json:"origin"`
	Tainted    bool        `json:"tainted"`
	VerifiedBy string      `json:"verifiedBy,omitzero"`
	Unreviewed bool        `json:"unreviewed,omitzero"` // from git, not reviewed here
}

// suggestionItem is where a lost anchor may be.
type suggestionItem struct {
	Location   protocol.Location `json:"location"`
	Confidence float64           `json:"confidence"`
	Preview    string            `json:"preview"` // the first line there
}

// items makes the items of one folder. What an open document's edits moved is
// where they moved it.
type items struct {
	snap   *session.Snapshot
	folder *folder.Folder
	live   map[string]protocol.Location // by memory
}

func (c *call) items(ctx context.Context, f *folder.Folder) *items {
	it := &items{snap: c.snap, folder: f, live: make(map[string]protocol.Location)}
	for _, d := range c.snap.Documents() {
		if _, inside := convert.RelFrom(f.Root, d.Path); !inside || d.Base() == d {
			continue // what was not edited is where the tracker says
		}
		pg, ok := c.env.Pages.Open(ctx, c.snap, d.URI)
		if !ok || pg.Folder != f {
			continue
		}
		for _, m := range pg.Marks(ctx) {
			if _, known := it.live[m.Hit.Memory.UUID]; !known && m.Found && m.Anchor.Kind != anchor.KindFile {
				it.live[m.Hit.Memory.UUID] = protocol.Location{URI: d.URI, Range: pg.Range(m.Name)}
			}
		}
	}
	return it
}

// of makes an item.
func (it *items) of(h memory.Hit) item {
	m := h.Memory
	out := bare(m)
	out.URI = it.folder.URI(h.Path)
	places := it.folder.Places(h)
	if worst, ok := folder.Worst(places); ok {
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

// bare is an item of what the memory alone says.
func bare(m *file.Memory) item {
	return item{
		UUID: m.UUID, Type: m.Type, Layer: m.Layer, What: render.Printable(m.What), Why: render.Printable(m.Why), Scope: m.Scope,
		Trust:       trustItem{feature.OriginOf(m.Trust), m.Trust.Tainted, render.Printable(m.Trust.VerifiedBy), m.Trust.Unreviewed},
		Contributor: render.Printable(m.Contributor), Confidence: m.Confidence, Importance: m.Importance, Pinned: m.Pinned,
		Disputed: m.Trust.DisputedBy != "" || m.Trust.DisputedAt != nil, UpdatedAt: m.UpdatedAt,
	}
}

// wholeLines is the range of 1-based lines, from the start of the first to the
// start of the one behind the last: right in any unit, without reading the file.
// Without lines it is the start of the file.
func wholeLines(first, last int) protocol.Range {
	if first < 1 {
		return protocol.Range{}
	}
	return protocol.Range{Start: protocol.Position{Line: uint32(first - 1)}, End: protocol.Position{Line: uint32(max(first, last))}}
}

// suggested adds where a lost anchor may be, with what is there.
func (it *items) suggested(ctx context.Context, out *item, h memory.Hit) {
	for _, p := range it.folder.Places(h) {
		s := p.Suggestion
		if s == nil || p.State != anchor.Orphaned {
			continue
		}
		u := it.folder.RelURI(s.Path)
		doc, err := it.snap.Read(ctx, u)
		if err != nil {
			continue // gone meanwhile
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
			Location:   protocol.Location{URI: u, Range: doc.Lines.Range(at.Start, at.End, it.snap.Encoding)},
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
