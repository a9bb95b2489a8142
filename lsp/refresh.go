package lsp

import (
	"context"
	"time"
)

// answerWithin is how long a client may take to answer a refresh request.
const answerWithin = 10 * time.Second

// markStale says that what the client shows may be out of date. It is called
// when memories or settings change, from anywhere.
func (s *server) markStale() {
	select {
	case s.stale <- struct{}{}:
	default: // a refresh that will see this change is due already
	}
}

// refresh brings what the client shows up to date, whenever it was marked as
// stale.
func (s *server) refresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.stale:
		}
		if s.phase.Load() != running {
			continue // Initialized marks it again
		}
		s.changes.soon()
		s.diags.everything()
		if s.client.Capabilities.LensRefresh {
			s.ask(ctx, "workspace/codeLens/refresh", s.client.Conn.CodeLensRefresh)
		}
		if s.client.Capabilities.HintRefresh {
			s.ask(ctx, "workspace/inlayHint/refresh", s.client.Conn.InlayHintRefresh)
		}
		if s.client.Capabilities.PullDiagnostics && s.client.Capabilities.DiagnosticRefresh {
			s.ask(ctx, "workspace/diagnostic/refresh", s.client.Conn.DiagnosticRefresh)
		}
	}
}

// ask sends a request whose answer says nothing.
func (s *server) ask(ctx context.Context, what string, send func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err := send(ctx); err != nil {
		s.opts.Log.Debug(what, "err", err)
	}
}
