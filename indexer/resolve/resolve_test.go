package resolve

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "rewrite the edges of the archives")

// edgesFile is the golden part of an archive.
const edgesFile = "EDGES"

// tableOf puts the files of an archive into a table.
func tableOf(t testing.TB, a *txtar.Archive) (*Table, []*File, []*extract.Facts) {
	t.Helper()
	texts := map[string][]byte{}
	var paths []string
	for _, f := range a.Files {
		if f.Name != edgesFile {
			texts[f.Name] = f.Data
			paths = append(paths, f.Name)
		}
	}
	table := NewTable(NewProject(paths, func(p string) ([]byte, error) {
		if data, ok := texts[p]; ok {
			return data, nil
		}
		return nil, os.ErrNotExist
	}))
	var files []*File
	var all []*extract.Facts
	for i, p := range paths {
		l, ok := grammars.ForPath(p)
		if !ok {
			continue
		}
		facts, err := extract.ParseFacts(t.Context(), l.ID, texts[p])
		must.OK(t, err)
		locals := make([]int32, len(facts.Symbols))
		for j := range locals {
			locals[j] = int32(j + 1)
		}
		files = append(files, table.Add(p, int32(i+1), facts, locals))
		all = append(all, facts)
	}
	return table, files, all
}

func symbolName(s *Symbol) string {
	if s.Kind == "file" {
		return s.File.Path
	}
	return s.File.Path + "#" + s.Path
}

// TestEdges compares the calls, instances and bases of each archive with its
// golden part; types and reads are counted for nothing here.
func TestEdges(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data := must.Read(t, name)
			a := txtar.Parse(data)
			table, files, facts := tableOf(t, a)
			r := NewResolver(table)
			var lines []string
			for i, f := range files {
				for _, e := range edgesOf(t, r, f, facts[i]) {
					if e.Kind != extract.RefCall && e.Kind != extract.RefNew && e.Kind != extract.RefInherit {
						continue
					}
					to := "external " + e.External
					if e.To != nil {
						to = symbolName(e.To)
					}
					if e.May {
						to += fmt.Sprintf(" may %.1f", e.Sure)
					}
					lines = append(lines, fmt.Sprintf("%s:%d %s -> %s %s", f.Path, e.Line, symbolName(e.From), e.Kind, to))
				}
			}
			for _, p := range pairsOf(t, table) {
				lines = append(lines, fmt.Sprintf("%s stands in for %s", nodeName(files, p[0]), nodeName(files, p[1])))
			}
			slices.Sort(lines)
			got := strings.Join(slices.Compact(lines), "\n") + "\n"
			var want []byte
			at := -1
			for i, f := range a.Files {
				if f.Name == edgesFile {
					at, want = i, f.Data
				}
			}
			if *update {
				if at < 0 {
					a.Files = append(a.Files, txtar.File{Name: edgesFile})
					at = len(a.Files) - 1
				}
				a.Files[at].Data = []byte(got)
				must.Write(t, name, txtar.Format(a))
				return
			}
			if !bytes.Equal(want, []byte(got)) {
				t.Errorf("the edges differ; run with -update and read the change\ngot:\n%swant:\n%s", got, want)
			}
		})
	}
}

// TestOrderOfFiles: what is kept from one file for the next has no part in its edges.
func TestOrderOfFiles(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		table, files, facts := tableOf(t, txtar.Parse(must.Read(t, name)))
		alone := make([][]Edge, len(files))
		for i, f := range files {
			alone[i] = edgesOf(t, NewResolver(table), f, facts[i])
		}
		r := NewResolver(table)
		for i := range 3 * len(files) { // forwards, backwards, and each a second time
			at := min(i%(2*len(files)), 2*len(files)-1-i%(2*len(files)))
			for range 2 {
				if got := edgesOf(t, r, files[at], facts[at]); !slices.Equal(got, alone[at]) {
					t.Fatalf("%s, %s: %d edges after other files, %d alone, or others", name, files[at].Path, len(got), len(alone[at]))
				}
			}
		}
	}
}

func nodeName(files []*File, n Node) string {
	for _, f := range files {
		if f.ID == n.File() {
			for _, s := range f.Symbols {
				if s.ID == n.Local() {
					return symbolName(s)
				}
			}
		}
	}
	return "?"
}

// FuzzExpression feeds the reader of expressions and types.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{
		"a.b(c)[0].d", "&pkg.T{A: 1}", "new Foo<Bar>(x).baz", "await x?.y!.z", "func(a int) (b, c) { return }", "map[string][]*T", "x.(T)", "(a: X) => Y",
		"Optional[List[\"T\"]]", "&'a mut Vec<Box<dyn T>>", "T | undefined", "a if b else c", "std::map<K, V>", "\"unclosed", "((((", "a<b<c", "`${x}`",
	} {
		f.Add(s)
	}
	a := txtar.Parse([]byte("-- a.go --\npackage a\n\ntype T struct{ f *T }\n\nfunc (t T) m() T { return t }\n\nfunc b() T { return T{} }\n-- b.ts --\nexport class T { m(): T { return this; } }\n"))
	table, files, _ := tableOf(f, a)
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return
		}
		r := newResolver(table)
		for _, file := range files {
			r.f = file
			r.in(file, nil).typeOfExpr(parseExpr(s))
			r.in(file, nil).parseType(s)
		}
	})
}
