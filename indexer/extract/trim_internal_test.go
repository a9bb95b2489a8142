//go:build cgo && linux && amd64

package extract

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"manicule/indexer/must"
)

// TestArenasAreLimited: threads that parse share the allocator's arenas.
func TestArenasAreLimited(t *testing.T) {
	l, err := languageFor("go")
	must.OK(t, err)
	const threads = 24
	var ready, done sync.WaitGroup
	errs := make([]error, threads)
	ready.Add(threads)
	for i := range threads {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			ready.Wait() // all of them run at once
			tree, err := l.parse(t.Context(), []byte("package a\n\nfunc f() {}\n"))
			if errs[i] = err; err == nil {
				tree.Close()
			}
		})
	}
	done.Wait()
	for _, err := range errs {
		must.OK(t, err)
	}
	if n, most := threadArenas(t), max(2, runtime.NumCPU()); n > most { // the race detector has one before the limit is set
		t.Errorf("%d arenas of threads, at most %d may be", n, most)
	}
}

// threadArenas counts the arenas that glibc made for threads: 64 MB each, aligned to it, of
// which the first part can be written, and what was never used can't.
func threadArenas(t *testing.T) int {
	data, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	const size = 64 << 20
	n := 0
	var begin, end uint64 // of the mapping before, if it may be an arena's first part
	for line := range strings.Lines(string(data)) {
		var from, to uint64
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if mode == "---p" && from == end && to == begin+size {
			n++
		}
		begin, end = 0, 0
		if mode == "rw-p" && from%size == 0 && len(strings.Fields(line)) == 5 {
			begin, end = from, to
		}
	}
	return n
}
