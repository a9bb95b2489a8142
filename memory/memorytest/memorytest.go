// Package memorytest opens workspaces for the tests of packages that stand above package memory. The product must not
// import it.
package memorytest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// User is the author of what is written.
const User = "ada"

// Clock tells a later time each time it is asked. It begins an hour ahead of the files: none counts as just changed.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now tells the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Open opens the workspace of a folder, with a home folder beside it, until the test ends.
func Open(t testing.TB, dir string) (*memory.Workspace, *Clock) {
	t.Helper()
	c := &Clock{at: time.Now().Add(time.Hour)}
	home := filepath.Join(filepath.Dir(dir), "home")
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: wholeFile, Dir: dir, Now: c.Now, Random: rand.NewChaCha8([32]byte{1}), User: User, Scopes: &scope.Options{},
		Env: workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }, Random: bytes.NewReader(make([]byte, 64))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, c
}

// wholeFile makes anchors of whole files, for which it needs no parser.
func wholeFile(_ context.Context, p anchor.Place, lang string, _ []byte) (anchor.Anchor, error) {
	if p.Symbol != "" || p.Lines != nil {
		return anchor.Anchor{}, fmt.Errorf("anchor at %s: tests of anchors within a file use anchoring.Make", p)
	}
	return anchor.Anchor{Kind: anchor.KindFile, Path: p.Path, Language: lang}, nil
}

// Folder makes a folder for a workspace that is set up, with some files.
func Folder(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(dir, ".manicule", "memories"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		must.Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}
