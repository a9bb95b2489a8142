package lsp

import (
	"context"
	"time"
)

// refreshTimeout is how long a client may take to answer a refresh request.
const refreshTimeout = 10 * time.Second

// markStale schedules a refresh of what the client shows, after memories or settings
// have changed. It can be called from any goroutine.
func (s *server) markStale() {
	select {
	case s.refreshDue <- struct{}{}:
	default: // the refresh that is due will see this change
	}
}

// refresh makes the client ask again for what it shows, whenever a refresh is due.
func (s *server) refresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.refreshDue:
		}
		if s.phase.Load() != running {
			continue // Initialized schedules another one
		}
		s.changes.soon()
		s.diags.allDue()
		if s.client.Capabilities.LensRefresh {
			s.requestRefresh(ctx, "workspace/codeLens/refresh", s.client.Conn.CodeLensRefresh)
		}
		if s.client.Capabilities.HintRefresh {
			s.requestRefresh(ctx, "workspace/inlayHint/refresh", s.client.Conn.InlayHintRefresh)
		}
		if s.client.Capabilities.PullDiagnostics && s.client.Capabilities.DiagnosticRefresh {
			s.requestRefresh(ctx, "workspace/diagnostic/refresh", s.client.Conn.DiagnosticRefresh)
		}
	}
}

// requestRefresh sends a refresh request. Its result is empty.
func (s *server) requestRefresh(ctx context.Context, what string, send func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	if err := send(ctx); err != nil {
		s.opts.Log.Debug(what, "err", err)
	}
}
