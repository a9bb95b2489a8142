// Package lockfile owns the advisory locks that processes take on files. The system
// releases the lock of a killed process. A lock never waits to be opened, whatever is in the
// place of its file. The package must not know what the locks guard.
package lockfile

import (
	"errors"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// Unsupported reports whether an error says that the file system has no locks, as some have that a network serves. Systems have
// several numbers for it: macOS says ENOTSUP, which is not its EOPNOTSUPP.
func Unsupported(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOTSUP)
}

// New returns the lock of a file, which is made when it is first taken. To close the
// descriptor releases the lock.
func New(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|nonblock))
}
