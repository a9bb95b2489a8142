package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// olderFile reports whether the first file was made, or last changed in any way, before the second. A copy keeps the times of
// its content, if it is asked to, but not this one.
func olderFile(a, b string) (older, known bool) {
	x, y := changedAt(a), changedAt(b)
	return x < y, x != 0 && y != 0 && x != y
}

func changedAt(name string) int64 {
	st, err := os.Lstat(name)
	if err != nil {
		return 0
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return sys.Ctim.Nano()
}

// folderMark tells a folder from another one that had its path before.
func folderMark(dir string) string {
	st, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(sys.Dev, " ", sys.Ino)
}
