//go:build unix

package change

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
)

// TestGitHangs has git wait for a pipe in the place of a file of its own: it is
// not waited for without end.
func TestGitHangs(t *testing.T) {
	root := t.TempDir()
	gittest.Git(t, root, "init", "-q")
	head := filepath.Join(root, ".git", "HEAD")
	must.OK(t, os.Remove(head))
	must.OK(t, syscall.Mkfifo(head, 0o600))
	_, err := runGitWithin(t.Context(), 100*time.Millisecond, root, nil, "diff", "HEAD")
	if err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("got %v", err)
	}
}

// TestDiffLeavesIndex: a diff of files whose times changed does not write git's index, for which it would take a lock.
func TestDiffLeavesIndex(t *testing.T) {
	root := t.TempDir()
	gittest.Git(t, root, "init", "-q")
	names := []string{"a.txt", "b.txt", "c.txt"}
	for _, name := range names {
		must.Write(t, filepath.Join(root, name), name)
	}
	gittest.Git(t, root, "add", ".")
	gittest.Git(t, root, "commit", "-qm", "one")
	index := filepath.Join(root, ".git", "index")
	before := string(must.Read(t, index))
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range names {
		must.OK(t, os.Chtimes(filepath.Join(root, name), old, old))
	}
	if out, err := runGit(t.Context(), root, nil, "diff", "HEAD"); err != nil || len(out) > 0 {
		t.Fatalf("git diff: %q, %v", out, err)
	}
	if string(must.Read(t, index)) != before {
		t.Error("git diff wrote the index")
	}
}

// TestBrokenGit: what git says of a commit is passed on, and never taken for a repository without one.
func TestBrokenGit(t *testing.T) {
	root := t.TempDir()
	gittest.Git(t, root, "init", "-q")
	must.Write(t, filepath.Join(root, "a.txt"), "one\n")
	gittest.Git(t, root, "add", ".")
	gittest.Git(t, root, "commit", "-qm", "one")
	p, err := workspace.Discover(root, workspace.OSEnv())
	must.OK(t, err)
	if _, err := ResolveCommit(t.Context(), p, "nowhere"); err == nil || !strings.Contains(err.Error(), "knows no commit") {
		t.Errorf("a git that works: %v", err)
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for script, want := range map[string]string{
		"": "there is no git program",
		"#!/bin/sh\necho \"error: unknown option\" >&2\nexit 129\n":                                        "unknown option",
		"#!/bin/sh\necho \"fatal: detected dubious ownership in repository\" >&2\nexit 128\n":              "dubious ownership",
		"#!/bin/sh\necho \"fatal: zweifelhafte Eigentumsverhältnisse im Repository\" >&2\nexit 128\n":      "zweifelhafte",
		"#!/bin/sh\nwhile echo \"fatal: I am broken in more ways than one\" 2>/dev/null; do :; done >&2\n": "did not answer",
	} {
		must.OK(t, os.RemoveAll(filepath.Join(bin, "git")))
		if script != "" {
			must.OK(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
		}
		ctx := t.Context()
		if want == "did not answer" {
			if _, err := runGitWithin(ctx, 200*time.Millisecond, root, nil, "rev-parse"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			continue
		}
		for _, rev := range []string{"HEAD", "main~1"} {
			if _, err := ResolveCommit(ctx, p, rev); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", rev, err, want)
			}
		}
	}
}

// TestBeginning keeps what git says within bounds.
func TestBeginning(t *testing.T) {
	dropped, whole := beginning{most: 4}, beginning{most: 4, whole: true}
	for _, b := range []*beginning{&dropped, &whole} {
		for range 3 {
			_, err := b.Write([]byte("abc"))
			if full := b.text.Len() == 4; errors.Is(err, errTooMuch) != (b.whole && full) {
				t.Errorf("%+v: %v", b, err)
			}
		}
		if b.text.String() != "abca" {
			t.Errorf("it keeps %q", b.text.String())
		}
	}
}
