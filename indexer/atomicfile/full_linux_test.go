package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"manicule/indexer/must"
)

// TestNoRoom: where a file can't be written as a whole, the old one stays, and
// nothing is left of the new one.
func TestNoRoom(t *testing.T) {
	dir, root := open(t)
	name := filepath.Join(dir, "f")
	must.OK(t, WriteIn(root, "tmp", "f", []byte("old"), 0o600))
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: was.Max}); err != nil {
		t.Skip(err)
	}
	large := bytes.Repeat([]byte("new "), 4096)
	err1, err2 := Write(name, large, 0o600), WriteIn(root, "tmp", "f", large, 0o600)
	must.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	for _, err := range []error{err1, err2} {
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("there was no room: %v", err)
		}
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "old" {
		t.Errorf("the file holds %d bytes, %v", len(data), err)
	}
	for _, folder := range []string{dir, filepath.Join(dir, "tmp")} {
		if left, err := filepath.Glob(filepath.Join(folder, prefix+"*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	}
}
