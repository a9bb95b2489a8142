package gittree

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTorn: a snapshot knows that it has the id of one content and gave another.
func TestTorn(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "package a\n")
	write("b.go", "package b\n")
	w, err := NewWorktree(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "b.go", "gone.go"} {
		w.Blob(name)
	}
	if _, err := w.Read("a.go"); err != nil || w.Torn() {
		t.Fatalf("torn %v, %v", w.Torn(), err)
	}
	write("b.go", "package")
	if !w.Unchanged("a.go") || w.Unchanged("b.go") || !w.Unchanged("gone.go") || w.Torn() {
		t.Error("a change of b.go is told wrong")
	}
	write("gone.go", "package gone\n")
	if w.Unchanged("gone.go") {
		t.Error("a file that came is not told")
	}
	if _, err := w.Read("b.go"); err != nil || !w.Torn() {
		t.Errorf("torn %v, %v", w.Torn(), err)
	}
}
