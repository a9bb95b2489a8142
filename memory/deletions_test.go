package memory

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/gittree"
	"manicule/memory/file"
)

// TestNoMarkAfterSkip: who saw that git waits for a decision, and writes when `git cherry-pick --skip` has ended, would mark
// a memory for good: the skipped pick leaves the very file that it stopped with.
func TestNoMarkAfterSkip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(dir, ".manicule", "memories"), 0o750); err != nil {
		t.Fatal(err)
	}
	git := func(want bool, args ...string) {
		t.Helper()
		if out, err := gittest.Try(t, dir, args...); (err == nil) != want {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git(true, "init", "-q", "-b", "main")
	w, _ := open(t, dir, 1)
	r, err := w.Remember(t.Context(), Draft{Type: file.Gotcha, What: "Close the pool first", Scope: []string{"src/**"}})
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	git(true, "add", "-A")
	git(true, "commit", "-qm", "first")
	git(true, "branch", "gone")
	if _, err := w.Edits().Change(t.Context(), r.Memory.UUID, func(m *file.Memory) error { m.What = "Close the pool before the server"; return nil }, "edit", ""); err != nil {
		t.Fatal(err)
	}
	git(true, "commit", "-qam", "words")
	git(true, "checkout", "-q", "gone")
	git(true, "rm", "-q", "-r", ".manicule/memories")
	git(true, "commit", "-qm", "gone")
	git(true, "checkout", "-q", "main")
	git(false, "cherry-pick", "gone")
	p := w.Place()
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }()
	waiting := repo.Unmerged()
	if len(waiting) != 1 {
		t.Fatalf("git waits for %d files", len(waiting))
	}
	name := filepath.Join(dir, filepath.FromSlash(waiting[0].Path))
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mark := func() []byte {
		t.Helper()
		if err := w.merges.markDeletion(t.Context(), repo, waiting[0], false); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	git(true, "cherry-pick", "--skip")
	if !bytes.Equal(mark(), before) {
		t.Error("marked, though git waits no more")
	}
	git(false, "cherry-pick", "gone")
	if bytes.Equal(mark(), before) {
		t.Error("not marked while git waits")
	}
}
