package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestHeapRoom: a limit below what is in use is raised, and one that somebody else set is left alone.
func TestHeapRoom(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(was)
	const tight = 1 << 20
	runtime.GC() // so that the size of the live heap is known
	h := newHeapRoom()
	h.limit = tight
	debug.SetMemoryLimit(tight)
	h.widen()
	if now := debug.SetMemoryLimit(-1); now <= tight || now != h.limit {
		t.Errorf("the limit is %d, noted %d", now, h.limit)
	}
	debug.SetMemoryLimit(2 * tight)
	h.widen()
	if now := debug.SetMemoryLimit(-1); now != 2*tight {
		t.Errorf("another's limit became %d", now)
	}
}
