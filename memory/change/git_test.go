//go:build unix

package change

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/gittest"
)

// TestGitHangs has git wait for a pipe in the place of a file of its own: it is
// not waited for without end.
func TestGitHangs(t *testing.T) {
	root := t.TempDir()
	gittest.Git(t, root, "init", "-q")
	head := filepath.Join(root, ".git", "HEAD")
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(head, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := runGitWithin(t.Context(), 100*time.Millisecond, root, nil, "diff", "HEAD")
	if err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("got %v", err)
	}
}
