package graph

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"
)

// thinly resolves one stored file in a table that reads only what that reaches. It returns the edges as
// they are stored, and of how many files the declarations were read.
func (s *space) thinly(ix *Index, path string) (links []byte, read int) {
	s.t.Helper()
	links, read, err := thinly(s.t.Context(), ix, path)
	if err != nil {
		s.t.Fatal(err)
	}
	return links, read
}

func thinly(ctx context.Context, ix *Index, path string) (links []byte, read int, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	h := ix.held
	if err := h.s.open(ctx); err != nil {
		return nil, 0, err
	}
	if err := h.tree.readRows(ctx); err != nil {
		return nil, 0, err
	}
	h.tree.listPaths()
	g, u, err := h.loadThin(ctx, []found{{path: path}})
	if err != nil {
		return nil, 0, err
	}
	defer u.close()
	g.table.Invalidate(h.tree.project())
	g.table.AssignUnits()
	fr := newFileResolver(h.s, g)
	fr.expect = u.expect
	l, err := fr.linksOf(ctx, usesOfFile{st: g.byPath[path]})
	return l.data, u.read, err
}

// storedLinks returns the stored edges of a file.
func storedLinks(ctx context.Context, ix *Index, path string) (links []byte, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	err = ix.held.s.db.QueryRowContext(ctx, qLinksOf, ix.held.tree.rows[path].id).Scan(&links)
	return links, err
}

// sameThinly holds that each file has the edges that it has where all declarations are there.
func (s *space) sameThinly(ix *Index) {
	s.t.Helper()
	for path, st := range s.graph(ix).byPath {
		got, _ := s.thinly(ix, path)
		want, err := storedLinks(s.t.Context(), ix, path)
		check(s.t, err)
		if !bytes.Equal(got, want) {
			a, _ := decodeLinks(got, st.id)
			b, _ := decodeLinks(want, st.id)
			s.t.Errorf("%s: with what it reaches\n%+v\nwith all\n%+v", path, a, b)
		}
	}
}

// polyglot returns the workspaces by which the rules of the languages are tested, each in a folder, and
// the shop.
func polyglot(t *testing.T) (all []*txtar.Archive, together string) {
	t.Helper()
	names, err := filepath.Glob("../resolve/testdata/*.txtar")
	if check(t, err); len(names) < 15 {
		t.Fatalf("only %q", names)
	}
	merged := txtar.Parse([]byte(shop))
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		check(t, err)
		a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "EDGES" })
		all = append(all, a)
		dir := strings.TrimSuffix(filepath.Base(name), ".txtar")
		for _, f := range a.Files {
			merged.Files = append(merged.Files, txtar.File{Name: dir + "/" + f.Name, Data: f.Data})
		}
	}
	return all, string(txtar.Format(merged))
}

func TestThinIsWhole(t *testing.T) {
	all, together := polyglot(t)
	for _, a := range append(all, txtar.Parse([]byte(together))) {
		s := newSpace(t, string(txtar.Format(a)))
		ix := s.open()
		s.sync(ix)
		s.sameThinly(ix)
	}
}

// TestThinAfterEdits: whatever is edited, the graph is that of a fresh index, where each change is of a
// process that reads only what it reaches. No file declares what another one does: which of them is meant follows their ids.
func TestThinAfterEdits(t *testing.T) {
	_, together := polyglot(t)
	s := newSpace(t, together)
	s.sync(s.open())
	first := map[string]string{}
	for _, f := range txtar.Parse([]byte(together)).Files {
		first[f.Name] = string(f.Data)
	}
	files := slices.Sorted(maps.Keys(first))
	random := rand.New(rand.NewPCG(3, 4))
	rounds := 120
	if testing.Short() {
		rounds = 30
	}
	thin := 0
	for round := range rounds {
		var did []string
		for range 1 + random.IntN(3) {
			p := files[random.IntN(len(files))]
			was, err := os.ReadFile(filepath.Join(s.root, p))
			lines := strings.SplitAfter(string(was), "\n")
			at := random.IntN(len(lines))
			kind := random.IntN(12)
			did = append(did, fmt.Sprintf("%d of %s at %d", kind, p, at))
			switch {
			case err != nil, kind == 0:
				s.write(p, first[p])
			case kind == 1:
				s.remove(p)
			case kind == 2: // a declaration less, or a use
				s.write(p, strings.Join(slices.Delete(lines, at, at+1), ""))
			case kind == 3: // two of them
				s.write(p, strings.Join(slices.Insert(lines, at, lines[at]), ""))
			case kind == 4: // another name
				words := strings.FieldsFunc(first[p], func(r rune) bool { return !unicode.IsLetter(r) })
				s.write(p, strings.ReplaceAll(string(was), words[random.IntN(len(words))], words[random.IntN(len(words))]))
			case kind == 5: // a use less at the end of a line
				s.write(p, strings.Replace(string(was), lines[at], strings.TrimSuffix(lines[at], ")\n")+"\n", 1))
			default: // all of it elsewhere
				s.write(p, strings.Repeat("\n", 1+random.IntN(4))+string(was))
			}
		}
		ix := s.open()
		if s.sync(ix).Reached > 0 {
			thin++
		}
		got, err := s.stored()
		check(t, err)
		if want := s.fresh(); got != want {
			t.Fatalf("round %d, %q:\n%s", round, did, difference(got, want))
		}
		state, err := ix.State(t.Context())
		check(t, err)
		if is := s.graph(ix).Counts(); state.Counts != is {
			t.Fatalf("round %d, %q: counted %+v, it has %+v", round, did, state.Counts, is)
		}
		check(t, ix.Close())
	}
	if thin < rounds/5 {
		t.Errorf("only %d of %d rounds read less than all", thin, rounds)
	}
}

// stored writes the graph as another process finds it.
func (s *space) stored() (string, error) {
	ix := s.open()
	return dump(s.graph(ix)), ix.Close()
}

// TestThinReadsLittle: what is read for a changed file grows with what that reaches, not with the workspace.
func TestThinReadsLittle(t *testing.T) {
	s := newSpace(t, shop)
	for i := range 100 {
		s.write(fmt.Sprintf("many/f%d.py", i), fmt.Sprintf("def alone%d():\n    pass\n", i))
		s.write(fmt.Sprintf("many/p%d/f.go", i), fmt.Sprintf("package p%d\n\nfunc Alone() {}\n", i))
		s.write(fmt.Sprintf("many/f%d.ts", i), fmt.Sprintf("export function alone%d() {}\n", i))
		s.write(fmt.Sprintf("many/C%d.java", i), fmt.Sprintf("class C%d {}\n", i))
	}
	s.sync(s.open())
	for _, file := range []string{"auth/token.go", "web/app.ts", "py/main.py"} {
		s.write(file, "\n"+s.read(file))
		if r := s.sync(s.open()); r.Reached == 0 || r.Reached > 6 {
			t.Errorf("%s: the declarations of %d files were read", file, r.Reached)
		}
	}
}
