package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestWriteOwn: what a killed process would leave of a thread or a plan lies where a sweep looks, and git does not.
func TestWriteOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".manicule")
	for range 2 {
		must.OK(t, WriteOwn(dir, "sessions/a.json", []byte("{}")))
	}
	if data, err := os.ReadFile(filepath.Join(dir, "sessions", "a.json")); err != nil || string(data) != "{}" {
		t.Errorf("%q, %v", data, err)
	}
	if rules, err := os.ReadFile(filepath.Join(dir, "memories", Scratch, ".gitignore")); err != nil || strings.TrimSpace(string(rules)) != "*" {
		t.Errorf("git sees where it is written: %q, %v", rules, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "builds", "a.md"), 0o700); err != nil { // in the way
		t.Fatal(err)
	}
	if err := WriteOwn(dir, "builds/a.md", []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
}

// TestWriteNamed: so it is with what a person has written into the project; elsewhere nothing else is made.
func TestWriteNamed(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	must.Mkdir(t, filepath.Join(root, ".manicule", "memories"))
	must.OK(t, os.Mkdir(filepath.Join(root, "docs"), 0o750))
	rules := filepath.Join(root, ".manicule", "memories", Scratch, ".gitignore")
	for _, name := range []string{filepath.Join(other, "a.json"), filepath.Join(root, "docs", "a.json"), filepath.Join(root, "a.json")} {
		must.OK(t, WriteNamed(filepath.Join(root, ".manicule"), name, []byte(name), 0o600))
		if data, err := os.ReadFile(name); err != nil || string(data) != name {
			t.Errorf("%q, %v", data, err)
		}
		if _, err := os.Stat(rules); (err == nil) != strings.HasPrefix(name, root) {
			t.Errorf("%s was written by way of the project's folder: %t", name, err == nil)
		}
	}
	if err := WriteNamed(filepath.Join(root, ".manicule"), filepath.Join(root, "none", "a.json"), nil, 0o600); err == nil {
		t.Error("a folder was made")
	}
}
