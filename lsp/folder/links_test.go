package folder

import (
	"os"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// TestRealRel: a link has the name of what it leads to, unless that is outside or in a workspace of its own.
func TestRealRel(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(t.TempDir(), "a.go")
	for _, name := range []string{filepath.Join(root, "a.go"), filepath.Join(root, "lib", "a.go"), filepath.Join(root, "inner", "a.go"), outside} {
		must.Write(t, name, "package a\n")
	}
	must.Mkdir(t, filepath.Join(root, "inner", ".manicule", "memories"))
	for name, to := range map[string]string{"b.go": "a.go", "c.go": "lib/a.go", "in.go": "inner/a.go", "out.go": outside} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip("no links here")
		}
	}
	f := &Folder{Root: root}
	for rel, want := range map[string]string{"a.go": "a.go", "b.go": "a.go", "c.go": "lib/a.go", "in.go": "in.go", "out.go": "out.go", "gone.go": "gone.go"} {
		if got := f.RealRel(rel); got != want {
			t.Errorf("%s: %s, want %s", rel, got, want)
		}
	}
}
