//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package linefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestOneRotates: of the processes that find a file full one rotates it. The other one's rename would put the new file over
// the part that was just rotated.
func TestOneRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	const limit = 100
	full := strings.Repeat("a line\n", 20)
	must.OK(t, os.WriteFile(path, []byte(full), 0o600))
	first, err := open(path) // and found it full
	must.OK(t, err)
	if !tryLock(first) {
		t.Fatal("the file is locked")
	}
	must.OK(t, Append(path, limit, []byte("second")))
	if _, err := os.Stat(path + ".1"); err == nil {
		t.Error("the second renamed a file that the first is rotating")
	}
	must.OK(t, first.Close())
	must.OK(t, Append(path, limit, []byte("third")))
	if data, err := os.ReadFile(path + ".1"); err != nil || string(data) != full+"second\nthird\n" {
		t.Errorf("rotated: %q, %v", data, err)
	}
}

// TestAppendUnless: of writers that come at the very same time, each sees what those before it wrote, also where the file is rotated
// between them.
func TestAppendUnless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	const limit, rounds, writers = 200, 100, 4
	has := func(line string) (found bool) {
		err := Read(path, func(l []byte) { found = found || string(l) == line })
		return err == nil && found
	}
	for i := range rounds {
		line := fmt.Sprintf("line %d", i)
		begin, errs := make(chan struct{}), make(chan error, writers)
		var written atomic.Int32
		for range writers {
			go func() {
				<-begin
				errs <- AppendUnless(path, limit, []byte(line), time.Minute, func() bool {
					if has(line) {
						return true
					}
					written.Add(1)
					return false
				})
			}()
		}
		close(begin)
		for range writers {
			must.OK(t, <-errs)
		}
		if n := written.Load(); n != 1 || !has(line) {
			t.Fatalf("%d writers found that %q is missing", n, line)
		}
	}
}

// TestAppendUnlessGoesOn: a file that another process holds is written to all the same, after a while.
func TestAppendUnlessGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	held, err := open(path)
	must.OK(t, err)
	if !tryLock(held) {
		t.Fatal("the file is locked")
	}
	must.OK(t, AppendUnless(path, 100, []byte("a line"), 0, func() bool { return false }))
	if data, err := os.ReadFile(path); err != nil || string(data) != "a line\n" {
		t.Errorf("%q, %v", data, err)
	}
	must.OK(t, held.Close())
}
