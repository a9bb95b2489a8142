package rpc

import (
	"io"
	"sync"
)

// stdio is a connection over a process's own input and output.
type stdio struct {
	*io.PipeReader
	out   io.Writer
	close func()
}

// Stdio joins in and out to a connection. Closing it ends a blocked Read even
// where closing in would not: a read of a process's standard input can't be
// interrupted, so a goroutine of its own does the reading and is left behind.
func Stdio(in io.Reader, out io.Writer) io.ReadWriteCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err) // nil is io.EOF to the reader
	}()
	return &stdio{PipeReader: r, out: out, close: sync.OnceFunc(func() { r.CloseWithError(io.EOF) })}
}

// Write writes to the output.
func (s *stdio) Write(b []byte) (int, error) { return s.out.Write(b) }

// Close ends reading. The output stays open: it is the process's.
func (s *stdio) Close() error {
	s.close()
	return nil
}
