//go:build unix

package treefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// TestPrivate: a folder is the running user's alone when it is theirs, no link, and
// neither the group nor others may write there.
func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own")
	must.OK(t, os.Mkdir(dir, 0o700))
	for mode, want := range map[fs.FileMode]error{
		0o700: nil, 0o755: nil, 0o711: nil, 0o500: nil, 0o777: errForeign, 0o720: errForeign, 0o702: errForeign, 0o777 | fs.ModeSticky: errForeign,
	} {
		must.OK(t, os.Chmod(dir, mode))
		err := CheckPrivate(dir)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%v: %v", mode, err)
		}
		if e, ok := errors.AsType[*Error](err); want != nil && (!ok || e.Hint == "") {
			t.Errorf("%v: %v does not say what to do", mode, err)
		}
	}
	must.OK(t, os.Chmod(dir, 0o700))
	link, file := dir+".link", filepath.Join(dir, "file")
	must.OK(t, os.Symlink(dir, link))
	must.OK(t, os.WriteFile(file, nil, 0o600))
	for _, name := range []string{link, file} {
		if err := CheckPrivate(name); !errors.Is(err, errForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckPrivate(dir + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	must.OK(t, os.Chown(dir, 65534, 65534))
	if err := CheckPrivate(dir); !errors.Is(err, errForeign) {
		t.Errorf("another user's: %v", err)
	}
}
