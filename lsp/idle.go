package lsp

import (
	"sync/atomic"
	"time"

	"manicule/lsp/session"
)

// idleDelays returns the idle times after which the server frees memory: soon for the
// garbage of responses, later for caches.
func idleDelays() []time.Duration {
	return []time.Duration{1500 * time.Millisecond, 8 * time.Second, 50 * time.Second}
}

// idleTimer frees memory when no message has come for a while.
type idleTimer struct {
	session  *session.Session
	free     func()       // nil: nothing is freed
	timer    *time.Timer  // runs release; nil without free
	releases atomic.Int32 // how often memory was freed since the last message
}

func newIdleTimer(s *session.Session, free func()) *idleTimer {
	t := &idleTimer{session: s, free: free}
	if free != nil {
		t.timer = time.AfterFunc(time.Hour, t.release)
		t.reset()
	}
	return t
}

// reset begins anew: a message has come.
func (t *idleTimer) reset() {
	if t.timer != nil {
		t.releases.Store(0)
		t.timer.Reset(idleDelays()[0])
	}
}

// release frees memory, and starts the next, longer idle delay.
func (t *idleTimer) release() {
	n := int(t.releases.Add(1))
	if n == len(idleDelays()) {
		t.session.ReleaseIdle()
	}
	t.free()
	if n < len(idleDelays()) {
		t.timer.Reset(idleDelays()[n])
	}
}

func (t *idleTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}
