package resolve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/must"
)

// edgesOf are the edges of a file, which must bring out no fault.
func edgesOf(t testing.TB, r *Resolver, f *File, facts *extract.Facts) []Edge {
	t.Helper()
	edges, err := r.Edges(t.Context(), f, facts)
	if err != nil {
		t.Fatalf("%s: %v", f.Path, err)
	}
	return edges
}

// pairsOf are the dispatch pairs of a table, which must bring out no fault.
func pairsOf(t testing.TB, table *Table) [][2]Node {
	t.Helper()
	pairs, faults := table.Dispatch()
	for path, err := range faults {
		t.Fatalf("%s: %v", path, err)
	}
	return pairs
}

// whole resolves texts as the files of a workspace; what they bring out is a
// failure.
func whole(t testing.TB, lang string, texts ...[]byte) {
	t.Helper()
	l, ok := grammars.ByID(lang)
	if !ok || len(l.Extensions) == 0 {
		return
	}
	var paths []string
	for i := range texts {
		paths = append(paths, fmt.Sprintf("src/f%d%s", i, l.Extensions[0]))
	}
	table := NewTable(NewProject(paths, func(string) ([]byte, error) { return nil, os.ErrNotExist }))
	var files []*File
	var all []*extract.Facts
	for i, text := range texts {
		facts, err := extract.ParseFacts(t.Context(), lang, text)
		switch {
		case fault.Is(err):
			t.Fatalf("%s: %v\n%s", lang, err, text)
		case errors.Is(err, extract.ErrSlow): // a grammar's own fault, which is bounded
			t.Logf("%s: %v", lang, err)
			continue
		case err != nil:
			continue // binary, too large
		}
		locals := make([]int32, len(facts.Symbols))
		for j := range locals {
			locals[j] = int32(j + 1)
		}
		files, all = append(files, table.Add(paths[i], int32(i+1), facts, locals)), append(all, facts)
	}
	r := NewResolver(table)
	for i, f := range files {
		if _, err := r.Edges(t.Context(), f, all[i]); err != nil {
			t.Fatalf("%s: %v\n%s", f.Path, err, bytes.Join(texts, []byte("\n-- next --\n")))
		}
	}
	for path, err := range second(table.Dispatch()) {
		t.Fatalf("%s: %v\n%s", path, err, bytes.Join(texts, []byte("\n-- next --\n")))
	}
}

func second[A, B any](_ A, b B) B { return b }

// samples are the sources of each language's tests, torn ones too, and real ones
// where RESOLVE_SOURCES names a folder of them.
func samples(t testing.TB) map[string][][]byte {
	t.Helper()
	names, err := filepath.Glob("../../grammars/*/testdata/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	out := map[string][][]byte{}
	for _, name := range names {
		lang := filepath.Base(filepath.Dir(filepath.Dir(name)))
		if strings.HasSuffix(name, ".snap") || strings.HasSuffix(name, ".refs") {
			continue
		}
		text := must.Read(t, name)
		out[lang] = append(out[lang], text)
	}
	if dir := os.Getenv("RESOLVE_SOURCES"); dir != "" {
		realSources(t, dir, out)
	}
	return out
}

// Bounds of what is taken of real sources.
const (
	maxReal     = 24 << 10 // bytes of a file
	realOfALang = 400
)

// realSources adds the sources below a folder, of each language some.
func realSources(t testing.TB, dir string, out map[string][][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		l, ok := grammars.ForPath(name)
		if info, err := d.Info(); !ok || err != nil || info.Size() > maxReal || len(out[l.ID]) >= realOfALang {
			return err
		}
		text, err := os.ReadFile(name)
		out[l.ID] = append(out[l.ID], text)
		return err
	})
	must.OK(t, err)
}

// pieces are put where a mutation puts something.
var pieces = []string{"(", ")", "[", "]", "{", "}", "<", ">", ".", "::", "->", "=>", "=", ",", ";", ":", "\"", "'", "`", "\\", "$", "#", "@", "*", "&", "?", "\n", "\t", "  ",
	"[]", "()", "{}", "<>", "[0]", ".get", ".values()", "class A", "A", "super", "self", "this", "import a", "new", "await ", "lambda: ", "\x80", "é", "()()", "||", "??"}

// mutate changes a text in a few places, with parts of another one.
func mutate(r *rand.Rand, text, other []byte) []byte {
	out := bytes.Clone(text)
	for range 1 + r.IntN(6) {
		at := r.IntN(len(out) + 1)
		end := min(len(out), at+r.IntN(40))
		switch r.IntN(7) {
		case 0: // gone
			out = slices.Delete(out, at, end)
		case 1: // torn off
			if r.IntN(4) == 0 {
				out = out[:at]
			}
		case 2: // twice
			out = slices.Insert(out, at, bytes.Clone(out[at:end])...)
		case 3, 4:
			out = slices.Insert(out, at, []byte(pieces[r.IntN(len(pieces))])...)
		case 5: // of the other
			if len(other) > 0 {
				from := r.IntN(len(other))
				out = slices.Insert(out, at, other[from:min(len(other), from+r.IntN(120))]...)
			}
		case 6:
			out = slices.Replace(out, at, end, []byte(pieces[r.IntN(len(pieces))])...)
		}
	}
	return out
}

// TestMutations resolves samples of all languages with a few places changed: no
// text may bring out a fault. More seeds are tried with FuzzMutations.
func TestMutations(t *testing.T) {
	all := samples(t)
	for _, lang := range slices.Sorted(maps.Keys(all)) {
		t.Run(lang, func(t *testing.T) {
			trials := uint64(12)
			if os.Getenv("RESOLVE_SOURCES") != "" {
				trials = 150
			} else if testing.Short() {
				trials = 4
			}
			for seed := range trials {
				mutated(t, lang, all[lang], seed)
			}
		})
	}
}

// mutated is one trial: two samples of a language, changed, in one workspace.
func mutated(t testing.TB, lang string, texts [][]byte, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 14))
	a, b := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
	whole(t, lang, mutate(r, a, b), mutate(r, b, a))
}

// FuzzMutations is TestMutations with any seed.
func FuzzMutations(f *testing.F) {
	all := samples(f)
	langs := slices.Sorted(maps.Keys(all))
	for i := range langs {
		f.Add(uint8(i), uint64(1))
	}
	f.Fuzz(func(t *testing.T, lang uint8, seed uint64) {
		l := langs[int(lang)%len(langs)]
		mutated(t, l, all[l], seed)
	})
}

// FuzzResolve resolves any text as any language.
func FuzzResolve(f *testing.F) {
	all := samples(f)
	langs := slices.Sorted(maps.Keys(all))
	for i, l := range langs {
		for _, text := range all[l] {
			f.Add(uint8(i), text, text)
		}
	}
	f.Fuzz(func(t *testing.T, lang uint8, a, b []byte) {
		if len(a)+len(b) > 20_000 {
			return
		}
		whole(t, langs[int(lang)%len(langs)], a, b)
	})
}

// TestFaultIsTheFilesOwn holds that a panic in one file leaves a resolver that is
// as good as new for the next one.
func TestFaultIsTheFilesOwn(t *testing.T) {
	src := []byte("package a\n\nfunc F() { G() }\n\nfunc G() {}\n")
	table := NewTable(NewProject([]string{"a/a.go", "b/b.go"}, func(string) ([]byte, error) { return nil, os.ErrNotExist }))
	facts, err := extract.ParseFacts(context.Background(), "go", src)
	must.OK(t, err)
	a, b := table.Add("a/a.go", 1, facts, []int32{1, 2}), table.Add("b/b.go", 2, facts, []int32{1, 2})
	ctx := fault.WithProbe(t.Context(), func(stage, path string) {
		if stage == fault.Resolve && path == "a/a.go" {
			panic("injected")
		}
	})
	r := NewResolver(table)
	if edges, err := r.Edges(ctx, a, facts); !fault.Is(err) || edges != nil || !strings.Contains(err.Error(), "injected at ") || !strings.Contains(err.Error(), "fault_test.go:") {
		t.Errorf("%v, %v", edges, err)
	}
	if edges := edgesOf(t, r, b, facts); len(edges) != 1 || edges[0].To != b.Symbols[1] {
		t.Errorf("%+v", edges)
	}
}

// TestManyBases holds that a long chain of types that embed each other, over many
// files, is walked without a frame of the stack for each.
func TestManyBases(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	const n = 20_000
	var b strings.Builder
	b.WriteString("package a\n\ntype I interface{ M() }\n\ntype T0 struct{}\n\nfunc (T0) M() {}\n\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "type T%d struct{ T%d }\n", i, i-1)
	}
	start := time.Now()
	whole(t, "go", []byte(b.String()))
	t.Logf("%d types in %s", n, time.Since(start).Round(time.Millisecond))
}

// TestFaultOfABuildFile holds that a panic in one build file is that file's own.
func TestFaultOfABuildFile(t *testing.T) {
	files := map[string]string{"go.mod": "module example.com/a\n", "web/tsconfig.json": `{"extends": "./base.json"}`}
	p := NewProject(slices.Sorted(maps.Keys(files)), func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			panic("no " + name)
		}
		return []byte(text), nil
	})
	if got := p.Faults(); len(got) != 1 || !fault.Is(got["web/tsconfig.json"]) {
		t.Errorf("%v", got)
	}
	if len(p.goModules) != 1 {
		t.Errorf("%+v", p.goModules)
	}
}
