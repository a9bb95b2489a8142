//go:build unix

package leader

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUs reports whether a folder is the running user's.
func ownedByUs(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Getuid()
}
