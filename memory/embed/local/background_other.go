//go:build !linux

package local

// behind runs a call. On other systems than Linux a thread of low priority is not known to delay a thread
// that computes.
func behind(call func() error) error { return call() }
