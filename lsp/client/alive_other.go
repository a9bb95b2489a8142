//go:build !unix

package client

import "os"

// ProcessAlive reports whether pid runs: where signals are not to be had,
// finding a process fails when it is gone.
func ProcessAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
