//go:build !linux

package local

// inBackground runs a call. On other systems than Linux a thread of low priority is not known to delay a thread
// that computes.
func inBackground(call func() error) error { return call() }
