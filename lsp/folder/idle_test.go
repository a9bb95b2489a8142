package folder

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// restedCode and restedTracker count how often they are asked to give back what
// nobody used.
type restedCode struct {
	Code
	asked atomic.Int32
}

// Release counts.
func (r *restedCode) Release(unusedFor time.Duration) {
	if unusedFor > 0 {
		r.asked.Add(1)
	}
}

type restedTracker struct {
	Tracker
	asked atomic.Int32
}

// Rest counts.
func (r *restedTracker) Rest(unusedFor time.Duration) error {
	if unusedFor > 0 {
		r.asked.Add(1)
	}
	return nil
}

// TestGivenBack: the code graph and git's objects are asked to go four times in
// the time for which they are kept, whether or not there are unsaved buffers.
func TestGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		code, git := new(restedCode), new(restedTracker)
		set := NewSet(Options{})
		f := set.folder("/tmp")
		f.Code, f.Tracker = code, git
		f.spawn(ctx, f.releaseIdle)
		time.Sleep(set.opts.CacheTTL)
		synctest.Wait()
		if code, git := code.asked.Load(), git.asked.Load(); code != 4 || git != 4 {
			t.Errorf("the graph was asked %d times and git %d times, want 4", code, git)
		}
		if set.opts.CacheTTL > time.Minute {
			t.Errorf("a server that rests for a minute still has all, for %v", set.opts.CacheTTL)
		}
		cancel()
	})
}
