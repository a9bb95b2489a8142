//go:build !linux

package background

// Run runs a call. On other systems, a thread of low priority is not known to delay a computing
// thread.
func Run(call func()) { call() }
