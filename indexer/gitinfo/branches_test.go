package gitinfo

import (
	"maps"
	"path/filepath"
	"testing"

	"manicule/indexer/gittest"
)

// TestBranches: local branches and those of the remote are told apart, packed or not.
func TestBranches(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		return gittest.Git(t, dir, args...)
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "one")
	one := git("rev-parse", "HEAD")
	git("branch", "feat/a")
	git("tag", "feat/b")
	git("update-ref", "refs/remotes/origin/feat/c", one)
	git("update-ref", "refs/remotes/other/feat/d", one)
	git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	git("pack-refs", "--all")
	git("commit", "-q", "--allow-empty", "-m", "two")
	two := git("rev-parse", "HEAD")
	gitDir := filepath.Join(dir, ".git")
	local, remote, err := Branches(gitDir, gitDir)
	if err != nil || !maps.Equal(local, map[string]string{"main": two, "feat/a": one}) || !maps.Equal(remote, map[string]string{"feat/c": one}) {
		t.Errorf("%v, %v, %v", local, remote, err)
	}
	if local, remote, err := Branches("", ""); err != nil || len(local)+len(remote) != 0 {
		t.Errorf("outside of git: %v, %v, %v", local, remote, err)
	}
}
