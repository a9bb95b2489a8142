package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"manicule/indexer/resolve"
)

// answers writes what a graph answers about every symbol of some files.
func answers(g *Graph, files []string) string {
	var b strings.Builder
	names := map[string]bool{"": true, "nobody": true}
	for _, f := range files {
		found := g.Find(f, "")
		_, _ = fmt.Fprintf(&b, "%s %v stale %v %v uses %q used by %q\n", f, g.Has(f), g.Stale(f), g.Outline(f), g.Imports(f), g.Dependents(f))
		_, _ = fmt.Fprintf(&b, "%q %v %q\n", g.FilesBySuffix(filepath.Base(f)), g.Refs(g.SymbolsAt(f, [][2]int{{1, 4}, {9, 9}})), g.Complete(f, "L"))
		for _, o := range g.Outline(f) {
			found = append(found, g.Find(f, o.Symbol)...)
			names[o.Symbol], names[lastPart(o.Symbol)] = true, true
		}
		for _, s := range found {
			of := []*Symbol{s}
			_, _ = fmt.Fprintf(&b, "%s#%s\n %+v\n %+v\n %+v\n %+v\n", f, s.Path, g.Impact(of, 3), g.Callers(of), g.Callees(of), g.References(of))
		}
		_, _ = fmt.Fprintf(&b, "%+v\n", g.Impact(found, 2))
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		_, _ = fmt.Fprintf(&b, "%q: %v\n", n, g.Refs(g.Lookup(n)))
	}
	for _, dir := range []string{".", "auth", "store", "web", "py", "cmd", "nowhere"} {
		if m, ok := g.Module(dir); ok {
			_, _ = fmt.Fprintf(&b, "%+v\n", m)
		}
	}
	for _, n := range []string{"New", "Validat", "lod", "zzz"} {
		_, _ = fmt.Fprintf(&b, "%v\n", g.Refs(g.Nearest(4, func(name string) (int, bool) {
			return len(name), strings.HasPrefix(name, n[:1]) && strings.HasSuffix(name, n[len(n)-1:])
		})))
	}
	EachImports(g, func(file string, uses []string) { names[fmt.Sprintf("%s imports %q", file, uses)] = true })
	_, _ = fmt.Fprintf(&b, "%+v\n", g.MostUsed(1))
	for n, found := range g.SymbolsNamed(slices.Collect(maps.Keys(names)), 3) {
		names[fmt.Sprintf("%s: %v", n, g.Refs(found))] = true
	}
	return b.String() + strings.Join(slices.Sorted(maps.Keys(names)), "\n")
}

// samePart holds that a part of the stored graph answers as the whole one does.
func (s *space) samePart() {
	s.t.Helper()
	whole, apart := s.open(), s.open()
	g := s.graph(whole)
	files := []string{"gone.go"}
	for p := range g.byPath {
		files = append(files, p)
	}
	slices.Sort(files)
	want := answers(g, files)
	asked := 0
	check(s.t, apart.Ask(s.t.Context(), func(g *Graph) {
		asked++
		if g.part == nil {
			s.t.Error("the whole graph was loaded")
		}
		if got := answers(g, files); got != want {
			s.t.Errorf("a part answers differently:\n%s", difference(got, want))
		}
	}))
	if asked != 1 {
		s.t.Errorf("asked %d times", asked)
	}
	check(s.t, whole.Close())
	check(s.t, apart.Close())
}

func TestPart(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	check(t, ix.Ask(t.Context(), func(g *Graph) {
		if g.Has("auth/token.go") || len(g.Lookup("New")) > 0 || len(g.Impact(nil, 3).Affected) > 0 {
			t.Error("a graph of nothing has something")
		}
	}))
	s.sync(ix)
	s.samePart()
	for _, edit := range []func(){
		func() { s.write("store/keeper.go", strings.Replace(s.read("store/keeper.go"), "k.Note(token)", "", 1)) }, // an edge less
		func() { s.write("store/keeper.go", strings.ReplaceAll(s.read("store/keeper.go"), "Put", "Keep")) },       // a name less
		func() { s.write("auth/strict.go", "package auth\n") },                                                    // what was overridden
		func() { s.write("web/client.ts", "\x00") },                                                               // can't be indexed
		func() { s.remove("py/models.py") },
		func() { s.write("py/models.py", "class User:\n    def save(self):\n        pass\n") },
	} {
		edit()
		s.sync(ix)
		s.samePart()
	}
}

// TestPartReadsLittle: what a question reads grows with its answer, not with the workspace.
func TestPartReadsLittle(t *testing.T) {
	s := newSpace(t, shop)
	for i := range 200 {
		s.write(fmt.Sprintf("many/f%d.py", i), fmt.Sprintf("def alone%d():\n    helper%d()\n\ndef helper%d():\n    pass\n", i, i, i))
	}
	s.sync(s.open())
	ix := s.open()
	ask := func(f func(g *Graph)) (declarations, edges int) {
		check(t, ix.Ask(t.Context(), f))
		if ix.held.g != nil {
			t.Fatal("the whole graph was loaded")
		}
		return ix.held.part.declarations, ix.held.part.edges
	}
	impact := func(g *Graph) {
		if im := g.Impact(g.Lookup("Keeper.Put"), 3); len(im.Affected) != 3 {
			t.Errorf("%+v", im.Affected)
		}
	}
	if d, e := ask(impact); d > 6 || e > 6 {
		t.Errorf("an impact of three symbols has read the declarations of %d files and the edges of %d", d, e)
	}
	first, _ := ask(impact)
	if d, _ := ask(impact); d != first {
		t.Error("what was read is read again")
	}
	one := func(g *Graph) {
		if got := names(g.Callers(g.Lookup("helper150"))); !slices.Equal(got, []string{"many/f150.py#alone150"}) {
			t.Errorf("%q", got)
		}
	}
	if d, _ := ask(one); d > first+1 {
		t.Errorf("one more file has one more: %d after %d", d, first)
	}
	s.write("many/f150.py", "def helper150():\n    pass\n")
	s.sync(ix)
	check(t, ix.Ask(t.Context(), func(g *Graph) {
		if got := g.Callers(g.Lookup("helper150")); len(got) > 0 {
			t.Errorf("an answer of before the change: %v", got)
		}
	}))
}

// TestPartTogether: questions share what was read and the database's only connection, and none waits for another for good.
func TestPartTogether(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	for range 20 {
		ix := s.open()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				check(t, ix.Ask(t.Context(), func(g *Graph) {
					if i%2 == 0 {
						if m, ok := g.Module("store"); !ok || m.Files == 0 {
							t.Errorf("%+v", m)
						}
						return
					}
					if im := g.Impact(g.Lookup("Keeper.Put"), 3); len(im.Affected) != 3 {
						t.Errorf("%+v", im.Affected)
					}
				}))
			})
		}
		wg.Wait()
		check(t, ix.Close())
	}
}

// TestPartWrittenMeanwhile: a question during which another process writes is asked again.
func TestPartWrittenMeanwhile(t *testing.T) {
	s := newSpace(t, shop)
	other := s.open()
	s.sync(other)
	asked, got := 0, []string(nil)
	check(t, s.open().Ask(t.Context(), func(g *Graph) {
		found := g.Find("store/keeper.go", "Keeper.Put")
		if asked++; asked == 1 {
			s.write("cmd/new.go", "package main\n\nimport \"example.com/shop/store\"\n\nfunc more() { (&store.Keeper{}).Put(\"\") }\n")
			s.sync(other)
		}
		got = names(g.Callers(found))
	}))
	if asked != 2 || !slices.Equal(got, []string{"auth/token.go#Service.Login", "cmd/new.go#more"}) {
		t.Errorf("asked %d times: %q", asked, got)
	}
}

// TestPartIsNotAll: what needs the whole graph gets it, and so does what meets damage.
func TestPartIsNotAll(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	ix := s.open()
	asked := 0
	check(t, ix.Ask(t.Context(), func(g *Graph) {
		asked++
		if c := g.Counts(); asked == 2 && c.Files != 11 {
			t.Errorf("%+v", c)
		}
		if most := g.MostUsed(1000); asked == 2 && len(most) < 10 {
			t.Errorf("%+v", most)
		}
	}))
	if asked != 2 || ix.held.g == nil {
		t.Errorf("asked %d times", asked)
	}
	for _, query := range []string{
		`UPDATE data SET decls = x'ffff'`, `UPDATE links SET links = x'ffff'`, `UPDATE lookup SET targets = x'01ff'`, `UPDATE meta SET value = x'ff' WHERE key = 'dispatch'`,
	} {
		s := newSpace(t, shop)
		first := s.open()
		s.sync(first)
		_, err := first.held.s.db.ExecContext(t.Context(), query)
		check(t, err)
		check(t, first.Close())
		ix, asked := s.open(), 0
		err = ix.Ask(t.Context(), func(g *Graph) {
			asked++
			g.Impact(g.Lookup("Keeper.Put"), 3)
			g.Callees(g.Lookup("Service.Login"))
		})
		if err != nil || asked != 2 || ix.held.g == nil {
			t.Errorf("%s: %v, asked %d times", query, err, asked)
		}
	}
}

// TestPartOfEditor: unsaved buffers count, for which the whole graph is loaded.
func TestPartOfEditor(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	ix := s.open()
	check(t, ix.Overlay(t.Context(), map[string]Source{"web/api.ts": buffer{"web/api.ts", []byte("export function stored() {}\n")}}))
	ix.Release(0)
	check(t, ix.Ask(t.Context(), func(g *Graph) {
		if len(g.Lookup("stored")) != 1 {
			t.Error("the unsaved text is not there")
		}
	}))
}

// TestPartHalfRead: what a question did not read to the end is read from the start by the next, and stands there once.
func TestPartHalfRead(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	ix := s.open()
	lookup := func() (found int, err error) {
		g, err := ix.beginPart(t.Context())
		check(t, err)
		defer g.part.finish()
		found = len(g.Lookup("Keeper.Put"))
		return found, g.part.err
	}
	check(t, ix.Ask(t.Context(), func(*Graph) {})) // opens the database
	rename := func(from, to string) {
		_, err := ix.held.s.db.ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
		check(t, err)
	}
	rename("scip", "away") // which is read after the names
	if _, err := lookup(); err == nil {
		t.Fatal("it read a table that is not there")
	}
	rename("away", "scip")
	if n, err := lookup(); n != 1 || err != nil {
		t.Errorf("found %d times, %v", n, err)
	}
}

// TestPartOfSCIP: an edge that an imported index replaces makes no dependent.
func TestPartOfSCIP(t *testing.T) {
	s := newSpace(t, "")
	s.write("one.go", "package shop\n\nfunc One() {}\n")
	s.write("two.go", "package shop\n\nfunc Two() {}\n")
	s.write("use.go", "package shop\n\nfunc use() { One() }\n")
	ix := s.open()
	s.sync(ix)
	if got := s.graph(ix).Dependents("one.go"); !slices.Equal(got, []string{"use.go"}) {
		t.Fatalf("%q", got)
	}
	var index []byte
	for name, o := range map[string][]byte{"two.go": occurrence("go shop/Two().", 1, 2, 5, 8), "use.go": occurrence("go shop/Two().", 0, 2, 13, 16)} {
		doc := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		doc = protowire.AppendBytes(protowire.AppendTag(doc, 2, protowire.BytesType), o)
		index = protowire.AppendBytes(protowire.AppendTag(index, 2, protowire.BytesType), doc)
	}
	name := filepath.Join(t.TempDir(), "index.scip")
	check(t, os.WriteFile(name, index, 0o600))
	if n, err := ix.ImportSCIP(t.Context(), name); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if got := s.graph(ix).Dependents("one.go"); len(got) > 0 {
		t.Errorf("%q", got)
	}
	s.samePart()
}

// TestUpdateAfterCancelledQuestion: a question that is cancelled while it reads what another process wrote leaves nothing in memory.
// The next change of a file is not lost by that.
func TestUpdateAfterCancelledQuestion(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	ix.held.forget() // as that question does
	s.write("web/new.ts", "export function added() {}\n")
	_, err := ix.Update(t.Context(), []string{"web/new.ts"})
	check(t, err)
	if got := s.graph(s.open()).Lookup("added"); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestPartCancelled(t *testing.T) {
	s := newSpace(t, shop)
	s.sync(s.open())
	ctx, cancel := context.WithCancel(t.Context())
	err := s.open().Ask(ctx, func(g *Graph) {
		cancel()
		g.Lookup("New")
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTargets(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	for id, st := range s.graph(ix).files {
		var got, want []resolve.Node
		check(t, eachTarget(encodeTargets(st.links, id), func(file, local int32) { got = append(got, resolve.MakeNode(file, local)) }))
		for _, l := range st.links {
			if l.to.File() != id {
				want = append(want, l.to)
			}
		}
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: %v, want %v", st.path, got, want)
		}
	}
}
