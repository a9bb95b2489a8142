package gittree

import (
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// TestTorn: a snapshot knows that it has the id of one content and gave another.
func TestTorn(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		must.Write(t, filepath.Join(root, name), text)
	}
	write("a.go", "package a\n")
	write("b.go", "package b\n")
	w, err := NewWorktree(root, nil)
	must.OK(t, err)
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
