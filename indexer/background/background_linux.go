package background

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// slice is far longer than the usual slice of 1 to 3 ms, but short enough for a query to
// wait if all cores are busy. Linux allows 0.1 to 100 ms.
const slice = 20 * time.Millisecond

// Run runs a call on a thread that yields its core to any thread that wakes.
//
// In Linux 6.6 and later (EEVDF), a running thread may finish its slice, or run until the next tick
// of up to 4 ms, before a thread that wakes gets the core. Since 6.12 a thread can request its own
// slice length, and a waking thread with a shorter slice preempts it. The thread keeps its share of
// time, so it does not hold locks for much longer than a slice, as a thread of the idle class or of
// low priority would. Unlike those, the setting can be reverted without privileges. Older kernels
// ignore it.
func Run(call func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL || attr.Runtime == 0 { // a sandbox, another class, or an old kernel
		call()
		return
	}
	was := attr.Runtime
	attr.Runtime = uint64(slice)
	if err := unix.SchedSetAttr(0, attr, 0); err == nil {
		defer func() {
			attr.Runtime = was
			_ = unix.SchedSetAttr(0, attr, 0) // if setting it was allowed, resetting is too
		}()
	}
	call()
}
