package gate

import (
	"crypto/md5"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
)

// TestSampleIsRead: a labelled text is found by its place and its hash, and not if it was changed.
func TestSampleIsRead(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a+b", "repo")
	run := func(args ...string) string {
		t.Helper()
		return gittest.Git(t, dir, args...)
	}
	for name, text := range map[string]string{"A.md": "# Rules\n- Use pnpm here\n", "1.json": `{"body": "It fails:\n` + "```" + `\nld: error: x\nld: error: y\n` + "```" + `"}`} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	run("init", "-q", "--separate-git-dir", filepath.Join(root, "git"))
	run("add", ".")
	run("commit", "-qm", "x")
	commit := run("rev-parse", "HEAD")
	must.OK(t, os.RemoveAll(dir))
	must.OK(t, os.Rename(filepath.Join(root, "git"), dir))
	e := evaluation{repos: root}
	c, err := openClone(t.Context(), e.dirOf("a/b"))
	must.OK(t, err)
	defer c.close()
	for _, test := range []struct {
		name, text string
		s          sample
		found      bool
	}{
		{"line", "Use pnpm here", sample{Path: "A.md", From: 2, To: 2}, true},
		{"block", "ld: error: x\nld: error: y\n", sample{Path: "1.json"}, true},
		{"git", "x", sample{Git: []string{"log", "-1", "--format=%s", commit}}, true},
		{"another text", "Use npm here", sample{Path: "A.md", From: 2, To: 2}, false},
		{"no such file", "Use pnpm here", sample{Path: "B C.md", From: 2, To: 2}, false},
		{"no file", "A.md", sample{Path: "", From: 1, To: 1}, false},
		{"line again", "Use pnpm here", sample{Path: "A.md", From: 2, To: 2}, true},
		{"no such line", "x", sample{Path: "A.md", From: 20, To: 20}, false},
	} {
		sum := md5.Sum([]byte(test.text))
		test.s.MD5, test.s.Repo, test.s.Commit = hex.EncodeToString(sum[:]), "a/b", commit
		if got := test.s.find(t.Context(), c); got != test.found || got && test.s.text != test.text {
			t.Errorf("%s: found %v, %q", test.name, got, test.s.text)
		}
	}
	e.require("kept", map[string]*verdicts{
		namedKinds: {texts: 100, agents: [3]int{3, 20, 77}},
		goodTexts:  {texts: 100, agents: [3]int{90, 8, 2}},
		everyText:  {texts: 200, agents: [3]int{93, 28, 79}},
	})
	if len(e.bad) != 2 {
		t.Errorf("limits: %q", e.bad)
	}
}

// TestUnfittedIsNeverFitted: what no fit may see is in a file of its own, and nothing else is.
func TestUnfittedIsNeverFitted(t *testing.T) {
	all, err := labels()
	must.OK(t, err)
	later := strings.Count(unfitted, "\n")
	n := 0
	for _, s := range all {
		if slices.Contains(neverFitted, s.Draw) {
			n++
		}
	}
	if n != later || n == 0 {
		t.Errorf("%d labels of draws that no fit may see, %d in their file", n, later)
	}
	for line := range strings.Lines(unfitted) {
		if draw, _, _ := strings.Cut(line[strings.LastIndex(line, `"draw":"`)+8:], `"`); !slices.Contains(neverFitted, draw) {
			t.Errorf("draw %s", draw)
		}
	}
}
