//go:build !unix

package wrap

import (
	"os"
	"os/exec"
)

// setProcessGroup does nothing: there are no process groups.
func setProcessGroup(*exec.Cmd) {}

// terminate does nothing: there is no signal to send.
func terminate(*exec.Cmd) {}

// kill ends the process.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
