package gitinfo

import (
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
)

// TestUnread: a repository in a format that is not read is known as that, and has no branch of a name that
// stands for all.
func TestUnread(t *testing.T) {
	plain := t.TempDir()
	gittest.Git(t, plain, "init", "-q")
	if what := Unread(filepath.Join(plain, ".git")); what != "" {
		t.Errorf("%q of a usual repository", what)
	}
	hashes := t.TempDir()
	gittest.Git(t, hashes, "init", "-q", "--object-format=sha256")
	if what := Unread(filepath.Join(hashes, ".git")); !strings.Contains(what, "SHA256") {
		t.Errorf("%q of one with SHA-256", what)
	}
	// As git 2.45 and newer write it; others can't make one.
	git := filepath.Join(plain, ".git")
	must.Write(t, filepath.Join(git, "config"), "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n")
	must.Write(t, filepath.Join(git, "HEAD"), "ref: refs/heads/.invalid\n")
	if what := Unread(git); !strings.Contains(what, "reftable") {
		t.Errorf("%q of one with a reftable", what)
	}
	if name := Branch(git); name != "" {
		t.Errorf("it is on branch %q", name)
	}
}
