//go:build unix

package lockfile

import (
	"path/filepath"
	"syscall"
	"testing"

	"manicule/indexer/must"
)

// TestPipe: what is in the place of a lock's file keeps nobody waiting, and locks as well.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	must.OK(t, syscall.Mkfifo(path, 0o600))
	l := New(path)
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatalf("%t, %v", ok, err)
	}
	if ok, err := New(path).TryLock(); ok || err != nil {
		t.Errorf("it was locked twice: %t, %v", ok, err)
	}
	must.OK(t, l.Unlock())
}
