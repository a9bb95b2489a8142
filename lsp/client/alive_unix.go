//go:build unix

package client

import (
	"errors"
	"syscall"
)

// ProcessAlive reports whether a process runs, under any user.
func ProcessAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
