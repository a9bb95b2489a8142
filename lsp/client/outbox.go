package client

import (
	"context"
	"sync"
)

// outbox sends notifications in order, so that no caller waits for the client to read
// them.
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
