package lsp

import (
	"context"
)

// spawn runs f beside the message loop, until the connection ends at the
// latest. What calls the client and waits for its answer must run in one: in a
// notification's handler it would wait for a message that is not read.
func (s *server) spawn(f func(ctx context.Context)) {
	s.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.opts.Log.Error("panic in the background", "panic", p)
			}
		}()
		f(s.ctx)
	})
}
