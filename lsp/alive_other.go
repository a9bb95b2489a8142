//go:build !unix

package lsp

import "os"

// processAlive reports whether pid runs: where signals are not to be had,
// finding a process fails when it is gone.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
