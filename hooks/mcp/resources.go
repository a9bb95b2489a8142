package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/nudge"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/exporter"
	"manicule/memory/file"
	"manicule/memory/standing"
)

// The resources: a memory by its id, and the topic files of `manicule export`.
const (
	memoryURI      = "manicule://memory/"
	topicURI       = "manicule://topic/"
	memoryTemplate = memoryURI + "{id}"
	topicTemplate  = topicURI + "{name}"
)

// maxListed is the number of memories in the list of resources: the pinned and the most
// important. All others can be read by id.
const maxListed = 100

// Limits of a client's subscriptions, which are all checked at each change.
const (
	maxSubscribed = 1000
	maxURI        = 200
)

// changeDebounce is the debounce time of changes before clients are notified.
const changeDebounce = 100 * time.Millisecond

// listing updates the list of resources from the memories, once a client has requested
// it, and notifies of changes.
type listing struct {
	s *server

	mu         sync.Mutex // guards the following fields
	wanted     bool       // a client has requested a list or subscribed
	timer      *time.Timer
	listed     map[string]string // by URI: the version
	subscribed map[string]string // by URI: the version that its reader knows

	topics topics
}

func newListing(s *server) *listing {
	return &listing{s: s, listed: map[string]string{}, subscribed: map[string]string{}}
}

// add adds the templates, which need no workspace.
func (l *listing) add() {
	l.s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: memoryTemplate, Name: "memory", Title: "A memory",
		Description: "One memory in full, by its id.", MIMEType: "application/json"}, l.readMemory)
	l.s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: topicTemplate, Name: "topic", Title: "What is known, by topic",
		Description: "Memories of a topic as Markdown: MEMORY.md, conventions.md, gotchas.md, procedures.md, decisions.md, and the subtopics to which a long one leads.", MIMEType: "text/markdown"}, l.readTopic)
}

// middleware builds the list before its first read.
func (l *listing) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "resources/list" {
			l.want()
			if err := l.update(ctx); err != nil {
				return nil, withHint(err)
			}
		}
		return next(ctx, method, req)
	}
}

func (l *listing) want() {
	l.mu.Lock()
	l.wanted = true
	l.mu.Unlock()
}

// schedule schedules a new list after a change of the memories or the workspace.
func (l *listing) schedule() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.wanted || l.s.base.Err() != nil {
		return
	}
	if l.timer != nil {
		l.timer.Reset(changeDebounce)
		return
	}
	l.timer = time.AfterFunc(changeDebounce, func() {
		l.s.spawn(func() { // it may sync the workspace, which is closed after it
			if err := l.update(l.s.base); err != nil && l.s.base.Err() == nil {
				l.s.log.Warn("list the memories as resources", "err", err)
			}
		})
	})
}

// update rebuilds the list. The SDK notifies clients when it changes; subscribers are
// notified about the resources that they read.
func (l *listing) update(ctx context.Context) error {
	sp, err := l.s.spaces.current(ctx)
	if err != nil {
		return err
	}
	if _, err := sp.Memories.SyncWithin(ctx, filesFreshFor); err != nil {
		return err
	}
	view := sp.Memories.View()
	hits := liveIn(ctx, sp, view)
	wanted, versions := l.resources(sp, view, hits)
	l.mu.Lock()
	var gone []string
	var fresh []*mcp.Resource
	for uri := range l.listed {
		if _, ok := wanted[uri]; !ok {
			gone = append(gone, uri)
			delete(l.listed, uri)
		}
	}
	for uri, r := range wanted {
		if l.listed[uri] != versions[uri] {
			fresh = append(fresh, r)
			l.listed[uri] = versions[uri]
		}
	}
	var updated []string
	for uri, before := range l.subscribed {
		if now := version(hits, versions, uri); now != before {
			l.subscribed[uri] = now
			updated = append(updated, uri)
		}
	}
	l.mu.Unlock()
	if len(gone) > 0 {
		l.s.mcp.RemoveResources(gone...)
	}
	for _, r := range fresh {
		handler := l.readMemory
		if strings.HasPrefix(r.URI, topicURI) {
			handler = l.readTopic
		}
		l.s.mcp.AddResource(r, handler)
	}
	slices.Sort(updated)
	for _, uri := range updated {
		if err := l.s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			return fmt.Errorf("notify of a change: %w", err)
		}
	}
	return nil
}

// version returns the version of a URI that its reader sees.
func version(hits []memory.Hit, versions map[string]string, uri string) string {
	if v, ok := versions[uri]; ok {
		return v
	}
	id := strings.TrimPrefix(uri, memoryURI)
	for _, h := range hits {
		if h.Memory.UUID == id || h.Memory.ShortID() == id {
			return versionOf(h)
		}
	}
	return ""
}

// versionOf changes whenever the content of the resource changes.
func versionOf(h memory.Hit) string {
	return fmt.Sprintf("%d %d %s", h.Memory.Lineage.Version, h.Memory.UpdatedAt.UnixMilli(), h.Freshness().Warning())
}

// resources returns the list: the non-empty topics and the first memories.
func (l *listing) resources(sp *Space, view *memory.View, hits []memory.Hit) (map[string]*mcp.Resource, map[string]string) {
	out, versions := map[string]*mcp.Resource{}, map[string]string{}
	for name, text := range l.topics.of(sp, view, hits, l.s.log) {
		uri := topicURI + name
		out[uri] = &mcp.Resource{URI: uri, Name: name, Title: "What is known: " + strings.TrimSuffix(name, ".md"), MIMEType: "text/markdown", Size: int64(len(text)),
			Description: "Memories of this project as Markdown."}
		versions[uri] = fmt.Sprint(digest([]any{string(text)}))
	}
	foremost := slices.Clone(hits)
	memory.Rank(foremost)
	sorting.StableFunc(foremost, func(a, b memory.Hit) int { return rank(b) - rank(a) })
	for _, h := range foremost[:min(maxListed, len(foremost))] {
		uri := memoryURI + h.Memory.UUID
		out[uri] = &mcp.Resource{URI: uri, Name: h.Memory.ShortID(), Title: h.Memory.Type.Label() + ": " + nudge.Cut(nudge.Clean(h.Memory.What), 80), MIMEType: "application/json",
			Annotations: &mcp.Annotations{LastModified: h.Memory.UpdatedAt.Format(time.RFC3339), Priority: priority(h)}}
		versions[uri] = versionOf(h)
	}
	return out, versions
}

// topics are the topic files that were made last. Where there are thousands of memories it takes a second to make them, and
// clients ask for the list again and again.
type topics struct {
	mu    sync.Mutex // guards the following fields
	key   topicsKey
	files map[string][]byte
	made  int // how often
}

// topicsKey is what topic files are made of: memories of a view, as who asks may see them, and where the workspace stands.
type topicsKey struct {
	view     weak.Pointer[memory.View] // which is never changed; it may be freed
	shown    uint64
	standing string
}

// of returns the topic files of a workspace, which must not be modified. The hits are of the view.
func (t *topics) of(sp *Space, view *memory.View, hits []memory.Hit, log *slog.Logger) map[string][]byte {
	where := standing.Of(sp.Memories.Place(), log)
	shown := fnv.New64a()
	for _, h := range hits {
		_, _ = shown.Write([]byte(h.Memory.UUID)) // never fails
	}
	key := topicsKey{view: weak.Make(view), shown: shown.Sum64(), standing: fmt.Sprintf("%q", where)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files == nil || t.key != key {
		t.files, _ = exporter.BootstrapFiles(exported(hits), exporter.Options{Standing: where})
		t.key = key
		t.made++
	}
	return t.files
}

// exported returns the memories that topic files may contain: none that is personal.
func exported(hits []memory.Hit) []*file.Memory {
	var out []*file.Memory
	for _, h := range hits {
		out = append(out, h.Memory)
	}
	return out
}

func rank(h memory.Hit) int {
	r := 2 * slices.Index(file.Importances(), h.Memory.Importance)
	if h.Memory.Pinned {
		r += 10
	}
	if h.Memory.Trust.Tainted && h.Memory.Trust.VerifiedBy == "" {
		r -= 20
	}
	if h.Memory.Trust.Unreviewed {
		r -= 3
	}
	return r
}

func priority(h memory.Hit) float64 {
	switch {
	case h.Memory.Pinned:
		return 1
	case h.Memory.Importance == file.High:
		return .8
	case h.Memory.Importance == file.Low:
		return .2
	}
	return .5
}

// subscribe subscribes a reader to a resource.
func (l *listing) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	l.want()
	if err := l.update(ctx); err != nil {
		return withHint(err)
	}
	sp, err := l.s.spaces.current(ctx)
	if err != nil {
		return withHint(err)
	}
	hits := live(ctx, sp)
	known := l.exists(ctx, req.Params.URI)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, again := l.subscribed[req.Params.URI]
	if !again && len(l.subscribed) >= maxSubscribed || len(req.Params.URI) > maxURI {
		return withHint(userError(fmt.Sprintf("%d resources at most can be subscribed to, of at most %d characters", maxSubscribed, maxURI), "Unsubscribe from some first."))
	}
	if !again && !known {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	l.subscribed[req.Params.URI] = version(hits, l.listed, req.Params.URI)
	return nil
}

// exists reports whether a URI is of a memory that its reader may see, or of a topic, which may have no memory yet.
func (l *listing) exists(ctx context.Context, uri string) bool {
	if name, ok := strings.CutPrefix(uri, topicURI); ok {
		return path.Ext(name) == ".md" && !strings.Contains(name, "/")
	}
	id, err := checkID(uri)
	if err != nil || !strings.HasPrefix(uri, memoryURI) {
		return false
	}
	sp, err := l.s.spaces.withID(ctx, id)
	if err != nil {
		return false
	}
	h, err := sp.Memories.Get(ctx, id)
	return err == nil && !readerOf(ctx).mayNotSee(h.Memory)
}

func (l *listing) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subscribed, req.Params.URI)
	return nil
}

// readMemory reads a memory as JSON, with its text cleaned for a model.
func (l *listing) readMemory(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := checkID(req.Params.URI)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	sp, err := l.s.spaces.withID(ctx, id)
	if err != nil {
		return nil, withHint(err)
	}
	if err := sp.Fresh(ctx); err != nil {
		return nil, err
	}
	h, err := sp.Memories.Get(ctx, id)
	if err != nil || readerOf(ctx).mayNotSee(h.Memory) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	hits := sp.Look(ctx, []memory.Hit{h})
	_, it := itemOf(hits[0], l.s.opts.Now(), whole())
	data, err := json.Marshal(struct {
		Note string `json:"note"`
		UUID string `json:"uuid"`
		Item
		Layer   string    `json:"layer"`
		Tags    []string  `json:"tags,omitempty"`
		Updated time.Time `json:"updated"`
	}{mark, h.Memory.UUID, it, string(h.Memory.Layer), cleaned(h.Memory.Tags), h.Memory.UpdatedAt.Time})
	if err != nil {
		return nil, fmt.Errorf("write memory %s: %w", id, err)
	}
	l.s.sessions.shown(caller(req.Session, "resource"), sp, hits, string(data))
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)}}}, nil
}

func cleaned(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = nudge.Clean(s)
	}
	return out
}

// readTopic reads a topic file as the export would write it.
func (l *listing) readTopic(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	sp, err := l.s.spaces.current(ctx)
	if err != nil {
		return nil, withHint(err)
	}
	if _, err := sp.Memories.SyncWithin(ctx, filesFreshFor); err != nil {
		return nil, err
	}
	view := sp.Memories.View()
	text, ok := l.topics.of(sp, view, liveIn(ctx, sp, view), l.s.log)[strings.TrimPrefix(req.Params.URI, topicURI)]
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	var b strings.Builder
	b.WriteString("<!-- " + mark + " -->\n")
	for line := range strings.Lines(string(text)) {
		b.WriteString(fenced(line))
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/markdown", Text: b.String()}}}, nil
}

// fenced cleans a line but keeps its indentation and its end. Comments of the export
// itself stay unchanged.
func fenced(line string) string {
	if strings.HasPrefix(line, exporter.Marker) {
		return line
	}
	body := strings.TrimRight(line, "\r\n")
	rest := strings.TrimLeft(body, " ")
	return body[:len(body)-len(rest)] + nudge.Clean(rest) + "\n"
}
