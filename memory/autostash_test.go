package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestPoppedStashIsNoMerge: git leaves AUTO_MERGE behind where a stash went back without a conflict. That is no stop, so what
// vanishes then can be restored at once, and not only when something is committed.
func TestPoppedStashIsNoMerge(t *testing.T) {
	root := t.TempDir()
	git := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			gittest.Git(t, root, strings.Fields(line)...)
		}
	}
	must.Write(t, filepath.Join(root, ".manicule/config.toml"), "")
	must.Write(t, filepath.Join(root, "a.go"), "package a\n")
	git("init -q -b main", "add -A", "commit -qm first")
	must.Write(t, filepath.Join(root, "a.go"), "package a // edited\n")
	git("stash -q", "stash pop -q")
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
	git("clean -fdq")
	if _, err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := w.Forgotten().List(t.Context())
	if err != nil || len(list) != 1 || list[0].UUID != r.Memory.UUID {
		t.Errorf("restorable: %+v, %v", list, err)
	}

	// With a conflict git waits, until that is settled.
	git("stash -q")
	must.Write(t, filepath.Join(root, "a.go"), "package a // committed\n")
	git("commit -qam second")
	if _, err := gittest.Try(t, root, "stash", "pop", "-q"); err == nil {
		t.Fatal("no conflict")
	}
	if !w.Git().Merging() {
		t.Error("a stash with a conflict is no merge")
	}
	git("add a.go")
	if w.Git().Merging() {
		t.Error("a settled stash is a merge")
	}
}
