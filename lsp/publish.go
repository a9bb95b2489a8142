package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// publisher pushes diagnostics to clients that don't ask for them. One
// goroutine computes; a document that changes again while it waits is
// published once, in its newest version.
type publisher struct {
	server *server
	wake   chan struct{}

	mu      sync.Mutex
	dirty   map[uri.URI]bool        // guarded by mu
	all     bool                    // guarded by mu; every document is dirty
	waiting map[uri.URI]*time.Timer // guarded by mu

	last map[uri.URI]string // resultID of what was sent; used by run alone
}

func newPublisher(s *server) *publisher {
	return &publisher{
		server: s, wake: make(chan struct{}, 1), dirty: make(map[uri.URI]bool),
		waiting: make(map[uri.URI]*time.Timer), last: make(map[uri.URI]string),
	}
}

// now publishes a document as soon as possible.
func (p *publisher) now(u uri.URI) {
	p.mu.Lock()
	if t, ok := p.waiting[u]; ok {
		t.Stop()
		delete(p.waiting, u)
	}
	p.dirty[u] = true
	p.mu.Unlock()
	p.nudge()
}

// soon publishes a document when it has not changed for a while. The client
// itself moves what it shows until then.
func (p *publisher) soon(u uri.URI) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.waiting[u]; ok {
		t.Reset(p.server.opts.Settle)
		return
	}
	p.waiting[u] = time.AfterFunc(p.server.opts.Settle, func() { p.now(u) })
}

// everything publishes all open documents and all broken memory files.
func (p *publisher) everything() {
	p.mu.Lock()
	p.all = true
	p.mu.Unlock()
	p.nudge()
}

func (p *publisher) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *publisher) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			p.stopTimers()
			return
		case <-p.wake:
		}
		if p.server.client.Capabilities.PullDiagnostics {
			p.take()
			continue
		}
		p.publish(ctx)
	}
}

func (p *publisher) stopTimers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.waiting {
		t.Stop()
	}
}

func (p *publisher) take() (uris []uri.URI, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	uris = slices.Sorted(maps.Keys(p.dirty))
	all = p.all
	clear(p.dirty)
	p.all = false
	return uris, all
}

func (p *publisher) publish(ctx context.Context) {
	s := p.server
	uris, all := p.take()
	r := &request{server: s, snap: s.session.Snapshot(), settings: s.settings.Load()}
	if all {
		for _, d := range r.snap.Documents() {
			uris = append(uris, d.URI)
		}
		uris = append(append(uris, r.problemFiles(ctx)...), slices.Collect(maps.Keys(p.last))...)
		slices.Sort(uris)
		uris = slices.Compact(uris)
	}
	for _, u := range uris {
		p.one(ctx, r, u)
	}
}

func (p *publisher) one(ctx context.Context, r *request, u uri.URI) {
	items := r.diagnostics(ctx, u)
	id, err := resultID(items)
	if err != nil {
		r.opts.Log.Error("publish diagnostics", "err", err)
		return
	}
	before, sent := p.last[u]
	doc, open := r.snap.Get(u)
	if sent && before == id || !sent && !open && len(items) == 0 || ctx.Err() != nil {
		return
	}
	p.last[u] = id
	if !open && len(items) == 0 {
		delete(p.last, u)
	}
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: items}
	if open && r.client.Capabilities.VersionedDiagnostics {
		params.Version = protocol.NewOptional(doc.Version)
	}
	r.client.Post("publish diagnostics", func(ctx context.Context) error { return r.client.Conn.PublishDiagnostics(ctx, params) })
}
