//go:build unix

package treefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"manicule/indexer/must"
)

// TestReadMade reads a file of the program's own, and waits for nothing that is in its place.
func TestReadMade(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	must.OK(t, os.WriteFile(name, []byte("text"), 0o600))
	if data, err := ReadMade(name); string(data) != "text" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := ReadLarge(name); string(data) != "text" || err != nil {
		t.Errorf("as a large one: %q, %v", data, err)
	}
	for _, name := range []string{name, name + "-absent"} {
		must.OK(t, CheckMade(name))
	}
	pipe, zeros := filepath.Join(dir, "pipe"), filepath.Join(dir, "zeros")
	must.OK(t, syscall.Mkfifo(pipe, 0o600))
	must.OK(t, os.Symlink("/dev/zero", zeros))
	for _, name := range []string{pipe, zeros, dir} {
		if _, err := ReadMade(name); !errors.Is(err, ErrNotFile) {
			t.Errorf("read %s: %v", name, err)
		}
		if _, err := ReadLarge(name); !errors.Is(err, ErrNotFile) {
			t.Errorf("read %s as a large one: %v", name, err)
		}
		if err := CheckMade(name); !errors.Is(err, ErrNotFile) {
			t.Errorf("check %s: %v", name, err)
		}
		if f, err := OpenMade(name); !errors.Is(err, ErrNotFile) || f != nil {
			t.Errorf("open %s: %v, %v", name, f, err)
		}
	}
}
