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
	token := protocol.String("manicule-opening")
	if !s.client.CreateProgress(ctx, token) {
		return
	}
	s.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Manicule", Message: new("reading memories")})
	<-done
	s.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
}
