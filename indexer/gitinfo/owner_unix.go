//go:build unix

package gitinfo

import (
	"os"
	"path/filepath"
	"syscall"
)

// OfAnotherUser reports whether another user of the machine made an object. It knows that until git packs the object. What root
// made was made by sudo or in a container, and is a user's own.
func OfAnotherUser(commonDir, id string) bool {
	if len(id) < 3 {
		return false
	}
	info, err := os.Lstat(filepath.Join(commonDir, "objects", id[:2], id[2:]))
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid())
}
