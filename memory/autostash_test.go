package memory

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"manicule/memory/file"
)

// TestPoppedStashIsNoMerge: git leaves AUTO_MERGE behind where a stash went back without a conflict. That is no stop, so what
// vanishes then can be restored at once, and not only when something is committed.
func TestPoppedStashIsNoMerge(t *testing.T) {
	root := t.TempDir()
	git := func(line string) error {
		t.Helper()
		return exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "-c", "user.name=A", "-c", "user.email=a@example.org"}, strings.Fields(line)...)...).Run()
	}
	must := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			if err := git(line); err != nil {
				t.Fatalf("git %s: %v", line, err)
			}
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".manicule/config.toml", "")
	write("a.go", "package a\n")
	must("init -q -b main", "add -A", "commit -qm first")
	write("a.go", "package a // edited\n")
	must("stash -q", "stash pop -q")
	if _, err := os.Lstat(filepath.Join(root, ".git", "AUTO_MERGE")); err != nil {
		t.Skipf("this git removes AUTO_MERGE: %v", err)
	}
	w, _ := open(t, root, 1)
	if w.Git().Merging() {
		t.Error("a stash that went back is a merge")
	}
	r, err := w.Remember(t.Context(), Draft{Type: file.Gotcha, What: "Close the pool first", Scope: []string{"src/**"}, Origin: file.UserTaught})
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	must("clean -fdq")
	if _, err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := w.Forgotten().List(t.Context())
	if err != nil || len(list) != 1 || list[0].UUID != r.Memory.UUID {
		t.Errorf("restorable: %+v, %v", list, err)
	}

	// With a conflict git waits, until that is settled.
	must("stash -q")
	write("a.go", "package a // committed\n")
	must("commit -qam second")
	if err := git("stash pop -q"); err == nil {
		t.Fatal("no conflict")
	}
	if !w.Git().Merging() {
		t.Error("a stash with a conflict is no merge")
	}
	must("add a.go")
	if w.Git().Merging() {
		t.Error("a settled stash is a merge")
	}
}
