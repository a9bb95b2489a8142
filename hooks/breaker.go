package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/treefile"
)

// The circuit breaker: after this many late answers within a period, hooks do less for a
// while.
const (
	breakerName  = "hook-breaker.json"
	breakerAfter = 3
	breakerIn    = 10 * time.Minute
	breakerFor   = 10 * time.Minute
)

// Breaker is the state of the circuit breaker.
type Breaker struct {
	Misses []int64 `json:"misses"` // times of late answers in Unix milliseconds, oldest first
	Until  int64   `json:"until"`  // when hooks do everything again
}

// Open reports whether hooks do less now.
func (b Breaker) Open(now time.Time) bool {
	left := b.Until - now.UnixMilli()
	return left > 0 && left <= breakerFor.Milliseconds() // else the clock was set meanwhile
}

// ReadBreaker reads the breaker of a state folder; the zero one if there is none.
func ReadBreaker(stateDir string) Breaker {
	var b Breaker
	if data, err := treefile.ReadMade(filepath.Join(stateDir, breakerName)); err == nil {
		if json.Unmarshal(data, &b) != nil {
			return Breaker{}
		}
	}
	return b
}

// noteMiss records a late answer. Of two processes that do so at once one may be lost, so
// that opening takes one more.
func noteMiss(stateDir string, now time.Time) error {
	b := ReadBreaker(stateDir)
	from := now.Add(-breakerIn).UnixMilli()
	b.Misses = append(slices.DeleteFunc(b.Misses, func(t int64) bool { return t < from || t > now.UnixMilli() }), now.UnixMilli())
	if len(b.Misses) >= breakerAfter {
		b.Until, b.Misses = now.Add(breakerFor).UnixMilli(), nil
	}
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil { // the first hooks of a workspace find none
		return err
	}
	// Not synced: a slow disk may be the very reason for the misses.
	return os.WriteFile(filepath.Join(stateDir, breakerName), data, 0o600)
}

// degraded reports whether this hook skips optional work: searches, and the results of
// earlier sessions. Who asks and waits gets all of it.
func (p *process) degraded() bool {
	return p.faults == nil && p.stateDir != "" && ReadBreaker(p.stateDir).Open(p.opt.Now())
}
