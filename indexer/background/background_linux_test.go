package background

import (
	"runtime"
	"testing"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// TestRun: the thread requests a long slice while the call runs and has its own again
// afterwards, also after a call in a call and a panic.
func TestRun(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if attr, err := unix.SchedGetAttr(0, 0); err != nil || unix.SchedSetAttr(0, attr, 0) != nil {
		t.Skip("this machine does not let threads say how they are scheduled")
	}
	current := func() uint64 {
		t.Helper()
		attr, err := unix.SchedGetAttr(0, 0)
		must.OK(t, err)
		return attr.Runtime
	}
	before := current()
	if before == 0 {
		t.Skip("this kernel has no slices that a thread may ask for (before 6.12), or the tests run in another class")
	}
	long := func() {
		t.Helper()
		if got := current(); got != uint64(slice) {
			t.Errorf("a slice of %d ns while the call runs", got)
		}
	}
	for name, call := range map[string]func(){
		"one":       long,
		"in a call": func() { Run(long); long() },
		"panic":     func() { panic("as a parser would") },
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			before := current()
			func() {
				defer func() { _ = recover() }()
				Run(call)
			}()
			if got := current(); got != before {
				t.Errorf("a slice of %d ns afterwards, %d before", got, before)
			}
		})
	}
}
