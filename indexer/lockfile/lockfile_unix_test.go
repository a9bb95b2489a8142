//go:build unix

package lockfile

import (
	"io/fs"
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

// TestUnsupported: what systems say of a file system without locks, and not of a lock that another process holds.
func TestUnsupported(t *testing.T) {
	unsupported := []syscall.Errno{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.ENOTSUP}
	for i, errno := range append(unsupported, syscall.EWOULDBLOCK, syscall.EINTR) {
		want := i < len(unsupported)
		if err := (&fs.PathError{Op: "flock", Path: "x.lock", Err: errno}); Unsupported(err) != want {
			t.Errorf("Unsupported(%v) = %t", errno, !want)
		}
	}
}
