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

// TestPrintCode holds that a page shows the lines that a memory cites, in colours, and no file outside
// of the workspace, whatever a memory cites.
func TestPrintCode(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "repo")
	if err := os.MkdirAll(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	source := "package a\n\n/* of two\nlines */\nfunc F() string {\r\n\treturn `one\ntwo` + \"\x1b[31m\" // why\n}\n"
	for name, text := range map[string]string{filepath.Join(root, "src", "b  c.go"): "package b\n", filepath.Join(dir, "secret"): "secret\n", filepath.Join(root, "src", "a.go"): source, filepath.Join(root, "notes.md"): "if `a`: return\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	print := func(colours bool, path string, from, to int) string {
		var out strings.Builder
		c := &console{out: &out, tty: colours, env: func(string) string { return "" }}
		printCode(t.Context(), c, root, memory.Hit{Memory: &file.Memory{Anchors: []anchor.Anchor{{Path: path, Lines: &anchor.LineRange{Start: from, End: to}}}}}, maxCode)
		return out.String()
	}
	plain := "\nsrc/a.go:4\n    4 lines */\n    5 func F() string {\n    6 \treturn `one\n    7 two` + \"[31m\" // why\n    8 }\n"
	if got := print(false, "src/a.go", 4, 20); got != plain {
		t.Errorf("%q, want %q", got, plain)
	}
	if got := print(false, "src/b  c.go", 1, 1); !strings.HasPrefix(got, "\nsrc/b  c.go:1\n") {
		t.Errorf("a path that can't be copied in %q", got)
	}
	got := print(true, "src/a.go", 4, 20)
	for _, want := range []string{
		"\x1b[2mlines */\x1b[0m\n", "\x1b[33mfunc\x1b[0m F() string {\n", "\t\x1b[33mreturn\x1b[0m \x1b[32m`one\x1b[0m\n", "\x1b[32mtwo`\x1b[0m + ", "\x1b[2m// why\x1b[0m\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if strings.Contains(got, "\x1b[31m") {
		t.Errorf("a code of the file's own in %q", got)
	}
	if got := print(true, "notes.md", 1, 1); !strings.Contains(got, "if `a`: return\n") {
		t.Errorf("prose has colours: %q", got)
	}
	for _, path := range []string{"link", "src", "gone"} {
		if got := print(true, path, 1, 9); strings.Contains(got, "secret") || !strings.Contains(got, "can't be read") {
			t.Errorf("%s: %q", path, got)
		}
	}
}
