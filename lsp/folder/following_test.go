package folder

import (
	"testing"
	"time"
)

// TestFollowing: a file that was written since the last complete refresh waits for another one.
func TestFollowing(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before, after := at.Add(-time.Minute), at.Add(time.Second)
	for name, c := range map[string]struct {
		complete bool
		written  time.Time
		waits    bool
	}{
		"written before":                          {true, before, false},
		"written since":                           {true, after, true},
		"written before one that git held up":     {false, before, true},
		"written since one that git held up":      {false, after, true},
		"written with the clock's tick before it": {true, at.Add(-fileClock / 2), true},
	} {
		var p following
		p.request()
		if p.catchUp(before) == nil {
			t.Fatalf("%s: nothing waits for the first refresh", name)
		}
		p.done(p.seen(), at.Add(-time.Hour), true)
		p.request()
		p.done(p.seen(), at, c.complete)
		if done := p.catchUp(c.written); (done != nil) != c.waits {
			t.Errorf("%s: waits %t, want %t", name, done != nil, c.waits)
		}
	}
}
