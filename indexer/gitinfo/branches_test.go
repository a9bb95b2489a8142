package gitinfo

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBranches: local branches and those of the remote are told apart, packed or not.
func TestBranches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
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
