//go:build unix

package gitinfo

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestShallowEdgePipe: an archive of a repository may bring a pipe, which nobody writes to.
func TestShallowEdgePipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "shallow"), 0o600); err != nil {
		t.Skip(err)
	}
	if edge := ShallowEdge(dir); edge != "" {
		t.Errorf("got %q", edge)
	}
}
