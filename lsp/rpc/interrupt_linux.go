package rpc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// polled is a connection whose reader waits for its file or for Close, whichever comes
// first.
type polled struct {
	io.ReadWriteCloser
	file *os.File
	stop *os.File  // Close closes it
	end  *os.File  // its other end
	once sync.Once // for Close
	err  error     // of Close
}

// newPolled returns nil if the file can't be waited for.
func newPolled(file *os.File, conn io.ReadWriteCloser) io.ReadWriteCloser {
	if _, err := file.SyscallConn(); err != nil {
		return nil
	}
	end, stop, err := os.Pipe()
	if err != nil {
		return nil
	}
	return &polled{ReadWriteCloser: conn, file: file, stop: stop, end: end}
}

// Read waits for the file and reads from it. Only one goroutine may read at a time.
func (p *polled) Read(b []byte) (int, error) {
	closed, err := p.wait()
	if err != nil {
		return 0, err
	}
	if closed {
		return 0, io.ErrClosedPipe
	}
	return p.ReadWriteCloser.Read(b)
}

// wait returns when the file has data or ended, or when the connection was closed.
func (p *polled) wait() (closed bool, err error) {
	rerr := withDescriptors(p.file, p.end, func(file, end uintptr) {
		for {
			fds := []unix.PollFd{{Fd: int32(file), Events: unix.POLLIN}, {Fd: int32(end), Events: unix.POLLIN}}
			if _, err = unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
				closed = fds[1].Revents != 0
				return
			}
		}
	})
	if errors.Is(rerr, os.ErrClosed) {
		return true, nil
	}
	if err = errors.Join(rerr, err); err != nil {
		return false, fmt.Errorf("wait for input: %w", err)
	}
	return closed, nil
}

// withDescriptors calls f with the descriptors of two files, which stay open meanwhile.
func withDescriptors(a, b *os.File, f func(a, b uintptr)) error {
	x, err := a.SyscallConn()
	if err != nil {
		return err
	}
	y, err := b.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = x.Control(func(a uintptr) { inner = y.Control(func(b uintptr) { f(a, b) }) })
	return errors.Join(err, inner)
}

// Close ends a blocked Read and closes the connection in both directions.
func (p *polled) Close() error {
	p.once.Do(func() { p.err = errors.Join(p.stop.Close(), p.ReadWriteCloser.Close()) })
	return p.err
}
