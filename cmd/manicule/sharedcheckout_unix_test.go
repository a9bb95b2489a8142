//go:build unix

package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestSharedCheckout: in a checkout that a group shares, what one of them writes can be changed by the others, as what git
// writes can. What is personal stays its owner's.
func TestSharedCheckout(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.in = []string{"sh", "-c", `umask 002; exec "$@"`, "sh"}
	p.must(p.run("", "init", "--agent", "claude-code,codex", "--shared"))
	p.must(p.run("", "remember", "alpha is first", "--scope", "src/**"))
	p.must(p.run("", "remember", "beta is mine", "--scope", "src/**", "--personal"))
	p.must(p.run("", "thread", "add", "Split the parser", "--share"))
	seen := 0
	p.must(filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
		p.must(err)
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if rel, err := filepath.Rel(p.root, name); err != nil || !strings.HasPrefix(rel, ".") || rel == "." {
			return err // of the test
		}
		info, err := d.Info()
		p.must(err)
		want := fs.FileMode(0o664)
		switch {
		case d.IsDir():
			want = 0o775
		case filepath.Base(filepath.Dir(name)) == "personal" && strings.HasSuffix(name, ".json"):
			want = 0o600
		}
		if seen++; info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode().Perm(), want)
		}
		return nil
	}))
	if seen < 20 {
		t.Errorf("%d files and folders: the test shows little", seen)
	}
}
