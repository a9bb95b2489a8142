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
	"manicule/indexer/must"
)

// TestGitHangs has git wait for a pipe in the place of a file of its own: it is
// not waited for without end.
func TestGitHangs(t *testing.T) {
	root := t.TempDir()
	gittest.Git(t, root, "init", "-q")
	head := filepath.Join(root, ".git", "HEAD")
	must.OK(t, os.Remove(head))
	must.OK(t, syscall.Mkfifo(head, 0o600))
	_, err := runGitWithin(t.Context(), 100*time.Millisecond, root, nil, "diff", "HEAD")
	if err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("got %v", err)
	}
}
