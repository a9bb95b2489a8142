package graph

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// TestIndexesInBackground: the threads that read, resolve and write yield to any thread
// that wakes, so that a request does not wait for them.
func TestIndexesInBackground(t *testing.T) {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Runtime == 0 || unix.SchedSetAttr(0, attr, 0) != nil {
		t.Skip("this machine does not let threads say how they are scheduled")
	}
	usual := attr.Runtime
	yielding := func() (n int) {
		t.Helper()
		threads, err := os.ReadDir("/proc/self/task")
		must.OK(t, err)
		for _, e := range threads {
			id, err := strconv.Atoi(e.Name())
			must.OK(t, err)
			if attr, err := unix.SchedGetAttr(id, 0); err == nil && attr.Runtime > usual {
				n++
			}
		}
		return n
	}
	s := newSpace(t, "")
	for i := range 300 { // far more than may be ahead of the writer
		s.write(fmt.Sprintf("p/f%d.go", i), fmt.Sprintf("package p\n\nfunc F%d() { F%d() }\n", i, (i+1)%300))
	}
	ix := s.open()
	most := map[string]int{}
	if _, err := ix.Sync(t.Context(), func(p Progress) {
		if p.Done == 1 {
			most[p.Phase] = yielding()
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []string{"read", "resolve"} {
		if most[phase] < 2 { // a worker and the writer
			t.Errorf("%d threads yield in phase %q", most[phase], phase)
		}
	}
	if n := yielding(); n > 0 {
		t.Errorf("%d threads still yield afterwards", n)
	}
}
