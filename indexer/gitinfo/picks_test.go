package gitinfo

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestPicks: a reflog tells which commits may be made of others, newest first; a fast-forward makes none.
func TestPicks(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	line := func(was, is, at, act string) string {
		return id(was) + " " + id(is) + " Ada <ada@example.com> " + at + " +0100\t" + act + "\n"
	}
	log := line("1", "2", "1000", "cherry-pick: old") + line("2", "3", "5000", "cherry-pick: words") + line("3", "4", "5001", "commit (cherry-pick): by hand") +
		line("4", "5", "5002", "cherry-pick: fast-forward") + line("5", "6", "5003", "commit: Revert \"words\"") + line("6", "7", "5004", "am: mailed") +
		line("7", "8", "5005", "commit (amend): mailed") + line("8", "9", "5006", "reset: moving to HEAD~1") + "torn"
	dir := t.TempDir()
	must.Mkdir(t, filepath.Join(dir, "logs"))
	for name, text := range map[string]string{"logs/HEAD": log, "FETCH_HEAD": id("a") + "\t\tbranch 'main' of x\nno id\t\n", "HEAD": "ref: refs/heads/main\n"} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	want := []Pick{{id("6"), id("7"), "am"}, {id("5"), id("6"), ""}, {id("3"), id("4"), "cherry-pick"}, {id("2"), id("3"), "cherry-pick"}}
	if got := Picks(dir, time.Unix(4000, 0), 10); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Picks(dir, time.Unix(4000, 0), 2); !slices.Equal(got, want[:2]) {
		t.Errorf("at most two: %v", got)
	}
	tips := Tips(dir, dir)
	if len(tips) != 10 || tips[0] != id("9") || tips[1] != id("8") || tips[9] != id("a") {
		t.Errorf("tips %v", tips)
	}
}
