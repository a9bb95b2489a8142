//go:build !unix

package client

import "os"

// ProcessAlive reports whether a process runs. Without signals, finding a process fails
// once it is gone.
func ProcessAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
