//go:build unix

package linefile

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"manicule/indexer/must"
	"manicule/indexer/treefile"
)

// TestPipe: lines that nobody would read are not taken for written, and nobody waits to read them.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	must.OK(t, syscall.Mkfifo(path, 0o600))
	if err := Append(path, 40, []byte("line")); !errors.Is(err, treefile.ErrNotFile) {
		t.Errorf("append: %v", err)
	}
	if err := Read(path, func([]byte) { t.Error("there is a line") }); !errors.Is(err, treefile.ErrNotFile) {
		t.Errorf("read: %v", err)
	}
	if ok, err := ReadFrom(path, 3, func([]byte) { t.Error("there is a line") }); ok || err != nil {
		t.Errorf("read from: %t, %v", ok, err)
	}
}
