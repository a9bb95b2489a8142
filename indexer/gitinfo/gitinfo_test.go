package gitinfo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/gittest"
)

// TestAgainstGit compares every answer with git's own.
func TestAgainstGit(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		return gittest.Git(t, dir, args...)
	}
	run("init", "-q", "-b", "main")
	run("config", "user.name", "Ada L.")
	run("config", "user.email", "ada@example.org")
	git := filepath.Join(dir, ".git")
	if got := Head(git, git); got != "" {
		t.Errorf("head of an empty repository: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("add", ".")
	run("commit", "-qm", "one")
	env := func(k string) string {
		return map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"}[k]
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("head", Head(git, git), run("rev-parse", "HEAD"))
	check("branch", Branch(git), "main")
	name, tips := DefaultBranch(git, git, env)
	check("default branch", name+" "+strings.Join(tips, " "), "main "+run("rev-parse", "main"))
	check("outside of git", Branch(""), "")
	check("blob", BlobID([]byte("one\n")), run("rev-parse", "HEAD:a.txt"))
	check("user", User(git, git, env), "Ada L.")
	check("address", Email(git, git, env), "ada@example.org")
	check("hooks", HooksDir(dir, git, git, env), filepath.Join(dir, run("rev-parse", "--git-path", "hooks")))
	run("config", "core.hooksPath", "tools/hooks")
	check("moved hooks", HooksDir(dir, git, git, env), filepath.Join(dir, "tools/hooks"))
	run("pack-refs", "--all")
	check("packed head", Head(git, git), run("rev-parse", "HEAD"))
	run("worktree", "add", "-q", filepath.Join(dir, "wt"), "-b", "side")
	check("head of a worktree", Head(filepath.Join(git, "worktrees", "wt"), git), run("rev-parse", "side"))
	check("branch of a worktree", Branch(filepath.Join(git, "worktrees", "wt")), "side")
	run("checkout", "-q", "--detach")
	check("no branch", Branch(git), "")
	check("detached head", Head(git, git), run("rev-parse", "HEAD"))
}
