package local

import (
	"errors"
	goruntime "runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBehind: the thread asks for a long slice while the call runs and has its
// own again afterwards, whatever the call does.
func TestBehind(t *testing.T) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	if attr, err := unix.SchedGetAttr(0, 0); err != nil || unix.SchedSetAttr(0, attr, 0) != nil {
		t.Skip("this machine does not let threads say how they are scheduled")
	}
	slice := func() uint64 {
		t.Helper()
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return attr.Runtime
	}
	before := slice()
	if before == 0 {
		t.Skip("this kernel has no slices that a thread may ask for (before 6.12), or the tests run in another class")
	}
	failed := errors.New("as the model would")
	err := inBackground(func() error {
		if got := slice(); got != uint64(backgroundSlice) {
			t.Errorf("a slice of %d ns while the call runs", got)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("the call's error is lost: %v", err)
	}
	if got := slice(); got != before {
		t.Errorf("a slice of %d ns afterwards, %d before", got, before)
	}
}
