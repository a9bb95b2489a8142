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

// TestGrowHeap: a large stored graph gets room to be loaded, unless the user chose a limit.
func TestGrowHeap(t *testing.T) {
	was, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	defer debug.SetMemoryLimit(was)
	defer debug.SetGCPercent(percent)
	t.Setenv("GOGC", "")
	for _, c := range []struct {
		limit        string
		stored, want int64
	}{
		{"", 0, graphMemory},
		{"", 1 << 30, loadedGrowth << 30},
		{"1GiB", 1 << 30, 1 << 30},
	} {
		t.Setenv("GOMEMLIMIT", c.limit)
		debug.SetMemoryLimit(1 << 30)
		growHeap(c.stored)
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("GOMEMLIMIT=%q, %d bytes stored: the limit is %d, want %d", c.limit, c.stored, got, c.want)
		}
	}
}

// TestGrowth: a command with much in use lets the heap grow by less.
func TestGrowth(t *testing.T) {
	if small, large := growth(200, 1<<50), growth(200, 1); small != 200 || large >= 100 {
		t.Errorf("with little in use %d percent, with much %d", small, large)
	}
}
