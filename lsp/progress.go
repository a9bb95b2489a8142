package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"
)

// showProgress shows that memories are being read, when that takes long enough
// for a person to wonder.
func (s *server) showProgress(ctx context.Context) {
	done := make(chan struct{})
	s.spawn(func(ctx context.Context) {
		defer close(done)
		if err := s.folders.wait(ctx); err != nil {
			return // the connection has ended
		}
		s.markStale()
	})
	patience := time.NewTimer(s.opts.ProgressAfter)
	defer patience.Stop()
	select {
	case <-done:
		return
	case <-patience.C:
	}
	if !s.caps.progress {
		return
	}
	token := protocol.String("manicule-opening")
	if err := s.client.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
		s.opts.Log.Debug("window/workDoneProgress/create", "err", err)
		return
	}
	s.progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Manicule", Message: new("reading memories")})
	<-done
	s.progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
}

func (s *server) progress(ctx context.Context, token protocol.ProgressToken, value any) {
	b, err := protocol.Marshal(value)
	if err == nil {
		err = s.client.Progress(ctx, &protocol.ProgressParams{Token: token, Value: b})
	}
	if err != nil {
		s.opts.Log.Debug("$/progress", "err", err)
	}
}
