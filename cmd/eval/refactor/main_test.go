package refactor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestGenerateFails has a run of tools fail if a tool is missing, if none is known, and if
// no repository is there.
func TestGenerateFails(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct{ folder, want string }{{"go-a", "gopls"}, {"rust-a", "no repository has a tool"}, {"notes", "no repository has a tool"}} {
		repos, cases := t.TempDir(), t.TempDir()
		must.OK(t, os.Mkdir(filepath.Join(repos, c.folder), 0o750))
		err := generate(t.Context(), options{repos: repos, cases: cases, scratch: t.TempDir(), commits: 4, each: 1, tools: true})
		if !errors.Is(err, errNoCases) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.folder, err)
		}
		if left, _ := os.ReadDir(cases); len(left) > 0 {
			t.Errorf("%s: %v was kept", c.folder, left)
		}
	}
}

// TestVerdict lets single repositories fail, but no whole language.
func TestVerdict(t *testing.T) {
	ended := errors.New("the tool ended")
	if err := verdict(map[string]int{"go": 3}, []error{ended}); err != nil {
		t.Errorf("one of several: %v", err)
	}
	err := verdict(map[string]int{"go": 3, "python": 0}, []error{ended})
	if !errors.Is(err, errNoCases) || !errors.Is(err, ended) || !strings.Contains(err.Error(), "python") {
		t.Errorf("none of a language: %v", err)
	}
}
