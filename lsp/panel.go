package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// The requests of our own that the panels of an editor are made of; docs/lsp.md
// describes them.
const (
	methodOverview       = "manicule/overview"
	methodTree           = "manicule/tree"
	methodCandidates     = "manicule/candidates"
	methodStale          = "manicule/stale"
	methodHistory        = "manicule/history"
	methodLog            = "manicule/log"
	methodSessionSummary = "manicule/sessionSummary"
)

// panelParams are the parameters of these requests, of which each has some.
type panelParams struct {
	By      string  `json:"by"`
	Folder  uri.URI `json:"folder"` // the open ones where it is left out
	UUID    string  `json:"uuid"`
	Session string  `json:"session"`
	Limit   *int    `json:"limit"`
}

// panel answers them.
func (s *server) panel(ctx context.Context, method string, raw protocol.LSPAny) (any, error) {
	answers := map[string]func(*request, context.Context, panelParams) (any, error){
		methodOverview: (*request).overview, methodTree: (*request).tree, methodCandidates: (*request).candidates, methodStale: (*request).stale,
		methodHistory: (*request).history, methodLog: (*request).sessionLog, methodSessionSummary: (*request).sessionSummary,
	}
	answer, ok := answers[method]
	if !ok {
		return nil, rpc.NotFound(method)
	}
	r := s.begin(ctx)
	var p panelParams
	if len(raw) > 0 && raw.Kind() != 'n' {
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, rpc.InvalidParams("%s: %v", method, err)
		}
	}
	out, err := answer(r, ctx, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, r.hinted(err))
	}
	return out, ctx.Err() // an answer that was given up half way is none
}

// foldersIn returns the open folders, or the one that a URI names.
func (r *request) foldersIn(ctx context.Context, u uri.URI) ([]*folder.Folder, error) {
	if u == "" {
		return r.folders.All(ctx), ctx.Err()
	}
	path, ok := convert.PathFrom(u)
	if !ok {
		return nil, rpc.InvalidParams("folder must be the URI of a file or folder on disk, not %s", u)
	}
	f, _, ok := r.folders.Owner(ctx, path)
	if !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, rpc.InvalidParams("%s belongs to no open workspace folder", u)
	}
	return []*folder.Folder{f}, nil
}

// indexItem is how far the code graph of a folder is.
type indexItem struct {
	State string `json:"state"` // ready, indexing, off
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

func indexOf(f *folder.Folder) indexItem {
	state, done, total := f.Indexing()
	return indexItem{state, done, total}
}

// overviewItem is one folder in the answer of manicule/overview.
type overviewItem struct {
	URI        uri.URI   `json:"uri"`
	Name       string    `json:"name"`
	Memories   int       `json:"memories"`
	Candidates int       `json:"candidates"`
	Stale      int       `json:"stale"`    // stale or drifted
	Orphaned   int       `json:"orphaned"` // whose place is not found
	Invalid    int       `json:"invalid"`  // files that can't be used
	Index      indexItem `json:"index"`
	Error      string    `json:"error,omitzero"` // why its memories can't be opened
}

func (r *request) overview(ctx context.Context, _ panelParams) (any, error) {
	answer := struct {
		Folders    []overviewItem `json:"folders"`
		Version    string         `json:"version"`
		TrustLevel int            `json:"trustLevel,omitzero"`
	}{[]overviewItem{}, r.opts.Version, r.folders.TrustLevel(ctx)}
	open := r.folders.All(ctx)
	for _, f := range r.folders.List(ctx) {
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
			switch worst, _ := folder.Worst(f.Places(h)); worst.State {
			case anchor.Orphaned:
				o.Orphaned++
			case anchor.Stale, anchor.Drifted:
				o.Stale++
			}
		}
		waiting, err := f.Memories.Candidates(ctx)
		if err != nil {
			return nil, err
		}
		o.Candidates = len(waiting) + held
		answer.Folders = append(answer.Folders, o)
	}
	return answer, nil
}

// candidateItem is one candidate in the answer of manicule/candidates.
type candidateItem struct {
	UUID       string      `json:"uuid"`
	Type       file.Type   `json:"type"`
	What       string      `json:"what"`
	Why        string      `json:"why,omitzero"`
	Evidence   []string    `json:"evidence"`
	Paths      []string    `json:"paths"`
	Scope      []string    `json:"scope,omitempty"`
	Confidence float64     `json:"confidence"`
	Sessions   int         `json:"sessions"`
	Tainted    bool        `json:"tainted"`
	Origin     file.Origin `json:"origin"`
	CreatedAt  file.Time   `json:"createdAt"`
	Held       string      `json:"held,omitzero"`   // why it is in quarantine: secret, injection
	Act        memory.Act  `json:"act,omitzero"`    // "" for a new memory
	Target     string      `json:"target,omitzero"` // uuid of the memory that Act is about
}

func candidateFrom(c memory.Candidate) candidateItem {
	m := c.Memory
	out := candidateItem{
		UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), Why: render.Printable(m.Why), Evidence: []string{}, Paths: some(c.Paths), Scope: m.Scope,
		Confidence: m.Confidence, Sessions: c.Sessions, Tainted: m.Trust.Tainted, Origin: originOf(m.Trust), CreatedAt: m.CreatedAt,
	}
	out.Act, out.Target = memory.Proposal(m)
	for _, e := range c.Evidence {
		out.Evidence = append(out.Evidence, render.Printable(e))
	}
	return out
}

func (r *request) candidates(ctx context.Context, p panelParams) (any, error) {
	folders, err := r.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Candidates []candidateItem `json:"candidates"`
	}{[]candidateItem{}}
	for _, f := range folders {
		held, err := f.Memories.Held(ctx)
		if err != nil {
			return nil, err
		}
		for _, h := range held {
			answer.Candidates = append(answer.Candidates, heldCandidate(f, h))
		}
		list, err := f.Memories.Candidates(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			answer.Candidates = append(answer.Candidates, candidateFrom(c))
		}
	}
	return answer, nil
}

func (r *request) stale(ctx context.Context, p panelParams) (any, error) {
	folders, err := r.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Items []item `json:"items"`
	}{[]item{}}
	order := []anchor.State{anchor.Orphaned, anchor.Stale, anchor.Drifted}
	for _, f := range folders {
		it := r.items(ctx, f)
		for _, h := range f.Memories.View().Live() {
			worst, ok := folder.Worst(f.Places(h))
			if !ok || !slices.Contains(order, worst.State) {
				continue
			}
			x := it.of(h)
			it.suggested(ctx, &x, h)
			answer.Items = append(answer.Items, x)
		}
	}
	slices.SortStableFunc(answer.Items, func(a, b item) int {
		if d := slices.Index(order, a.State) - slices.Index(order, b.State); d != 0 {
			return d
		}
		return byPlace(a, b)
	})
	return answer, nil
}

// versionItem is one version in the answer of manicule/history.
type versionItem struct {
	Version int       `json:"version"`
	At      file.Time `json:"at"`
	Author  string    `json:"author,omitzero"`
	Kind    string    `json:"kind"`
	Note    string    `json:"note,omitzero"`
	Current bool      `json:"current"`
	Text    string    `json:"text"` // of its file
}

func (r *request) history(ctx context.Context, p panelParams) (any, error) {
	if strings.TrimSpace(p.UUID) == "" {
		return nil, rpc.InvalidParams("uuid is missing: it names the memory")
	}
	answer := struct {
		Versions []versionItem `json:"versions"`
	}{[]versionItem{}}
	for _, f := range r.folders.All(ctx) {
		list, err := f.Memories.History(ctx, p.UUID)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		_, active := f.Memories.View().Get(p.UUID)
		for i, m := range list {
			text, err := m.Marshal()
			if err != nil {
				return nil, fmt.Errorf("write version %d: %w", m.Lineage.Version, err)
			}
			answer.Versions = append(answer.Versions, versionItem{
				Version: m.Lineage.Version, At: m.UpdatedAt, Author: render.Printable(authorOf(m)), Kind: m.Lineage.ChangeKind, Note: render.Printable(m.Lineage.ChangeNote),
				Current: active && i == 0, Text: string(text),
			})
		}
		return answer, nil
	}
	return nil, rpc.InvalidParams("there is no memory %q", p.UUID)
}

// authorOf is who made a version, as far as the version says.
func authorOf(m *file.Memory) string {
	switch m.Lineage.ChangeKind {
	case "verify", "correct":
		if m.Trust.VerifiedBy != "" {
			return m.Trust.VerifiedBy
		}
	case "dispute":
		if m.Trust.DisputedBy != "" {
			return m.Trust.DisputedBy
		}
	}
	return m.Contributor
}
