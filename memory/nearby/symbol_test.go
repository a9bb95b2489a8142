package nearby_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/graph"
	"manicule/indexer/must"
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
		must.Write(t, filepath.Join(root, name), text)
	}
	// A test comes last, though its name is first.
	must.Write(t, filepath.Join(root, "a_test.go"), "package a\n\ntype Z struct{}\n\nfunc (Z) Reset() {}\n")
	for _, name := range []string{"one/a", "one/c", "one/d", "one/e", "one/f", "one/g", "two/h"} {
		letter := strings.ToUpper(name[4:])
		must.Write(t, filepath.Join(root, name+".go"), "package p\n\ntype "+letter+" struct{}\n\nfunc ("+letter+") Reset() {}\n")
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
	if user, ok := errors.AsType[*memory.UserError](err); !ok || !errors.Is(err, memory.ErrAmbiguous) || !strings.Contains(user.Hint, "Say which:\na.go#App.Start\nb.go#Pool.Start") {
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
	_, err = nearby.Symbols(g, nearby.Place{File: "Reset"})
	if user, ok := errors.AsType[*memory.UserError](err); !ok || !strings.HasPrefix(user.Hint, "Say which:\none/a.go#A.Reset\n") || !strings.HasSuffix(user.Hint, "#G.Reset\nor one of 2 more: give its type (Type.Reset), file or folder (FOLDER#Reset).") {
		t.Errorf("many of a name: %v, hint %q", err, user.Hint)
	}
	if found, err := nearby.Symbols(g, nearby.Place{File: "two", Symbol: "Reset"}); err != nil || len(found) != 1 || found[0].File.Path != "two/h.go" {
		t.Errorf("of a folder: %v, %v", g.Refs(found), err)
	}
	if _, err := nearby.Symbols(g, nearby.Place{File: "two", Symbol: "Nothing"}); !errors.Is(err, memory.ErrNotFound) || !strings.Contains(err.Error(), "below two") {
		t.Errorf("none of a folder: %v", err)
	}
	if _, err := nearby.Symbols(g, nearby.Place{File: "tw", Symbol: "Reset"}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("of a part of a folder's name: %v", err)
	}
	if got := g.Complete("a.go", "St"); len(got) != 1 || got[0] != "App.Start" {
		t.Errorf("completed %q", got)
	}
}
