package rpc

import (
	"errors"
	"io"
)

// interruptible is a connection whose Close ends a blocked Read.
type interruptible struct {
	*io.PipeReader
	conn io.ReadWriteCloser
}

// Interruptible returns conn with a Close that ends a blocked Read even where
// conn's own does not: a read of a process's standard input continues when the
// file is closed. Its own goroutine reads, and is abandoned then.
func Interruptible(conn io.ReadWriteCloser) io.ReadWriteCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, conn)
		w.CloseWithError(err) // nil is io.EOF to the reader
	}()
	return &interruptible{r, conn}
}

// Write writes to the connection.
func (i *interruptible) Write(b []byte) (int, error) { return i.conn.Write(b) }

// Close closes the connection in both directions.
func (i *interruptible) Close() error { return errors.Join(i.PipeReader.Close(), i.conn.Close()) }
