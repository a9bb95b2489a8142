package wrap

import "syscall"

// dieWithParent has the kernel kill the child if we are killed. A child that ignores
// the end of its input would otherwise stay for ever. Every other end begins with a
// request.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
