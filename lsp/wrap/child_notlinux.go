//go:build unix && !linux

package wrap

import "syscall"

// dieWithParent does nothing: the child sees the end of its input.
func dieWithParent(*syscall.SysProcAttr) {}
