package rpc

import (
	"errors"
	"io"
	"os"
)

// Interruptible returns conn with a Close that ends a blocked Read even if conn's own
// does not: a read of standard input continues after the file is closed.
//
// If the connection reads from a file, which its method Input tells, the caller's own
// goroutine waits for the file where the system allows that. A message is then handled
// by the goroutine that read it, and need not wait for a processor again while all of
// them are busy. Otherwise another goroutine reads, and is abandoned at the end.
func Interruptible(conn io.ReadWriteCloser) io.ReadWriteCloser {
	if c, ok := conn.(interface{ Input() io.Reader }); ok {
		if f, ok := c.Input().(*os.File); ok {
			if p := newPolled(f, conn); p != nil {
				return p
			}
		}
	}
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, conn)
		w.CloseWithError(err) // nil is io.EOF for the reader
	}()
	return &interruptible{r, conn}
}

// interruptible is a connection that another goroutine reads from.
type interruptible struct {
	*io.PipeReader
	conn io.ReadWriteCloser
}

// Write writes to the connection.
func (i *interruptible) Write(b []byte) (int, error) { return i.conn.Write(b) }

// Close closes the connection in both directions.
func (i *interruptible) Close() error { return errors.Join(i.PipeReader.Close(), i.conn.Close()) }
