package extract

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"manicule/indexer/fault"
)

// ErrSlow says that a file takes longer to parse than any that a person wrote:
// grammars take quadratic time to recover from some texts that they don't
// understand, and Swift's does not come to an end with a few short ones.
var ErrSlow = errors.New("takes too long to parse")

// ErrDeep says that a file nests deeper than its grammar can take.
var ErrDeep = errors.New("nests too deep to parse")

// maxContainers is how many quotes and lists of Markdown may lie in each other.
// The grammar keeps them in a buffer of a fixed size: at some hundreds it ends the
// process.
const maxContainers = 100

// checkNesting refuses Markdown whose containers lie too deep in each other, by
// what stands at the beginning of each line.
func checkNesting(text []byte) error {
	depth, blank := 0, 0
	for i, began := 0, true; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			depth, blank, began = 0, 0, true
		case !began:
		case c == ' ':
			if blank++; blank%2 == 0 {
				depth++
			}
		case c == '\t', c == '>':
			depth++
		case c == '-', c == '*', c == '+', c == '.', c == ')':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				depth++
			}
		case c < '0' || c > '9':
			began = false
		}
		if began && depth > maxContainers {
			return ErrDeep
		}
	}
	return nil
}

// A file may take patience, and perMB more for each MB. The largest files of the
// trees that were measured take half a second a MB.
var baseTimeout, timeoutPerMB = 3 * time.Second, 4 * time.Second

// guard bounds what is done with one source: it ends in time, and a panic is its
// error.
func guard[T any](ctx context.Context, src []byte, f func(context.Context) (T, error)) (out T, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	runtime.LockOSThread() // whose time is counted
	defer runtime.UnlockOSThread()
	w := startWatchdog(baseTimeout+timeoutPerMB*time.Duration(len(src))/(1<<20), threadClock(), func() { cancel(ErrSlow) })
	defer w.stop()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), ErrSlow) {
			err = ErrSlow
		}
	}()
	defer fault.Catch(&err)
	fault.Enter(ctx, fault.Extract, src)
	return f(ctx)
}

// watchdog ends what has used up its time. That is the time of the processor where
// the system tells it: on a machine under load a file waits for most of its
// seconds, and is no worse for it.
type watchdog struct {
	mu    sync.Mutex
	timer *time.Timer // nil once it is stopped
	limit time.Duration
	used  func() time.Duration
	end   func()
}

// minCheckInterval is how long a watcher waits at least before it looks again.
const minCheckInterval = time.Millisecond

func startWatchdog(limit time.Duration, used func() time.Duration, end func()) *watchdog {
	w := &watchdog{limit: limit, used: used, end: end}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.check)
	return w
}

func (w *watchdog) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	if left := w.limit - w.used(); left > 0 {
		w.timer.Reset(max(left, minCheckInterval))
		return
	}
	w.end()
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.timer = nil
}

// threadClock begins to count the time that the caller's thread works. Another
// may ask for it.
var threadClock = func() func() time.Duration {
	read := threadTime()
	first, ok := read()
	began := time.Now()
	return func() time.Duration {
		if now, known := read(); ok && known {
			return now - first
		}
		return time.Since(began) / maxSharing
	}
}

// maxSharing is with how many others a file may share a processor where the system
// does not say what it got of it.
const maxSharing = 5
