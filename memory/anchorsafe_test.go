//go:build unix

package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAnchorsStayInside: what lies outside of the workspace, or is git's own, or
// no plain file, is not cited, whichever name leads to it.
func TestAnchorsStayInside(t *testing.T) {
	w := fixture(t)
	root := w.Root()
	outside := filepath.Join(t.TempDir(), "secret.txt")
	for path, text := range map[string]string{outside: "not yours\n", filepath.Join(root, ".git", "config"): "[core]\n", filepath.Join(root, "a.txt"): "mine\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link.txt": outside, "linkdir": filepath.Dir(outside), "gitlink": filepath.Join(root, ".git", "config"), "inside.txt": "a.txt", "zero": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	for _, at := range []string{"link.txt:1", "linkdir/secret.txt:1", ".git/config:1", "gitlink:1", "zero:1", "pipe:1", "pipe"} {
		done := make(chan error, 1)
		go func() { _, err := w.Maker().Anchor(t.Context(), at); done <- err }()
		select {
		case err := <-done:
			if user := (*UserError)(nil); !errors.As(err, &user) {
				t.Errorf("%s: %v, want an error for a person", at, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no answer", at)
		}
	}
	if a, err := w.Maker().Anchor(t.Context(), "inside.txt:1"); err != nil || !strings.Contains(a.Quote, "mine") {
		t.Errorf("a link within the workspace: %+v, %v", a, err)
	}
}

// TestNoSecretBesideTheCitedLines: what stands around the cited lines is written
// down with them, and nobody looked at it.
func TestNoSecretBesideTheCitedLines(t *testing.T) {
	w := fixture(t)
	root := w.Root()
	key := "ghp" + "_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
	text := "a=1\nGITHUB_TOKEN=" + key + "\nb=2\nc=3\nd=4\ne=5\nf=6\n"
	if err := os.WriteFile(filepath.Join(root, "b.ini"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for at, refused := range map[string]bool{"b.ini:1": false, "b.ini:3": false, "b.ini:2": true} {
		r, err := w.Remember(t.Context(), Draft{What: "The line " + at + " says how many there are", At: []string{at}})
		if (err != nil || !r.Accepted) != refused {
			t.Errorf("%s: %+v, %v", at, r, err)
		}
		if refused || err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(w.Place().MemoriesDir(), r.Memory.RelPath()))
		if err != nil || strings.Contains(string(data), key) {
			t.Errorf("%s: the key is in the memory's file: %s, %v", at, data, err)
		}
	}
}
