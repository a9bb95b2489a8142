//go:build unix

package wrap

import (
	"os"
	"os/exec"
	"syscall"
)

// setProcessGroup runs a command in a process group of its own. Where the kernel offers
// it, the command ends with the thread that started it.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// terminate asks the process group to end.
func terminate(cmd *exec.Cmd) { signal(cmd, syscall.SIGTERM) }

// kill ends the process group.
func kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

// signal signals the whole group, also after its first process has ended: the number
// stays reserved while the group has members.
func signal(cmd *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s) // an empty group is fine
}

// exitCode returns the exit code as a shell reports it.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
