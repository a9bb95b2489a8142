package resolve

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spent returns the CPU time of the process. Unlike a clock on the wall it stands still
// while other processes run.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}
