package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// background is the work of a connection beside its calls.
type background struct {
	base context.Context //nolint:containedctx // ends all work when the client is gone
	stop context.CancelFunc
	wait time.Duration // for running work at the end

	mu     sync.Mutex // guards closed
	closed bool
	work   sync.WaitGroup
}

// closeTimeout bounds the wait for running calls at the end.
const closeTimeout = time.Second

func newBackground(ctx context.Context) *background {
	b := &background{wait: closeTimeout}
	b.base, b.stop = context.WithCancel(context.WithoutCancel(ctx)) // stop ends its work, after the calls
	return b
}

// spawn runs background work. It does nothing once the server is closing.
func (b *background) spawn(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.work.Go(f)
	}
}

// finish ends all work and then calls last, or gives up: the process ends and the
// system releases its locks.
func (b *background) finish(last func() error) error {
	b.stop()
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		b.work.Wait()
		done <- last()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(b.wait):
		return nil
	}
}

// idleTimer calls a function after periods without calls, to return memory. A nil timer does nothing.
type idleTimer struct {
	timer *time.Timer
	idle  func()
	rests atomic.Int32 // how often memory was returned since the last call
}

// idleTimes are the idle times after which a server returns memory: the first soon, for what
// calls have left, the second later, for data loaded beside them, such as resolved
// anchors.
func idleTimes() []time.Duration {
	return []time.Duration{1500 * time.Millisecond, 8 * time.Second, 50 * time.Second}
}

func newIdleTimer(idle func()) *idleTimer {
	t := &idleTimer{idle: idle}
	t.timer = time.AfterFunc(time.Hour, t.rest)
	t.reset()
	return t
}

// reset begins a period.
func (t *idleTimer) reset() {
	if t != nil {
		t.rests.Store(0)
		t.timer.Reset(idleTimes()[0])
	}
}

// rest returns memory and restarts the timer.
func (t *idleTimer) rest() {
	t.idle()
	if n := int(t.rests.Add(1)); n < len(idleTimes()) {
		t.timer.Reset(idleTimes()[n])
	}
}

func (t *idleTimer) stop() {
	if t != nil {
		t.timer.Stop()
	}
}
