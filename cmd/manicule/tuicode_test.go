package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

func TestAtLine(t *testing.T) {
	for _, c := range []struct {
		editor string
		line   int
		want   string
	}{
		{"vi", 7, "+7 f.go"},
		{"/usr/bin/nvim -p", 7, "+7 f.go"},
		{"code --wait", 7, "--goto f.go:7"},
		{"hx", 7, "f.go:7"},
		{"hx", 0, "f.go"},
		{"unheard-of", 7, "f.go"},
	} {
		if got := strings.Join(atLine(c.editor, "f.go", c.line), " "); got != c.want {
			t.Errorf("%s, line %d: %q, want %q", c.editor, c.line, got, c.want)
		}
	}
}

func TestCited(t *testing.T) {
	lines := func(path string, a, b int) anchor.Anchor {
		return anchor.Anchor{Kind: anchor.KindLines, Path: path, Lines: &anchor.LineRange{Start: a, End: b}}
	}
	h := memory.Hit{Memory: &file.Memory{Anchors: []anchor.Anchor{lines("a.go", 1, 2), lines("b.go", 3, 4), lines("c.go", 5, 6), lines("../out.go", 1, 1), lines("/etc/passwd", 1, 1)}},
		Places: []store.Place{{}, {State: anchor.Followed, Path: "moved.go", Line: 30, EndLine: 40}, {State: anchor.Orphaned}}}
	if got, want := cited(h), []citation{{"a.go", 1, 2}, {"moved.go", 30, 40}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestReadLines holds that a page shows no file outside of the workspace, whatever a memory cites.
func TestReadLines(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "repo")
	if err := os.MkdirAll(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{filepath.Join(dir, "secret"): "secret\n", filepath.Join(root, "src", "a.go"): "one\ntwo\nthree"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if got, err := readLines(root, "src/a.go", 2, 9); err != nil || !slices.Equal(got, []string{"two\n", "three"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, path := range []string{"link", "../secret", "src", "gone"} {
		if got, err := readLines(root, path, 1, 9); err == nil {
			t.Errorf("%s: %q", path, got)
		}
	}
}
