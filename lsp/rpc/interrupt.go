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

// Interruptible returns conn with a Close that ends a blocked Read even if conn's own
// does not: a read of standard input continues after the file is closed. A goroutine
// does the reading, and is abandoned then.
func Interruptible(conn io.ReadWriteCloser) io.ReadWriteCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, conn)
		w.CloseWithError(err) // nil is io.EOF for the reader
	}()
	return &interruptible{r, conn}
}

// Write writes to the connection.
func (i *interruptible) Write(b []byte) (int, error) { return i.conn.Write(b) }

// Close closes the connection in both directions.
func (i *interruptible) Close() error { return errors.Join(i.PipeReader.Close(), i.conn.Close()) }
