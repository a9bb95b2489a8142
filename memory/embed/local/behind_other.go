//go:build !linux

package local

// behind runs a call. Only Linux is known to make who wakes wait for a thread
// that computes.
func behind(call func() error) error { return call() }
