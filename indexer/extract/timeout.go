package extract

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"manicule/indexer/fault"
)

// ErrSlow means that a file takes longer to parse than any that a person wrote:
// grammars take quadratic time to recover from some texts that they don't understand,
// and Swift's never finishes on a few short ones.
var ErrSlow = errors.New("takes too long to parse")

// ErrDeep means that a file nests deeper than its grammar supports.
var ErrDeep = errors.New("nests too deep to parse")

// maxContainers limits the nesting of quotes and lists in Markdown. The grammar keeps
// them in a buffer of fixed size: at several hundred it ends the process.
const maxContainers = 100

// checkNesting rejects Markdown with too deeply nested containers, judging by the
// beginning of each line.
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

// A file may take baseTimeout, and timeoutPerMB more for each MB. The largest files of
// the measured trees take half a second a MB.
var baseTimeout, timeoutPerMB = 3 * time.Second, 4 * time.Second

// guard limits the time of f for one source, and turns its panic into an error.
func guard[T any](ctx context.Context, src []byte, f func(context.Context) (T, error)) (out T, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	runtime.LockOSThread() // the thread whose time is measured
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

// watchdog cancels work that used up its time. It counts CPU time where the system
// reports it: on a loaded machine a file spends most of its seconds waiting, which is
// not its fault.
type watchdog struct {
	mu    sync.Mutex
	timer *time.Timer // nil once it is stopped
	limit time.Duration
	used  func() time.Duration
	end   func()
}

// minCheckInterval is the shortest pause between two checks.
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

// threadClock starts to measure the CPU time of the caller's thread. Another thread
// may read it.
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

// maxSharing is how many files may share a processor where the system does not report
// CPU time.
const maxSharing = 5
