package lsp

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/client"
	"manicule/lsp/feature"
	"manicule/lsp/session"
)

// publisher pushes diagnostics to clients that don't pull them. One goroutine computes
// them. A document that changes again while it waits is published once, in its newest
// version.
type publisher struct {
	*debouncer
	compute func(context.Context, request, uri.URI) []protocol.Diagnostic
	state   func() request
	files   func(context.Context) []uri.URI // of memories and threads, with problems
	client  *client.Client
	log     *slog.Logger
	sent    func(uri.URI, []protocol.Diagnostic) // called after diagnostics were sent

	all  atomic.Bool        // every document is due
	last map[uri.URI]string // result id of the last publication; used by run alone
}

// newPublisher returns the publisher of what the requests of a client would be answered.
func newPublisher(r *requests, delay time.Duration, log *slog.Logger) *publisher {
	return &publisher{
		debouncer: newDebouncer(delay),
		compute: func(ctx context.Context, now request, u uri.URI) []protocol.Diagnostic {
			return feature.Diagnostics(ctx, r.pages, now.snap, u, now.settings)
		},
		state: r.current, files: func(ctx context.Context) []uri.URI { return feature.ProblemFiles(ctx, r.folders) },
		client: r.client, log: log, last: make(map[uri.URI]string),
		sent: func(u uri.URI, items []protocol.Diagnostic) { r.sent.set(u, items, r.now()) },
	}
}

// documentDue makes a document due, all cells if it is the file of a notebook.
func (p *publisher) documentDue(snap *session.Snapshot, d *session.Document) {
	for _, u := range snap.URIs(d) {
		p.now(u)
	}
}

// allDue makes all open documents and all invalid memory files due.
func (p *publisher) allDue() {
	p.all.Store(true)
	p.wakeWorker()
}

// run publishes until ctx ends.
func (p *publisher) run(ctx context.Context) {
	defer p.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		all, uris := p.all.Swap(false), p.take()
		if !p.client.Capabilities.PullDiagnostics {
			p.publish(ctx, uris, all)
		}
	}
}

func (p *publisher) publish(ctx context.Context, uris []uri.URI, all bool) {
	r := p.state()
	if all {
		for _, d := range r.snap.Shown() {
			uris = append(uris, d.URI)
		}
		uris = append(append(uris, p.files(ctx)...), slices.Collect(maps.Keys(p.last))...)
		slices.Sort(uris)
		uris = slices.Compact(uris)
	}
	for _, u := range uris {
		p.publishOne(ctx, r, u)
	}
}

func (p *publisher) publishOne(ctx context.Context, r request, u uri.URI) {
	items := p.compute(ctx, r, u)
	id, err := feature.ResultID(items)
	if err != nil {
		p.log.Error("publish diagnostics", "err", err)
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
	params := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: asSent(p.client, items)}
	if open && p.client.Capabilities.VersionedDiagnostics {
		params.Version = protocol.NewOptional(doc.Version)
	}
	p.client.Post("publish diagnostics", func(ctx context.Context) error {
		err := p.client.Conn.PublishDiagnostics(ctx, params)
		if err == nil {
			p.sent(u, items)
		}
		return err
	})
}
