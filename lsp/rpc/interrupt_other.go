//go:build !linux

package rpc

import (
	"io"
	"os"
)

// newPolled returns nil: only on Linux any file can be waited for.
func newPolled(*os.File, io.ReadWriteCloser) io.ReadWriteCloser { return nil }
