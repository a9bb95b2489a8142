package branch

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestLeft: the commit at which a branch was last left is in the log of HEAD; damaged lines tell nothing.
func TestLeft(t *testing.T) {
	a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	line := func(old, now, message string) string {
		return old + " " + now + " A <a@example.org> 1760000000 +0000\t" + message + "\n"
	}
	dir := t.TempDir()
	if got := left(dir); len(got) != 0 {
		t.Errorf("without a log: %v", got)
	}
	text := line(a, b, "commit: x") + line(a, b, "checkout: moving from feat to main") + line(b, c, "checkout: moving from main to feat to be") +
		line(c, a, "checkout: moving from feat to main") + line("short", a, "checkout: moving from odd to main") + "checkout: moving from bare to main\n" + "\x00\xff\n" +
		line(b, a, "checkout: moving from half")
	must.Mkdir(t, filepath.Join(dir, "logs"))
	must.Write(t, filepath.Join(dir, "logs", "HEAD"), text)
	if got, want := left(dir), map[string]string{"feat": c, "main": b}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
