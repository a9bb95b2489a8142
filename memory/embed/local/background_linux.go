package local

import (
	goruntime "runtime"
	"time"

	"golang.org/x/sys/unix"
)

// backgroundSlice is far more than the usual slice of about 1 to 3 ms, and no more than
// a query may have to wait where all cores are busy. Linux grants 0.1 to 100 ms.
const backgroundSlice = 20 * time.Millisecond

// inBackground runs a call on a thread that gives its core up to any that wakes.
//
// Linux 6.6 and later let who runs finish a slice, or go on to the next tick of
// up to 4 ms, before one that wakes gets the core (EEVDF). Since 6.12 a
// thread may ask for a slice of its own; one that wakes with a shorter one then
// goes first. Its share stays what it was, so that it is not kept from running
// for longer than about a slice while it holds what others wait for, as one of the
// idle class or a lower priority would be; and unlike these it can be taken back
// without a privilege. Older kernels take no notice.
func inBackground(call func() error) error {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL || attr.Runtime == 0 { // a sandbox, another class, or an old kernel
		return call()
	}
	was := attr.Runtime
	attr.Runtime = uint64(backgroundSlice)
	if err := unix.SchedSetAttr(0, attr, 0); err != nil {
		return call()
	}
	defer func() {
		attr.Runtime = was
		_ = unix.SchedSetAttr(0, attr, 0) // what went before is allowed after
	}()
	return call()
}
