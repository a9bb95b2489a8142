package resolve

import (
	"testing"
	"time"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// spent returns the CPU time of the process. Unlike a clock on the wall it stands still
// while other processes run.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	must.OK(t, unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now))
	return time.Duration(now.Nano())
}
