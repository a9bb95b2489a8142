//go:build unix

package treefile

import (
	"fmt"
	"os"
	"syscall"
)

// CheckPrivate returns an error unless dir is a folder, not a link, that only the
// current user may write to: in any other folder somebody else could place files or
// sockets.
func CheckPrivate(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return &Error{Path: dir, Msg: "it is not a folder", Err: errForeign, Hint: "Remove it, or move it away."}
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Geteuid() {
		return &Error{Path: dir, Msg: "the folder belongs to another user", Err: errForeign, Hint: "Remove it, or set HOME and XDG_RUNTIME_DIR to folders of your own."}
	}
	if st.Mode().Perm()&0o022 != 0 {
		return &Error{Path: dir, Msg: "other users can write to the folder", Err: errForeign, Hint: fmt.Sprintf("`chmod go-w %s`", dir)}
	}
	return nil
}
