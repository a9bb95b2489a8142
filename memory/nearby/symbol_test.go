package nearby_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/nearby"
)

// TestBareNames holds what the name of a symbol without its file means.
func TestBareNames(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n\ntype App struct{}\n\nfunc (App) Shutdown() {}\n\nfunc (App) Start() {}\n",
		"b.go": "package a\n\ntype Pool struct{}\n\nfunc (Pool) Start() {}\n\nfunc stop(a App) { a.Shutdown() }\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ix := graph.Open(graph.Options{Root: root, Dir: t.TempDir()})
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := ix.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	g, err := ix.Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Shutdown", "App.Shutdown", "sub/Shutdown"} { // as it is read in a folder
		p := nearby.Place{File: name}
		found, err := nearby.Symbols(g, p)
		if err != nil || len(found) != 1 || found[0].Path != "App.Shutdown" {
			t.Fatalf("%s: %v, %v", name, g.Refs(found), err)
		}
		c := nearby.Describe(g, p, found)
		if c.File != "a.go" || c.Symbol != "App.Shutdown" || len(c.Callers) != 1 || c.Callers[0].Symbol != "stop" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	_, err = nearby.Symbols(g, nearby.Place{File: "Start"})
	if user, ok := errors.AsType[*memory.UserError](err); !ok || !errors.Is(err, memory.ErrAmbiguous) || !strings.Contains(user.Hint, "a.go#App.Start, b.go#Pool.Start") {
		t.Errorf("two of a name: %v", err)
	}
	if _, err := nearby.Symbols(g, nearby.Place{File: "Nothing"}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("none: %v", err)
	}
	for _, typed := range []string{"shutdow", "App.Shutodwn", "SHUTDOWN"} {
		_, err := nearby.Symbols(g, nearby.Place{File: typed})
		if user, ok := errors.AsType[*memory.UserError](err); !ok || !strings.Contains(user.Hint, "Did you mean a.go#App.Shutdown?") {
			t.Errorf("%s: %v", typed, err)
		}
	}
	if got := g.Complete("a.go", "St"); len(got) != 1 || got[0] != "App.Start" {
		t.Errorf("completed %q", got)
	}
}
