package wrap

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// child is the process of the wrapped server.
type child struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	exited chan struct{} // closed when it has ended
	code   int           // set before exited is closed
}

// startChild runs the wrapped server in a process group of its own.
func startChild(opts Options) (*child, error) {
	if len(opts.Command) == 0 || opts.Command[0] == "" {
		return nil, fmt.Errorf("%w: no command is given", ErrNotStarted)
	}
	path, err := exec.LookPath(opts.Command[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	// Pipe files, not exec's own pipes: the end of the process must be seen even if a
	// process that it started holds the output open.
	stdinR, stdin, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	stdout, stdoutW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNotStarted, err), stdinR.Close(), stdin.Close())
	}
	cmd := exec.Command(path, opts.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdinR, stdoutW, opts.Stderr
	cmd.WaitDelay = drainTimeout // of standard error
	setProcessGroup(cmd)
	c := &child{name: filepath.Base(opts.Command[0]), cmd: cmd, stdin: stdin, stdout: stdout, exited: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The kernel kills the child when the thread that started it ends (see
		// setProcessGroup), so this thread stays for as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- errors.Join(err, stdinR.Close(), stdoutW.Close())
		if err != nil {
			return
		}
		if err := cmd.Wait(); err != nil {
			opts.Log.Debug("wait", "command", c.name, "err", err)
		}
		c.code = exitCode(cmd.ProcessState)
		close(c.exited)
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNotStarted, err), stdin.Close(), stdout.Close())
	}
	return c, nil
}

// end waits for the process to end by itself. After patience it kills the process
// group. It returns the exit code.
func (c *child) end(patience time.Duration) int {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
		terminate(c.cmd)
		timer.Reset(patience)
		select {
		case <-c.exited:
		case <-timer.C:
		}
	}
	kill(c.cmd)
	<-c.exited
	return c.code
}
