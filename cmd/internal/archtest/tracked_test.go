package archtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// maxTracked is the size in bytes of the largest file that git may track: the generated parsers stay
// below it, and programs, which have been committed by mistake, don't.
const maxTracked = 1 << 20

// larger are the files that may have more: the learned vectors are part of the program, and no build can make them.
func larger() map[string]int64 {
	return map[string]int64{"indexer/code/biencoder/model.bin": 4 << 20}
}

func TestNoProgramIsTracked(t *testing.T) {
	root, err := filepath.Abs("../../..")
	must.OK(t, err)
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("no git, or not in a clone:", err)
	}
	for _, name := range bytes.Split(bytes.TrimRight(out, "\x00"), []byte{0}) {
		info, err := os.Lstat(filepath.Join(root, string(name)))
		if err != nil {
			continue // removed, and not yet committed
		}
		if most := max(maxTracked, larger()[string(name)]); info.Size() > most {
			t.Errorf("%s has %d bytes: nothing of more than %d is committed; add programs to .gitignore", name, info.Size(), most)
		}
	}
}
