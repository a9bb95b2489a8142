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
	"time"

	"manicule/hooks/install"
	"manicule/memory"
	"manicule/memory/config"
)

// errNoProgram is what a hook that can only read says where the program that can
// write is not there.
var errNoProgram = &memory.UserError{Msg: "the program `manicule` is neither beside the hook's program nor on the PATH", Hint: "Install it there."}

// pipeGrace is how long what the other program has left running may hold its output.
const pipeGrace = 100 * time.Millisecond

// ReadOnly makes the process one that writes no memories itself: it hands the
// events that take writing to the program beside it, or on the PATH, with the same
// words.
func (p *Process) ReadOnly(args []string) {
	p.HandOver = func(ctx context.Context, input []byte) ([]byte, error) {
		program, err := full()
		if err != nil {
			return nil, err
		}
		// No word of args has to be a flag of anything: the program takes any.
		cmd := exec.CommandContext(ctx, program, append([]string{"hook"}, args...)...)
		cmd.Stdin = bytes.NewReader(input)
		cmd.WaitDelay = pipeGrace
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", program, err)
		}
		return out, nil
	}
	p.Open = func(string) (*memory.Workspace, *config.Config, error) { return nil, nil, errNoProgram }
}

// full finds the program that does everything.
func full() (string, error) {
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

// resolved is a path without links, as it is where that can't be told.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
