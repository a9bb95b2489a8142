package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/gittest"
	"manicule/memory/file"
)

// TestPersonalOnAnOldCommit: a personal memory that is written where an old commit is checked out, as in a bisect, is kept out of
// git, and is not in the way when a commit with the ignore file is checked out again.
func TestPersonalOnAnOldCommit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	git := func(line string) string {
		t.Helper()
		return gittest.Git(t, dir, strings.Fields(line)...)
	}
	write(t, filepath.Join(dir, "a.txt"), "a\n")
	git("init -q -b main")
	git("add -A")
	git("commit -qm old")
	write(t, filepath.Join(dir, ".manicule", ".gitignore"), GitIgnore)
	write(t, filepath.Join(dir, ".manicule", "config.toml"), "")
	git("add -A")
	git("commit -qm new")
	git("switch -q --detach HEAD~1")
	if err := os.MkdirAll(filepath.Join(dir, ".manicule", "memories"), 0o750); err != nil {
		t.Fatal(err)
	}
	w, _ := open(t, dir, 1)
	remember(t, w, Draft{Type: file.Gotcha, What: "Close the pool first", Personal: true})
	if got := git("status --porcelain -uall"); got != "" {
		t.Errorf("git would take along:\n%s", got)
	}
	if files, rules := w.Exposed(); len(files) > 0 || !rules {
		t.Errorf("exposed: %v, rules %t", files, rules)
	}
	git("switch -q main")
	if got := recallText(t, w, Query{}); got != "Close the pool first" {
		t.Errorf("recall: %s", got)
	}
}
