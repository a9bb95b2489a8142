package secret

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the thread that calls it, which other programs do not make longer.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
