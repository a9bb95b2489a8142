package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestUnsupported: each number that a system has for it says that there are no locks, and no other one does.
func TestUnsupported(t *testing.T) {
	wrapped := func(err error) error { return fmt.Errorf("lock: %w", &os.PathError{Op: "flock", Path: "x", Err: err}) }
	for _, err := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.ENOTSUP, syscall.EOPNOTSUPP} {
		if !Unsupported(wrapped(err)) {
			t.Errorf("there may be locks: %v", err)
		}
	}
	for _, err := range []error{syscall.EAGAIN, syscall.EACCES, fs.ErrNotExist, errors.ErrUnsupported} {
		if Unsupported(wrapped(err)) {
			t.Errorf("there are no locks: %v", err)
		}
	}
}
