package lsp

import (
	"context"
	"sync"
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

// outbox sends notifications one after another without making anyone wait for
// the client to read them.
type outbox struct {
	mu    sync.Mutex
	queue []func(context.Context) // guarded by mu
	wake  chan struct{}
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// post queues a message.
func (o *outbox) post(send func(context.Context)) {
	o.mu.Lock()
	o.queue = append(o.queue, send)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run sends until ctx ends.
func (o *outbox) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
		}
		o.mu.Lock()
		batch := o.queue
		o.queue = nil
		o.mu.Unlock()
		for _, send := range batch {
			send(ctx)
		}
	}
}
