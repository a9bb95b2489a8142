package lsp

import (
	"context"
	"log/slog"
	"sync"
)

// background runs goroutines outside of the message loop.
type background struct {
	ctx  context.Context // ends with the connection
	log  *slog.Logger
	work sync.WaitGroup
}

// spawn runs f in a goroutine. f must end with its context. A call to the client that
// waits for a response must run in one: a notification's handler would wait for a
// message that is not read.
func (b *background) spawn(f func(ctx context.Context)) {
	b.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				b.log.Error("panic in the background", "panic", p)
			}
		}()
		f(b.ctx)
	})
}

// wait waits until all of them have ended.
func (b *background) wait() { b.work.Wait() }
