//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package linefile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renamesOpen is set where a file that is open can be renamed.
const renamesOpen = true

// tryLock locks an open file until it is closed. It fails only if another process holds the lock: there are file systems
// without locks.
func tryLock(f *os.File) bool {
	return !errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
