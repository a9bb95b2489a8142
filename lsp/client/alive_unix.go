//go:build unix

package client

import (
	"errors"
	"syscall"
)

// ProcessAlive reports whether pid runs, also under another user.
func ProcessAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
