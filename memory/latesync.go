package memory

import (
	"context"
	"sync"
	"time"
)

// patience is how long an answer waits until many memory files that changed were read. After a pull they may be thousands; then the
// memories from before are the answer, and it says so.
const patience = 500 * time.Millisecond

// lateSync reads memory files for callers who wait at most so long for many. It goes on when they have given up. It is safe for concurrent
// use.
type lateSync struct {
	running sync.Mutex // held while files are read
	work    sync.WaitGroup
	ended   context.Context
	end     context.CancelFunc

	mu   sync.Mutex
	next *lateRun // one that has not begun, which any caller may join; guarded by mu
}

func newLateSync() *lateSync {
	l := &lateSync{}
	l.ended, l.end = context.WithCancel(context.Background())
	return l
}

// lateRun is one look at the files.
type lateRun struct {
	done    chan struct{} // closed when what follows is known
	changed bool
	err     error
}

// do looks at the files as they are now or later. inTime is false if many are read for longer than the callers' patience.
func (l *lateSync) do(ctx context.Context, many func() bool, look func(context.Context) (bool, error)) (changed, inTime bool, err error) {
	run := l.join(ctx, look)
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-run.done:
			return run.changed, true, run.err
		case <-ctx.Done():
			return false, true, ctx.Err()
		case <-tick.C:
			if many() {
				return false, false, nil
			}
		}
	}
}

// join returns the next run.
func (l *lateSync) join(ctx context.Context, look func(context.Context) (bool, error)) *lateRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		return l.next
	}
	run := &lateRun{done: make(chan struct{})}
	l.next = run
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(l.ended, cancel)
	l.work.Go(func() {
		defer cancel()
		defer stop()
		defer close(run.done)
		l.running.Lock()
		defer l.running.Unlock()
		l.begin()
		run.changed, run.err = look(ctx)
	})
	return run
}

// begin ends the time in which callers join the next run: what changes from now on may not be seen by it.
func (l *lateSync) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = nil
}

// close ends the run under way.
func (l *lateSync) close() {
	l.end()
	l.work.Wait()
}
