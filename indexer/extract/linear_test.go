package extract

import (
	"runtime"
	"testing"
	"time"

	"manicule/indexer/must"
)

// linear fails if parse takes much longer than four times as much processor time for a text four times as long.
// A quadratic parser takes sixteen times as much. What is short is not judged.
func linear(t *testing.T, long int, parse func(bytes int) error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := threadTime()
	took := func(bytes int) time.Duration {
		start, _ := now()
		must.OK(t, parse(bytes))
		end, ok := now()
		if !ok {
			t.Skip("threads have no clock here")
		}
		return end - start
	}
	short := took(long / 4)
	if whole := took(long); whole > 200*time.Millisecond && whole > 8*short {
		t.Errorf("%d bytes took %v, and %d took %v", long, whole, long/4, short)
	}
}
