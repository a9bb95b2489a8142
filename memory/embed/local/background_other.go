//go:build !linux

package local

// inBackground runs a call. On other systems, a thread of low priority is not known to delay a
// computing thread.
func inBackground(call func() error) error { return call() }
