package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteOwn: what a killed process would leave of a thread or a plan lies where a sweep looks, and git does not.
func TestWriteOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".manicule")
	for range 2 {
		if err := WriteOwn(dir, "sessions/a.json", []byte("{}")); err != nil {
			t.Fatal(err)
		}
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
