package hookcmd

import (
	"testing"
	"time"
)

func TestProcessStart(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	for stat, want := range map[string]time.Duration{
		"1 (a) b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1000 20": -190 * time.Millisecond,
		"1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1020 20":       0, // within the tick
		"1 (x) S 1 2 3": 0,
		"":              0,
	} {
		if got := startFrom(now, []byte(stat), 10200*time.Millisecond).Sub(now); got != want {
			t.Errorf("%q: %s, want %s", stat, got, want)
		}
	}
	if age := time.Since(ProcessStart(time.Now())); age <= 0 || age > time.Hour {
		t.Errorf("this process is %s old", age)
	}
}
