//go:build unix

package eventlog

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMaskingIsLinear: a text that is made to cost time costs no more than ten times a plain one: an
// event that is late is not logged. What counts is the processors' time, which other processes don't change.
func TestMaskingIsLinear(t *testing.T) {
	processor := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	cost := func(text string) time.Duration {
		best := time.Hour
		for range 5 {
			start := processor()
			Mask(text)
			MaskCommand(text)
			best = min(best, processor()-start)
		}
		return best
	}
	const size = 32 << 10
	words := strings.Repeat("go test ./... of 12 packages ", size/29)
	plain := cost(words)
	for _, unit := range []string{"-eyJ", ".eyJ", "eyJ.", "eyJa.b-", "-sk-", "AKIA", "bearer ", "password=", "://", "-----BEGIN ", "x=-p ", "ghp_"} {
		text := strings.Repeat(unit, size/len(unit))
		if took := cost(text); took > 10*plain+time.Millisecond {
			t.Errorf("%q again and again takes %v, plain text %v", unit, took, plain)
		}
	}
}
