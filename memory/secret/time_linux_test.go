package secret

import (
	"testing"
	"time"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the thread that calls it, which other programs do not make longer.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	must.OK(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now))
	return time.Duration(now.Nano())
}
