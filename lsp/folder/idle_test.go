package folder

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// restedCode and restedTracker count the requests to release what is idle.
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

// ReleaseIdle counts.
func (r *restedTracker) ReleaseIdle(unusedFor time.Duration) error {
	if unusedFor > 0 {
		r.asked.Add(1)
	}
	return nil
}

// TestReleaseIdle: the code graph and git's objects are asked to release four times per
// CacheTTL, with unsaved buffers and without.
func TestReleaseIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		code, git := new(restedCode), new(restedTracker)
		set := NewSet(Options{})
		f := newFolder("/tmp", false, &set.opts)
		f.Code, f.Tracker = code, git
		f.spawn(ctx, f.releaseIdle)
		time.Sleep(set.opts.CacheTTL)
		synctest.Wait()
		if code, git := code.asked.Load(), git.asked.Load(); code != 4 || git != 4 {
			t.Errorf("the graph was asked %d times and git %d times, want 4", code, git)
		}
		if set.opts.CacheTTL > time.Minute {
			t.Errorf("an idle server keeps its caches for %v, more than a minute", set.opts.CacheTTL)
		}
		cancel()
	})
}
