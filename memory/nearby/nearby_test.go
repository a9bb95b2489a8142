package nearby

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchoring"
	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// sources are a small tree: auth uses store, cmd uses auth, and a file has a name
// twice.
func sources() map[string]string {
	return map[string]string{
		"go.mod": "module tree\n",
		"store/store.go": `package store

// Store keeps tokens.
type Store struct{}

// Get finds one.
func (s *Store) Get(k string) string { return s.key(k) }

func (s *Store) key(k string) string { return k }

// StoreAll is another name that begins alike.
func StoreAll() {}
`,
		"auth/token.go": `package auth

import "tree/store"

func Validate(s *store.Store, t string) bool { return s.Get(t) != "" }
`,
		"cmd/main.go": `package main

import (
	"tree/auth"
	"tree/store"
)

func main() { auth.Validate(&store.Store{}, "x") }
`,
		"twice.py": `class A:
    def go(self): pass

class B:
    def go(self): pass
`,
	}
}

// tree is a real workspace with a real code graph.
type tree struct {
	t    *testing.T
	w    *memory.Workspace
	g    *graph.Graph
	name map[string]string // of memories, by uuid
}

func newTree(t *testing.T) *tree {
	t.Helper()
	home := t.TempDir()
	root := filepath.Join(home, "tree")
	files := sources()
	files[".manicule/memories/.keep"] = ""
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	env := workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }, Random: bytes.NewReader(make([]byte, 64))}
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: root, Env: env, Now: func() time.Time { return now }, Random: rand.NewChaCha8([32]byte{7}), User: "ann", Scopes: &scope.Options{}})
	must.OK(t, err)
	ix := graph.Open(graph.Options{Root: w.Root(), Dir: w.Place().CacheDir(), Now: time.Now})
	t.Cleanup(func() {
		if err := errors.Join(ix.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := ix.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	g, err := ix.Graph(t.Context())
	must.OK(t, err)
	return &tree{t, w, g, map[string]string{}}
}

// remember keeps a memory under a name by which the tests know it.
func (x *tree) remember(name string, d memory.Draft) {
	x.t.Helper()
	d.What = "What is known as " + name
	r, err := x.w.Remember(x.t.Context(), d)
	if err != nil || !r.Accepted {
		x.t.Fatalf("remember %s: %+v, %v", name, r, err)
	}
	x.name[r.Memory.UUID] = name
}

// fill keeps memories of all the kinds that there are around a place.
func (x *tree) fill() {
	x.t.Helper()
	x.remember("at Store", memory.Draft{At: []string{"store/store.go#Store"}})
	x.remember("at Get", memory.Draft{At: []string{"store/store.go#Store.Get"}})
	x.remember("at key", memory.Draft{At: []string{"store/store.go#Store.key"}})
	x.remember("at StoreAll", memory.Draft{At: []string{"store/store.go#StoreAll"}})
	x.remember("at the file", memory.Draft{At: []string{"store/store.go"}})
	x.remember("at both", memory.Draft{At: []string{"store/store.go#Store.Get", "auth/token.go#Validate"}})
	x.remember("below store", memory.Draft{Scope: []string{"store/**"}})
	x.remember("not of tests", memory.Draft{Scope: []string{"store/**", "!**/*_test.go"}})
	x.remember("of auth", memory.Draft{Scope: []string{"auth/**"}})
	x.remember("of all", memory.Draft{Type: file.Convention})
	x.remember("a draft", memory.Draft{At: []string{"store/store.go#Store.Get"}, Agent: true, Tool: "claude-code"})
}

// names are those of some memories; sorted unless their order is what is asked.
func (x *tree) names(hits []memory.Hit, sorted bool) string {
	var out []string
	for _, h := range hits {
		out = append(out, x.name[h.Memory.UUID])
	}
	if sorted {
		slices.Sort(out)
	}
	return strings.Join(out, ", ")
}

func TestParse(t *testing.T) {
	x := newTree(t)
	root := x.w.Root()
	for _, tt := range []struct {
		arg  string
		want Place
		ok   bool
	}{
		{"store/store.go", Place{File: "store/store.go"}, true},
		{"store/store.go#Store.Get", Place{File: "store/store.go", Symbol: "Store.Get"}, true},
		{"./store//store.go#Store", Place{File: "store/store.go", Symbol: "Store"}, true},
		{filepath.Join(root, "auth", "token.go") + "#Validate", Place{File: "auth/token.go", Symbol: "Validate"}, true},
		{"not/there.go#X", Place{File: "not/there.go", Symbol: "X"}, true},
		{"store/store.go:3", Place{File: "store/store.go", Line: 3}, true},
		{"a.go#b#c", Place{File: "a.go", Symbol: "b#c"}, true},
		{"#Store", Place{}, false},
		{"", Place{}, false},
		{"../other/x.go", Place{}, false},
		{"/etc/passwd#root", Place{}, false},
	} {
		got, err := Parse(x.w, tt.arg)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("%q: %+v, %v", tt.arg, got, err)
		}
		if u, ok := errors.AsType[*memory.UserError](err); err != nil && (!ok || !strings.Contains(u.Hint, root)) {
			t.Errorf("%q: the error does not say what to do: %v", tt.arg, err)
		}
	}
}

func TestSymbols(t *testing.T) {
	x := newTree(t)
	for _, tt := range []struct {
		place Place
		want  string // paths of symbols
		err   error
		hint  string
	}{
		{Place{File: "store/store.go", Symbol: "Store.Get"}, "Store.Get", nil, ""},
		{Place{File: "store/store.go", Symbol: "Get"}, "Store.Get", nil, ""},
		{Place{File: "store/store.go", Symbol: "Store"}, "Store", nil, ""},
		{Place{File: "twice.py", Symbol: "A.go"}, "A.go", nil, ""},
		{Place{File: "twice.py", Symbol: "go"}, "", memory.ErrAmbiguous, "Say which:\nA.go\nB.go"},
		{Place{File: "store/store.go", Symbol: "Nothing"}, "", memory.ErrNotFound, "manicule outline store/store.go"},
		{Place{File: "wrong/store.go", Symbol: "Store"}, "", memory.ErrNotFound, "There is store/store.go."},
		{Place{File: "store/store.go", Symbol: "Gte"}, "", memory.ErrNotFound, "Did you mean store/store.go#Store.Get?"},
		{Place{File: "nowhere.go", Symbol: ""}, "", memory.ErrNotFound, "It is ignored"},
		{Place{File: "nowhere.xyz", Symbol: ""}, "", memory.ErrNotFound, "may be ignored"},
		{Place{File: "Nowhere", Symbol: ""}, "", memory.ErrNotFound, "manicule outline FILE"},
	} {
		found, err := Symbols(x.g, tt.place)
		var got []string
		for _, s := range found {
			got = append(got, s.Path)
		}
		if strings.Join(got, " ") != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%+v: %v, %v", tt.place, got, err)
		}
		if u, _ := errors.AsType[*memory.UserError](err); err != nil && (u == nil || !strings.Contains(u.Hint, tt.hint)) {
			t.Errorf("%+v: %v says not what to do", tt.place, err)
		}
	}
	all, err := Symbols(x.g, Place{File: "store/store.go"})
	if err != nil || len(all) != 1 || all[0].Kind != wholeKind {
		t.Errorf("a file is %+v, %v", all, err)
	}
}

func TestDescribe(t *testing.T) {
	x := newTree(t)
	for _, tt := range []struct {
		place                                              Place
		definitions, callers, callees, imports, dependents string
	}{
		{Place{File: "store/store.go", Symbol: "Store.Get"}, "store/store.go:7", "auth/token.go Validate", "store/store.go Store.key", "", "auth/token.go cmd/main.go"},
		{Place{File: "auth/token.go", Symbol: "Validate"}, "auth/token.go:5", "cmd/main.go main", "store/store.go Store.Get", "store/store.go", "cmd/main.go"},
		{Place{File: "store/store.go", Symbol: "StoreAll"}, "store/store.go:12", "", "", "", "auth/token.go cmd/main.go"},
		{Place{File: "cmd/main.go", Symbol: "main"}, "cmd/main.go:8", "", "auth/token.go Validate", "auth/token.go store/store.go", ""},
	} {
		syms, err := Symbols(x.g, tt.place)
		must.OK(t, err)
		c := Describe(x.g, tt.place, syms)
		var definitions []string
		for _, d := range c.Definitions {
			definitions = append(definitions, fmt.Sprintf("%s:%d", d.File, d.Line))
		}
		relations := func(all []graph.Relation) string {
			var out []string
			for _, r := range all {
				out = append(out, r.File+" "+r.Symbol)
			}
			return strings.Join(out, ", ")
		}
		slices.Sort(c.Imports)
		slices.Sort(c.Dependents)
		for what, pair := range map[string][2]string{
			"definitions": {strings.Join(definitions, " "), tt.definitions}, "callers": {relations(c.Callers), tt.callers}, "callees": {relations(c.Callees), tt.callees},
			"imports": {strings.Join(c.Imports, " "), tt.imports}, "dependents": {strings.Join(c.Dependents, " "), tt.dependents},
			"place": {c.File + "#" + c.Symbol, tt.place.File + "#" + tt.place.Symbol},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%+v: %s %q, want %q", tt.place, what, pair[0], pair[1])
			}
		}
		if c.Callers == nil || c.Callees == nil || c.References == nil || c.Imports == nil || c.Dependents == nil || c.Stale {
			t.Errorf("%+v: a list is nil, or the file stale: %+v", tt.place, c)
		}
	}
}

// TestMemories: those of a symbol are those at it and at what is in it, at its
// file and by scope; those of the whole project and drafts are none of them.
func TestMemories(t *testing.T) {
	x := newTree(t)
	x.fill()
	const general = "at the file, below store, not of tests"
	for _, tt := range []struct {
		place, want string
	}{
		{"store/store.go", "at Get, at Store, at StoreAll, at both, at key, " + general},
		{"store/store.go#Store.Get", "at Get, at both, " + general},
		{"store/store.go#Store.key", "at key, " + general},
		{"store/store.go#Store", "at Get, at Store, at both, at key, " + general},
		{"store/store.go#StoreAll", "at StoreAll, " + general},
		{"auth/token.go#Validate", "at both, of auth"},
		{"cmd/main.go#main", ""},
		{"store", "at Get, at Store, at StoreAll, at both, at key, " + general},
		{"store/new_test.go", "below store"},
		{"store/new.go", "below store, not of tests"},
	} {
		p, err := Parse(x.w, tt.place)
		must.OK(t, err)
		at := WholeFile()
		if p.Symbol != "" {
			syms, err := Symbols(x.g, p)
			must.OK(t, err)
			at = x.g.Refs(syms)
		}
		for name, from := range map[string]Recaller{"the workspace": x.w.Recaller(), "what it keeps": x.w.Recaller().FromView()} {
			if _, err := x.w.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			hits, err := Memories(t.Context(), from, p.File, at)
			if got := x.names(hits, true); err != nil || got != tt.want {
				t.Errorf("%s, by %s: %s, %v\nwant %s", tt.place, name, got, err, tt.want)
			}
		}
	}
	// In recall order: what is nearest first.
	hits, err := Memories(t.Context(), x.w.Recaller(), "store/store.go", []graph.Ref{{Symbol: "StoreAll"}})
	if err != nil || len(hits) < 3 || x.name[hits[0].Memory.UUID] != "at StoreAll" && x.name[hits[0].Memory.UUID] != "at the file" {
		t.Errorf("%s, %v", x.names(hits, false), err)
	}
}

func TestOn(t *testing.T) {
	for _, tt := range []struct {
		symbol string
		at     []graph.Ref
		want   bool
	}{
		{"Store.Get", []graph.Ref{{Symbol: "Store.Get"}}, true},
		{"Store.Get", []graph.Ref{{Symbol: "Store"}}, true},
		{"Store.Get.inner", []graph.Ref{{Symbol: "Store"}}, true},
		{"StoreAll", []graph.Ref{{Symbol: "Store"}}, false},
		{"Store", []graph.Ref{{Symbol: "Store.Get"}}, false},
		{"Other", []graph.Ref{{Symbol: "Store"}, {Symbol: "Other"}}, true},
		{"Store", nil, false},
		{"", nil, false},
		{"", []graph.Ref{{Symbol: "Store"}}, false},
		{"anything", WholeFile(), true},
		{"", WholeFile(), true},
	} {
		if got := Covers(tt.symbol, tt.at); got != tt.want {
			t.Errorf("%q on %+v: %t", tt.symbol, tt.at, got)
		}
	}
}

// counted counts the files that memories are looked up for, and fails at one.
type counted struct {
	Recaller
	asked []string
	fails string
}

// Recall counts and asks on.
func (c *counted) Recall(ctx context.Context, q memory.Query) (memory.Recall, error) {
	rel, err := filepath.Rel(c.Root(), q.Paths[0])
	if err != nil {
		return memory.Recall{}, err
	}
	c.asked = append(c.asked, filepath.ToSlash(rel))
	if c.asked[len(c.asked)-1] == c.fails {
		return memory.Recall{}, errors.New("disk on fire")
	}
	return c.Recaller.Recall(ctx, q)
}

func TestOnTheWay(t *testing.T) {
	x := newTree(t)
	x.remember("store", memory.Draft{At: []string{"store/store.go#Store.key"}})
	x.remember("auth", memory.Draft{At: []string{"auth/token.go"}})
	x.remember("store and auth", memory.Draft{Scope: []string{"store/**", "auth/**"}})
	x.remember("cmd", memory.Draft{At: []string{"cmd/main.go#main"}})
	x.remember("gone", memory.Draft{Scope: []string{"gone/**"}})
	x.remember("project", memory.Draft{Type: file.Convention})
	impact := func(place Place) graph.Impact {
		syms, err := Symbols(x.g, place)
		must.OK(t, err)
		return x.g.Impact(syms, graph.DefaultDepth)
	}
	for _, tt := range []struct {
		name  string
		im    graph.Impact
		more  []string
		want  string // in their order, those of a file sorted
		files string
	}{
		{"from the callee up", impact(Place{File: "store/store.go", Symbol: "Store.Get"}), nil, "store, store and auth | auth | cmd", "store/store.go auth/token.go cmd/main.go"},
		{"from the middle", impact(Place{File: "auth/token.go", Symbol: "Validate"}), nil, "auth, store and auth | cmd", "auth/token.go cmd/main.go"},
		{"with what is gone", impact(Place{File: "auth/token.go", Symbol: "Validate"}), []string{"gone/x.go", "gone/x.go", "auth/token.go"}, "auth, store and auth | gone | cmd", "auth/token.go gone/x.go cmd/main.go"},
		{"only what is gone", graph.Impact{}, []string{"gone/x.go"}, "gone", "gone/x.go"},
		{"nothing", graph.Impact{}, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &counted{Recaller: x.w.Recaller()}
			hits, err := AlongImpact(t.Context(), c, tt.im, tt.more...)
			must.OK(t, err)
			left := x.names(hits, false)
			for _, group := range strings.Split(tt.want, " | ") {
				n := 0
				if group != "" {
					n = strings.Count(group, ", ") + 1
				}
				if len(hits) < n || x.names(hits[:n], true) != group {
					t.Fatalf("got %s, want %s", left, tt.want)
				}
				hits = hits[n:]
			}
			if len(hits) > 0 {
				t.Errorf("more than wanted: %s", left)
			}
			if got := strings.Join(c.asked, " "); got != tt.files {
				t.Errorf("looked up for %s, want %s", got, tt.files)
			}
		})
	}
	t.Run("no more than a bound", func(t *testing.T) {
		var im graph.Impact
		for i := range 2 * maxOnTheWay {
			im.Affected = append(im.Affected, graph.Affected{Ref: graph.Ref{File: fmt.Sprintf("far/%d.go", i)}})
		}
		im.Targets = []graph.Ref{{File: "auth/token.go"}}
		im.Affected = append(im.Affected, graph.Affected{Ref: graph.Ref{File: "cmd/main.go"}})
		c := &counted{Recaller: x.w.Recaller().FromView()}
		if _, err := x.w.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		hits, err := AlongImpact(t.Context(), c, im)
		if got := x.names(hits, true); err != nil || got != "auth, store and auth" || len(c.asked) != maxOnTheWay {
			t.Errorf("%s after %d files, %v", got, len(c.asked), err)
		}
	})
	t.Run("a file that can't be looked up", func(t *testing.T) {
		c := &counted{Recaller: x.w.Recaller(), fails: "auth/token.go"}
		hits, err := AlongImpact(t.Context(), c, impact(Place{File: "store/store.go", Symbol: "Store.Get"}))
		if err == nil || !strings.Contains(err.Error(), "auth/token.go: disk on fire") || x.names(hits, true) != "store, store and auth" {
			t.Errorf("%s, %v", x.names(hits, true), err)
		}
	})
}
