package wrap

import "syscall"

// dieWithParent has the kernel kill the child when we were killed ourselves: one
// that ignores the end of its input and a request to end would stay for ever, as
// nobody is left who could do more. All other ends begin with a request.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
