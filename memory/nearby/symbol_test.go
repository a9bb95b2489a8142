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
		"b.go": "package a\n\ntype Pool struct{}\n\nfunc (Pool) Start() {}\n\nfunc (Pool) Poll() {}\n\nfunc stop(a App) { a.Shutdown() }\n",
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
	_, err = nearby.Symbols(g, nearby.Place{File: "Pooll"})
	if user, ok := errors.AsType[*memory.UserError](err); !ok || !strings.Contains(user.Hint, "b.go#Pool,") || !strings.Contains(user.Hint, "b.go#Pool.Poll") {
		t.Errorf("a method that is called almost like its type: %v", err)
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

// TestNamesOfCPlusPlus holds what names mean in a language in which a type's constructors are called like it, and whose
// headers declare what other files define.
func TestNamesOfCPlusPlus(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"db/db.h":        "namespace kv {\nclass Store {\n public:\n  Store(int n);\n  int Get(int key);\n  int Put(int key);\n};\nint Open(int n);\n}\n",
		"db/db.cc":       "#include \"db.h\"\nnamespace kv {\nStore::Store(int n) {}\nint Store::Get(int key) { return key; }\nint Open(int n) { return n; }\n}\n",
		"port/posix.cc":  "#include \"../db/db.h\"\nnamespace kv {\nint Store::Put(int key) { return 1; }\n}\n",
		"port/win.cc":    "#include \"../db/db.h\"\nnamespace kv {\nint Store::Put(int key) { return 2; }\n}\n",
		"test/fake.cc":   "namespace fake {\nclass Store { int Get(int key) { return 0; } };\n}\n",
		"java/Pool.java": "package a;\nclass Pool {\n  Pool() {}\n  void close() {}\n}\n",
	} {
		must.Write(t, filepath.Join(root, name), text)
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
	for _, tt := range []struct {
		place nearby.Place
		want  string // FILE#path of each symbol, or the error's choices
	}{
		{nearby.Place{File: "db/db.h", Symbol: "Store"}, "db/db.h#kv.Store"},
		{nearby.Place{File: "db/db.h", Symbol: "Store::Store"}, "db/db.h#kv.Store.Store"},
		{nearby.Place{File: "Pool"}, "java/Pool.java#Pool"},
		{nearby.Place{File: "Pool", Symbol: "close"}, "java/Pool.java#Pool.close"},
		{nearby.Place{File: "kv::Store", Symbol: "Get"}, "db/db.cc#kv.Store.Get db/db.h#kv.Store.Get"},
		{nearby.Place{File: "kv::Store"}, "db/db.h#kv.Store"},
		{nearby.Place{File: "db", Symbol: "kv::Store"}, "db/db.h#kv.Store"},
		{nearby.Place{File: "kv::Store::Get"}, "db/db.cc#kv.Store.Get db/db.h#kv.Store.Get"},
		{nearby.Place{File: "Open"}, "db/db.cc#kv.Open db/db.h#kv.Open"},
		{nearby.Place{File: "Store"}, "Say which:\ndb/db.h#kv.Store\ntest/fake.cc#fake.Store"},
		{nearby.Place{File: "Store::Put"}, "Say which:\ndb/db.h#kv.Store.Put\nport/posix.cc#kv.Store.Put\nport/win.cc#kv.Store.Put"},
	} {
		found, err := nearby.Symbols(g, tt.place)
		var got []string
		for _, s := range found {
			got = append(got, s.File.Path+"#"+s.Path)
		}
		if user, ok := errors.AsType[*memory.UserError](err); ok && errors.Is(err, memory.ErrAmbiguous) {
			got = append(got, user.Hint)
		} else if err != nil {
			t.Errorf("%+v: %v", tt.place, err)
			continue
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%+v means %q, want %q", tt.place, got, tt.want)
		}
	}
	_, err = nearby.Symbols(g, nearby.Place{File: "kv::Stroe"})
	if user, ok := errors.AsType[*memory.UserError](err); !ok || !strings.Contains(user.Hint, "Did you mean db/db.h#kv.Store") {
		t.Errorf("a slip: %v", err)
	}
}
