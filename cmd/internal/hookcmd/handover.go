package hookcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"manicule/hooks/install"
	"manicule/memory"
	"manicule/memory/config"
)

// errNoProgram is the error of a read-only hook that does not find the program that can
// write.
var errNoProgram = &memory.UserError{Msg: "the program `manicule` is neither beside the hook's program nor on the PATH", Hint: "Install it there."}

// pipeGrace bounds how long descendants of the other program may keep its output open.
const pipeGrace = 100 * time.Millisecond

// startEnv tells the other program when this one was started, in Unix microseconds: both have the same time, and what takes
// longer is left there before it is ended here.
const startEnv = "MANICULE_HOOK_STARTED"

// longestAgo is how long before its own start a program may have been handed an event.
const longestAgo = time.Minute

// started is when the program was started that handed the event over, else when this one was.
func (p *Process) started() time.Time {
	micros, err := strconv.ParseInt(p.Getenv(startEnv), 10, 64)
	if at := time.UnixMicro(micros); err == nil && at.Before(p.Start) && p.Start.Sub(at) < longestAgo {
		return at
	}
	return p.Start
}

// ReadOnly makes the process one that writes no memories itself. It hands events that
// need writing to the program beside it, or on the PATH, with the same arguments.
func (p *Process) ReadOnly(args []string) {
	p.HandOver = func(ctx context.Context, input []byte) ([]byte, error) {
		program, err := writingProgram()
		if err != nil {
			return nil, err
		}
		// args needs no check for flags: the program accepts any.
		cmd := exec.CommandContext(ctx, program, append([]string{"hook"}, args...)...)
		cmd.Stdin = bytes.NewReader(input)
		cmd.Env = append(os.Environ(), startEnv+"="+strconv.FormatInt(p.Start.UnixMicro(), 10))
		cmd.WaitDelay = pipeGrace
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", program, err)
		}
		return out, nil
	}
	p.Open = func(string) (*memory.Workspace, *config.Config, error) { return nil, nil, errNoProgram }
}

// writingProgram finds the complete program.
func writingProgram() (string, error) {
	name := install.Server
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		for _, at := range []string{self, resolved(self)} {
			beside := filepath.Join(filepath.Dir(at), name)
			if st, err := os.Stat(beside); err == nil && st.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", errors.Join(errNoProgram, err)
	}
	return found, nil
}

// resolved returns a path without links, or the path itself if that fails.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
