package extract

import (
	"time"

	"golang.org/x/sys/unix"
)

// The kernel's id of a thread's CPU clock holds the complement of the thread id above
// three bits that select the clock.
const (
	clockOfThread = 4
	clockOfWork   = 2
	clockBits     = 3
)

// threadTime returns a function that reads the CPU time of the caller's thread, from
// any thread.
func threadTime() func() (time.Duration, bool) {
	id := int32(^unix.Gettid()<<clockBits | clockOfThread | clockOfWork)
	return func() (time.Duration, bool) {
		var t unix.Timespec
		if err := unix.ClockGettime(id, &t); err != nil {
			return 0, false
		}
		return time.Duration(t.Nano()), true
	}
}
