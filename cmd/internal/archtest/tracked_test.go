package archtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxTracked is the size in bytes of the largest file that git may track: the generated parsers stay
// below it, and programs, which have been committed by mistake, don't.
const maxTracked = 1 << 20

func TestNoProgramIsTracked(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("no git, or not in a clone:", err)
	}
	for _, name := range bytes.Split(bytes.TrimRight(out, "\x00"), []byte{0}) {
		info, err := os.Lstat(filepath.Join(root, string(name)))
		if err != nil {
			continue // removed, and not yet committed
		}
		if info.Size() > maxTracked {
			t.Errorf("%s has %d bytes: nothing of more than %d is committed; add programs to .gitignore", name, info.Size(), maxTracked)
		}
	}
}
