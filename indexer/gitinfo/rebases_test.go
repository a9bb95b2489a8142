package gitinfo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestRebases: a reflog tells where a rebase began and ended; one that was given up or is old is left out.
func TestRebases(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	line := func(was, is, at, act string) string {
		return id(was) + " " + id(is) + " Ada Lovelace <ada@example.com> " + at + " +0100\t" + act + "\n"
	}
	log := line("0", "1", "1000", "commit (initial): first") +
		line("1", "2", "1000", "rebase (start): checkout main") + line("2", "3", "1000", "rebase (finish): returning to refs/heads/topic") +
		line("a", "b", "5000", "rebase (start): checkout main") + line("b", "c", "5001", "rebase (pick): words (start)") +
		line("c", "c", "5002", "rebase (finish): returning to refs/heads/topic") +
		line("c", "d", "5003", "rebase (start): checkout main") + line("d", "c", "5004", "rebase (abort): returning to refs/heads/topic") +
		line("c", "e", "5005", "pull --rebase origin main (start): checkout "+id("e")) + line("e", "f", "5006", "rebase (continue): words") +
		line("f", "f", "5007", "rebase (finish): returning to refs/heads/topic") +
		line("f", "9", "5008", "rebase (start): checkout main") + "torn"
	dir := t.TempDir()
	must.Mkdir(t, filepath.Join(dir, "logs"))
	must.Write(t, filepath.Join(dir, "logs", "HEAD"), log)
	want := []Rebase{{id("c"), id("e"), id("f")}, {id("a"), id("b"), id("c")}}
	if got := Rebases(dir, time.Unix(4000, 0)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Without a branch nothing tells of the end; while one goes on it has none.
	detached := line("1", "2", "5000", "rebase (start): checkout main") + line("2", "3", "5001", "rebase (continue): words")
	write := func(text string) {
		t.Helper()
		must.Write(t, filepath.Join(dir, "logs", "HEAD"), text)
	}
	want = []Rebase{{id("1"), id("2"), id("3")}}
	for _, after := range []string{"", line("3", "4", "5002", "checkout: moving from x to main")} {
		if write(detached + after); !slices.Equal(Rebases(dir, time.Unix(4000, 0)), want) {
			t.Errorf("without a branch: %v", Rebases(dir, time.Unix(4000, 0)))
		}
	}
	write(detached)
	must.OK(t, os.Mkdir(filepath.Join(dir, "rebase-merge"), 0o700))
	if got := Rebases(dir, time.Unix(4000, 0)); len(got) > 0 {
		t.Errorf("one that goes on: %v", got)
	}
	if got := Rebases(t.TempDir(), time.Unix(0, 0)); len(got) > 0 {
		t.Errorf("without a reflog: %v", got)
	}
}
