package lsp

import (
	"context"
	"log/slog"
	"time"

	"manicule/lsp/client"
)

// refreshTimeout is how long a client may take to answer a refresh request.
const refreshTimeout = 10 * time.Second

// refreshAfter is how long changes are collected before a refresh: one act reports several, and each refresh makes an
// editor ask about all that it shows. Nobody sees the delay.
const refreshAfter = 10 * time.Millisecond

// refresher makes the client ask again for what it shows, after memories or settings
// have changed.
type refresher struct {
	client  *client.Client
	log     *slog.Logger
	running func() bool   // Initialized schedules a refresh: one before it is not needed
	lists   func()        // reports that panels are out of date, too
	before  func()        // does what clients that ask for nothing need
	due     chan struct{} // has a value while a refresh is due
}

func newRefresher(c *client.Client, log *slog.Logger, running func() bool, lists, before func()) *refresher {
	return &refresher{client: c, log: log, running: running, lists: lists, before: before, due: make(chan struct{}, 1)}
}

// soon schedules a refresh. It can be called from any goroutine.
func (r *refresher) soon() {
	r.lists()
	select {
	case r.due <- struct{}{}:
	default: // the refresh that is due will see this change
	}
}

// run refreshes until ctx ends.
func (r *refresher) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.due:
		}
		if !r.collect(ctx) {
			return
		}
		if !r.running() {
			continue
		}
		r.before()
		if r.client.Capabilities.LensRefresh {
			r.request(ctx, "workspace/codeLens/refresh", r.client.Conn.CodeLensRefresh)
		}
		if r.client.Capabilities.HintRefresh {
			r.request(ctx, "workspace/inlayHint/refresh", r.client.Conn.InlayHintRefresh)
		}
		r.diagnostics(ctx)
	}
}

// collect waits for more of what is due with this refresh, and reports whether ctx has not ended.
func (r *refresher) collect(ctx context.Context) bool {
	t := time.NewTimer(refreshAfter)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
	}
	select {
	case <-r.due:
	default:
	}
	return true
}

// diagnostics makes a client that pulls diagnostics do so again.
func (r *refresher) diagnostics(ctx context.Context) {
	if c := r.client.Capabilities; c.PullDiagnostics && c.DiagnosticRefresh {
		r.request(ctx, "workspace/diagnostic/refresh", r.client.Conn.DiagnosticRefresh)
	}
}

// request sends a refresh request. Its result is empty.
func (r *refresher) request(ctx context.Context, what string, send func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	if err := send(ctx); err != nil {
		r.log.Debug(what, "err", err)
	}
}
