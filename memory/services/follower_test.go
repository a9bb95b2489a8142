package services

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/graph"
	"manicule/memory/leader"
	"manicule/memory/nearby"
)

// withCode is a project with a function and its caller.
func withCode(t *testing.T) string {
	t.Helper()
	root := project(t)
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n\nfunc Load() {}\n\nfunc Use() { Load() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestLeaderThatHasNotIndexed: who asks a leader about the code before that has read it gets no answer from an empty
// graph: "there is no such file" would be believed.
func TestLeaderThatHasNotIndexed(t *testing.T) {
	o, root := opener(t), withCode(t)
	w := open(t, o, root)
	ix := w.Graph()
	s := w.Serve(t.Context(), ServeOptions{Role: "lsp", Graph: func() (*graph.Index, error) { return ix, nil }})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for end := time.Now().Add(20 * time.Second); leader.Ask(t.Context(), w.Place().Socket(), "hello", nil, nil) != nil; {
		if time.Now().After(end) {
			t.Fatal("nobody leads")
		}
	}
	a := open(t, o, root).ServeAgent(t.Context(), "mcp")
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, when := range []string{"before", "after"} {
		im, err := a.Code.Impact(t.Context(), []nearby.Place{{File: "a.go", Symbol: "Load"}}, 3)
		if err != nil || len(im.Affected) != 1 {
			t.Errorf("%s the leader has indexed: %+v, %v", when, im, err)
		}
		if _, err := ix.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIndexFault: a leader that can't index the code says so, and answers once it can.
func TestIndexFault(t *testing.T) {
	o, root := opener(t), withCode(t)
	w := open(t, o, root)
	cache := w.Place().CacheDir()
	if err := os.MkdirAll(filepath.Join(cache, "graph.lock"), 0o700); err != nil { // a folder in place of the lock
		t.Fatal(err)
	}
	a := w.ServeAgent(t.Context(), "mcp")
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	for end := time.Now().Add(20 * time.Second); !a.leading() && time.Now().Before(end); {
		_ = leader.Ask(t.Context(), w.Place().Socket(), "hello", nil, nil) // only waits
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	place := []nearby.Place{{File: "a.go", Symbol: "Load"}}
	if _, err := a.Code.Impact(ctx, place, 3); err == nil || ctx.Err() != nil || Hint(err) == "" {
		t.Errorf("got %v, the call: %v", err, ctx.Err())
	}
	if err := os.Remove(filepath.Join(cache, "graph.lock")); err != nil {
		t.Fatal(err)
	}
	if im, err := a.Code.Impact(t.Context(), place, 3); err != nil || len(im.Affected) != 1 {
		t.Errorf("afterwards: %+v, %v", im, err)
	}
}
