//go:build unix

package wrap

import (
	"os"
	"os/exec"
	"syscall"
)

// inGroup has a command run in a process group of its own, and end when the
// thread that starts it does where the kernel offers that.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// terminate asks the group to end.
func terminate(cmd *exec.Cmd) { signal(cmd, syscall.SIGTERM) }

// kill ends the group.
func kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

// signal reaches the whole group, also when its first process has ended: its
// number is not given to another while the group has members.
func signal(cmd *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s) // an empty group is what we want
}

// exitCode is what a shell would say.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
