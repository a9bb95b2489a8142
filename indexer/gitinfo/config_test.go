package gitinfo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestConfigAgainstGit compares what a configuration with includes says with what git says of it.
func TestConfigAgainstGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top, second := filepath.Join(home, "work", "a{b}", "repo"), filepath.Join(home, "second")
	env := map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.Getenv("PATH")}
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		for k, v := range env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		out, err := cmd.Output()
		if err != nil && args[2] != "config" {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	must.Write(t, filepath.Join(top, "a"), "a")
	git("-C", top, "init", "-q", "-b", "feature/x")
	git("-C", top, "-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "a")
	git("-C", top, "worktree", "add", "-q", "-b", "side", second)
	git("-C", top, "remote", "add", "origin", "https://example.org/team/repo.git")
	must.Write(t, filepath.Join(home, "other"), "[user]\nname = Other\n")
	must.Write(t, filepath.Join(home, "deep", "one"), "[include]\npath = two\n[user]\nemail = x\n")
	must.Write(t, filepath.Join(home, "deep", "two"), "[USER]\nName = Two\n")
	must.Write(t, filepath.Join(home, "loop"), "[user]\nname = Loop\n[include]\npath = loop\n")
	common := filepath.Join(top, ".git")
	own := filepath.Join(common, "config")
	plain, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	const other = "\npath = other\n"
	different := 0
	for _, c := range []struct{ name, global, local string }{
		{"nothing", "", ""},
		{"included", "[user]\nname = Me\n[include]\npath = ~/other\n", ""},
		{"set after the include", "[include]\npath = ~/other\n[user]\nname = Me\n", ""},
		{"set twice", "[user]\nname = Me\n[include]" + other + "[user]\nname = Mine\n", ""},
		{"through two files", "[include]\npath = deep/one\n", ""},
		{"no such file", "[user]\nname = Me\n[include]\npath = missing\n", ""},
		{"git folder below home", "[user]\nname = Me\n[includeIf \"gitdir:~/work/\"]" + other, ""},
		{"git folder elsewhere", "[user]\nname = Me\n[includeIf \"gitdir:~/elsewhere/\"]" + other, ""},
		{"beside the file", "[includeIf \"gitdir:./work/\"]" + other, ""},
		{"anywhere", "[includeIf \"gitdir:a{b}/\"]" + other, ""},
		{"braces are letters", "[includeIf \"gitdir:{work,other}/\"]" + other, ""},
		{"without a slash", "[includeIf \"gitdir:~/work\"]" + other, ""},
		{"stars", "[includeIf \"gitdir:~/*/*/repo/.git\"]" + other, ""},
		{"one star stays in a folder", "[includeIf \"gitdir:~/*/repo/.git\"]" + other, ""},
		{"two stars", "[includeIf \"gitdir:~/**/repo/.git\"]" + other, ""},
		{"whole path", "[includeIf \"gitdir:" + home + "/work/\"]" + other, ""},
		{"case counts", "[includeIf \"gitdir:~/WORK/\"]" + other, ""},
		{"case does not count", "[includeIf \"gitdir/i:~/WORK/\"]" + other, ""},
		{"folder of a worktree", "[includeIf \"gitdir:**/worktrees/*\"]" + other, ""},
		{"branch", "[includeIf \"onbranch:feature/\"]" + other, ""},
		{"branch by star", "[includeIf \"onbranch:feat*\"]" + other, ""},
		{"other branch", "[includeIf \"onbranch:side\"]" + other, ""},
		{"remote", "[includeIf \"hasconfig:remote.*.url:https://example.org/**\"]" + other, ""},
		{"other remote", "[includeIf \"hasconfig:remote.*.url:https://example.com/**\"]" + other, ""},
		{"unknown condition", "[user]\nname = Me\n[includeIf \"weather:rain\"]" + other, ""},
		{"repository's file", "[user]\nname = Me\n", "[include]\npath = ../../../../other\n"},
		{"worktree's file is not asked for", "[user]\nname = Me\n", "[user]\nname = Repository\n"},
		{"worktree's file", "[user]\nname = Me\n", "[user]\nname = Repository\n[extensions]\nworktreeConfig = true\n"},
		{"worktree's file, in short", "", "[extensions]\nworktreeConfig\n"},
		{"worktree's file, switched off", "", "[extensions]\nworktreeConfig =\n"},
	} {
		must.Write(t, filepath.Join(home, ".gitconfig"), c.global)
		must.Write(t, own, string(plain)+c.local)
		side := filepath.Join(common, "worktrees", "second")
		must.Write(t, filepath.Join(side, "config.worktree"), "[user]\nname = Worktree\n[core]\nhooksPath = /hooks/of/worktree\n")
		getenv := func(name string) string { return env[name] }
		for _, at := range []struct{ top, gitDir string }{{top, common}, {second, side}} {
			got, want := User(at.gitDir, common, getenv), git("-C", at.top, "config", "--get", "user.name")
			if got != want {
				t.Errorf("%s, in %s: the user is %q, git says %q", c.name, filepath.Base(at.top), got, want)
			}
			if got != "" && got != "Me" {
				different++
			}
			if want = git("-C", at.top, "config", "--get", "core.hooksPath"); want == "" {
				want = filepath.Join(common, "hooks")
			}
			if got = HooksDir(at.top, at.gitDir, common, getenv); got != want {
				t.Errorf("%s, in %s: the hooks are in %q, git says %q", c.name, filepath.Base(at.top), got, want)
			}
		}
	}
	if different < 30 {
		t.Errorf("%d configurations say another name than the user's own file, want 30 at least: the cases say little", different)
	}
	// A file that includes itself ends; git refuses it.
	must.Write(t, own, string(plain))
	must.Write(t, filepath.Join(home, ".gitconfig"), "[include]\npath = loop\n")
	if got := User(common, common, func(name string) string { return env[name] }); got != "Loop" {
		t.Errorf("a file that includes itself: %q", got)
	}
	must.Write(t, filepath.Join(home, "loop"), "[user]\nname = Loop\n"+strings.Repeat("[include]\npath = loop\n", 20))
	if got := User(common, common, func(name string) string { return env[name] }); got != "Loop" { // 20 to the power of 10 files otherwise
		t.Errorf("a file that includes itself many times: %q", got)
	}
}
