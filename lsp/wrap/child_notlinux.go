//go:build unix && !linux

package wrap

import "syscall"

// dieWithParent does nothing: the end of its input tells the child.
func dieWithParent(*syscall.SysProcAttr) {}
