// Package panel answers Manicule's own requests (manicule/*), from which editors build
// their panels. It must not know the server.
package panel

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/lsp/convert"
	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/file"
)

// Our own requests, which the panels of an editor are made of. docs/lsp.md describes
// them.
const (
	methodOverview       = "manicule/overview"
	methodTree           = "manicule/tree"
	methodCandidates     = "manicule/candidates"
	methodStale          = "manicule/stale"
	methodHistory        = "manicule/history"
	methodMemory         = "manicule/memory"
	methodLog            = "manicule/log"
	methodSessionSummary = "manicule/sessionSummary"
)

// Panel answers the requests of panels. All fields must be set.
type Panel struct {
	Folders *folder.Set
	Pages   *page.Cache
	Version string
	Hint    func(error) string // what a person can do about an error, or ""
}

// call is one request.
type call struct {
	env    *Panel
	snap   *session.Snapshot
	method string
	raw    protocol.LSPAny
}

type answer func(*call, context.Context) (any, error)

func answers() map[string]answer {
	return map[string]answer{
		methodOverview: withParams((*call).overview), methodTree: withParams((*call).tree),
		methodCandidates: withParams((*call).candidates), methodCandidate: withParams((*call).candidate), methodStale: withParams((*call).stale),
		methodHistory: withParams((*call).history), methodMemory: withParams((*call).memory), methodLog: withParams((*call).sessionLog),
		methodSessionSummary: withParams((*call).sessionSummary), methodThreads: withParams((*call).threads), methodCoverage: withParams((*call).coverage),
		methodSearch: (*call).search, methodShowAt: (*call).showAt,
		methodGraph: (*call).code, methodImpact: (*call).code, methodOutline: (*call).code,
	}
}

// Serves reports whether a method is a request of ours.
func Serves(method string) bool { return answers()[method] != nil }

// Answer answers a request.
func (e *Panel) Answer(ctx context.Context, snap *session.Snapshot, method string, raw protocol.LSPAny) (any, error) {
	a, ok := answers()[method]
	if !ok {
		return nil, rpc.NotFound(method)
	}
	return a(&call{e, snap, method, raw}, ctx)
}

func (e *Panel) withHint(err error) error {
	if hint := e.Hint(err); hint != "" {
		return fmt.Errorf("%w. %s", err, hint)
	}
	return err
}

// params are the parameters that the requests share.
type params struct {
	Folder  uri.URI `json:"folder"` // all open folders if it is left out
	UUID    string  `json:"uuid"`
	Session string  `json:"session"`
	Limit   *int    `json:"limit"`
}

// withParams returns an answer that decodes its parameters.
func withParams[P any](list func(*call, context.Context, P) (any, error)) answer {
	return func(c *call, ctx context.Context) (any, error) {
		var p P
		if len(c.raw) > 0 && c.raw.Kind() != 'n' {
			if err := json.Unmarshal(c.raw, &p); err != nil {
				return nil, rpc.InvalidParams("%s: %v", c.method, err)
			}
		}
		out, err := list(c, ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.method, c.env.withHint(err))
		}
		return out, ctx.Err() // a cancelled answer is incomplete
	}
}

// from returns the open folders in which a memory with a uuid may be meant. A client also asks when what it shows may have
// changed, so the request does not count as one about the folder.
func (c *call) from(ctx context.Context, p params) []*folder.Folder {
	path, _ := c.snap.Path(p.Folder)
	return c.env.Folders.From(ctx, path)
}

// foldersIn returns the open folders, or the one that a URI names.
func (c *call) foldersIn(ctx context.Context, u uri.URI) ([]*folder.Folder, error) {
	if u == "" {
		return c.env.Folders.All(ctx), ctx.Err()
	}
	path, ok := c.snap.Path(u)
	if !ok {
		return nil, rpc.InvalidParams("folder must be the URI of a file or folder on disk, not %s", u)
	}
	f, _, ok := c.env.Folders.Owner(ctx, path)
	if !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, rpc.InvalidParams("%s belongs to no open workspace folder", u)
	}
	return []*folder.Folder{f}, nil
}

// indexItem is the progress of a folder's code graph.
type indexItem struct {
	State string `json:"state"` // ready, indexing, off
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

func indexOf(f *folder.Folder) indexItem {
	state, done, total := f.Index.State()
	return indexItem{state, done, total}
}

// overviewItem is a folder in the answer of manicule/overview.
type overviewItem struct {
	URI        uri.URI   `json:"uri"`
	Name       string    `json:"name"`
	Memories   int       `json:"memories"`
	Candidates int       `json:"candidates"`
	Stale      int       `json:"stale"`    // stale or drifted
	Orphaned   int       `json:"orphaned"` // whose code was not found
	Invalid    int       `json:"invalid"`  // invalid files
	Index      indexItem `json:"index"`
	Error      string    `json:"error,omitzero"` // why its memories can't be opened
}

func (c *call) overview(ctx context.Context, _ params) (any, error) {
	answer := struct {
		Folders    []overviewItem `json:"folders"`
		Version    string         `json:"version"`
		TrustLevel int            `json:"trustLevel,omitzero"`
	}{[]overviewItem{}, c.env.Version, c.env.Folders.TrustLevel(ctx)}
	open := c.env.Folders.All(ctx)
	for _, f := range c.env.Folders.List(ctx) {
		if f.Err == nil && !slices.Contains(open, f) {
			continue // another folder owns its root
		}
		o := overviewItem{URI: convert.URIFrom(f.Dir), Name: filepath.Base(f.Dir), Index: indexItem{State: "off"}}
		if f.Err != nil {
			o.Error = f.Err.Error()
			answer.Folders = append(answer.Folders, o)
			continue
		}
		o.URI, o.Name, o.Index = convert.URIFrom(f.Root), filepath.Base(f.Root), indexOf(f)
		view := f.Memories.View()
		o.Memories = len(view.Live())
		held := 0
		for _, pr := range view.Problems() {
			if pr.Held != "" {
				held++
			}
		}
		o.Invalid = len(view.Problems()) - held
		for _, h := range view.Live() {
			switch worst, _ := folder.WorstPlace(f.Anchors.Places(h)); worst.State {
			case anchor.Orphaned:
				o.Orphaned++
			case anchor.Stale, anchor.Drifted:
				o.Stale++
			}
		}
		waiting, err := f.Memories.Drafts().Candidates(ctx)
		if err != nil {
			return nil, err
		}
		o.Candidates = len(waiting) + held + len(feature.Conflicts(f)) + len(f.OpenThreads.Undecided())
		answer.Folders = append(answer.Folders, o)
	}
	return answer, nil
}

func (c *call) candidates(ctx context.Context, p params) (any, error) {
	folders, err := c.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	if p.Limit != nil && *p.Limit < 0 {
		return nil, rpc.InvalidParams("limit must not be negative")
	}
	answer := struct {
		Candidates []feature.Candidate `json:"candidates"`
		Total      int                 `json:"total"` // also of those that the limit leaves out
	}{[]feature.Candidate{}, 0}
	for _, f := range folders {
		add := func(made func() feature.Candidate) {
			if answer.Total++; p.Limit != nil && len(answer.Candidates) >= *p.Limit {
				return
			}
			x := made()
			x.Folder = f.RelURI("")
			answer.Candidates = append(answer.Candidates, x)
		}
		held, err := f.Memories.Quarantine().List(ctx)
		if err != nil {
			return nil, err
		}
		for _, h := range held {
			add(func() feature.Candidate { return feature.HeldCandidate(f, h) })
		}
		for _, h := range feature.Conflicts(f) {
			add(func() feature.Candidate { return feature.ConflictCandidate(h) })
		}
		for _, t := range f.OpenThreads.Undecided() {
			add(func() feature.Candidate { return feature.ThreadConflictCandidate(&t) })
		}
		list, err := f.Memories.Drafts().Candidates(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			add(func() feature.Candidate { return feature.CandidateOf(m) })
		}
	}
	return answer, nil
}

func (c *call) stale(ctx context.Context, p params) (any, error) {
	folders, err := c.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	if p.Limit != nil && *p.Limit < 0 {
		return nil, rpc.InvalidParams("limit must not be negative")
	}
	type doubtful struct {
		item
		of  *items
		hit memory.Hit
	}
	var found []doubtful
	order := []anchor.State{anchor.Orphaned, anchor.Stale, anchor.Drifted}
	for _, f := range folders {
		it := c.items(ctx, f)
		for _, h := range f.Memories.View().Live() {
			worst, ok := folder.WorstPlace(f.Anchors.Places(h))
			if ok && slices.Contains(order, worst.State) {
				found = append(found, doubtful{it.item(h), it, h})
			}
		}
	}
	sorting.StableFunc(found, func(a, b doubtful) int {
		if d := slices.Index(order, a.State) - slices.Index(order, b.State); d != 0 {
			return d
		}
		return byPlace(a.item, b.item)
	})
	answer := struct {
		Items []item `json:"items"`
		Total int    `json:"total"` // also of those that the limit leaves out
	}{[]item{}, len(found)}
	if p.Limit != nil {
		found = found[:min(len(found), *p.Limit)]
	}
	for _, x := range found { // a suggestion is read from its file
		x.of.suggested(ctx, &x.item, x.hit)
		answer.Items = append(answer.Items, x.item)
	}
	return answer, nil
}

// versionItem is a version in the answer of manicule/history.
type versionItem struct {
	Version int       `json:"version"`
	At      file.Time `json:"at"`
	Author  string    `json:"author,omitzero"`
	Kind    string    `json:"kind"`
	Note    string    `json:"note,omitzero"`
	Current bool      `json:"current"`
	Hash    string    `json:"hash"`             // names it to manicule.revertMemory
	Commit  string    `json:"commit,omitempty"` // that brought it, by git
	Text    string    `json:"text"`             // of the memory's file
}

// fullID is the length of a uuid: a part of one may name a memory of another folder.
const fullID = 36

func (c *call) history(ctx context.Context, p params) (any, error) {
	if strings.TrimSpace(p.UUID) == "" {
		return nil, rpc.InvalidParams("uuid is missing; try: the uuid of a memory")
	}
	answer := struct {
		Versions []versionItem `json:"versions"`
	}{[]versionItem{}}
	for _, f := range c.from(ctx, p) {
		list, err := f.Memories.History().Timeline(ctx, p.UUID)
		if memory.Unreadable(err) || len(p.UUID) < fullID {
			continue // another folder's
		}
		if err != nil {
			return nil, err
		}
		for _, past := range list {
			m := past.Memory
			text, err := m.Marshal()
			if err != nil {
				return nil, fmt.Errorf("write version %d: %w", m.Lineage.Version, err)
			}
			answer.Versions = append(answer.Versions, versionItem{
				Version: m.Lineage.Version, At: m.VersionAt(), Author: render.Printable(authorOf(m)), Kind: m.Lineage.ChangeKind, Note: render.Printable(m.Lineage.ChangeNote),
				Current: past.Current, Text: string(text), Hash: past.Hash, Commit: past.Commit,
			})
		}
		return answer, nil
	}
	return nil, rpc.InvalidParams("there is no memory %q", p.UUID)
}

// authorOf returns who made a version, "" if unknown. Older versions name only who verified, disputed or wrote the memory.
func authorOf(m *file.Memory) string {
	if m.Lineage.By != "" {
		return m.Lineage.By
	}
	switch m.Lineage.ChangeKind {
	case "verify", "correct":
		if m.Trust.VerifiedBy != "" {
			return m.Trust.VerifiedBy
		}
	case "dispute":
		if m.Trust.Disputed() {
			return cmp.Or(m.Trust.DisputedBy, file.Nameless)
		}
	}
	return m.Contributor
}
