package extract_test

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/must"
)

func TestGuards(t *testing.T) {
	tests := map[string]struct {
		lang string
		src  []byte
		want error
	}{
		"unknown language": {"cobol", []byte("x"), extract.ErrUnsupported},
		"no language":      {"", nil, extract.ErrUnsupported},
		"binary":           {"go", []byte("package a\x00"), extract.ErrBinary},
		"too large":        {"python", bytes.Repeat([]byte("x=1\n"), extract.MaxSize/4+1), extract.ErrTooLarge},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := extract.Parse(t.Context(), test.lang, test.src); !errors.Is(err, test.want) {
				t.Errorf("Parse: %v", err)
			}
			if _, err := extract.HashTokens(t.Context(), test.lang, test.src, extract.Span{}); !errors.Is(err, test.want) {
				t.Errorf("Tokens: %v", err)
			}
		})
	}
}

func TestEveryLanguageHasAGrammar(t *testing.T) {
	for _, l := range grammars.All() {
		if f := parse(t, l.ID, nil); len(f.Symbols)+len(f.Imports)+len(f.Errors) > 0 || f.Language != l.ID {
			t.Errorf("%s: empty source gives %+v", l.ID, f)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extract.Parse(ctx, "go", []byte("package a")); !errors.Is(err, context.Canceled) {
		t.Errorf("Parse: %v", err)
	}
	// A parse that is stopped on its way must not spoil the next one.
	src := []byte("package a\n" + strings.Repeat("func f() { g(1, 2, 3) }\n", 60000))
	ctx, cancel = context.WithCancel(t.Context())
	var stopped sync.WaitGroup
	stopped.Go(func() {
		if _, err := extract.Parse(ctx, "go", src); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Parse: %v", err)
		}
	})
	cancel()
	stopped.Wait()
	if f := parse(t, "go", []byte("package a\nfunc f() {}\n")); len(f.Symbols) != 1 {
		t.Errorf("got %+v", f.Symbols)
	}
}

func TestConcurrentUse(t *testing.T) {
	src := read(t, filepath.Join("..", "..", "grammars", "typescript", "testdata", "api.ts"))
	want := len(parse(t, "typescript", src).Symbols)
	shared := parse(t, "typescript", src)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			f, err := extract.Parse(t.Context(), "typescript", src)
			if err != nil || len(f.Symbols) != want {
				t.Errorf("got %v, want %d symbols", err, want)
			}
			if _, err := shared.TokenHash(t.Context(), src, extract.Span{End: len(src)}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestFindAndAt(t *testing.T) {
	src := []byte("package a\n\n// Doc.\nfunc init() {}\n\nfunc init() { x() }\n\ntype T struct{ f int }\n")
	f := parse(t, "go", src)
	first, ok := f.Find("init", 0)
	if second, ok2 := f.Find("init", 1); !ok || !ok2 || second.Start <= first.Start {
		t.Errorf("init is found as %v and %v", first, second)
	}
	if _, ok := f.Find("init", 2); ok {
		t.Error("a third init is found")
	}
	tests := map[string]string{"Doc": "init", "x()": "init", "T struct": "T", "f int": "T.f", "package": ""}
	for text, want := range tests {
		s, _ := f.At(bytes.Index(src, []byte(text)))
		if s.Path != want {
			t.Errorf("at %q is %q, want %q", text, s.Path, want)
		}
	}
	if _, ok := f.At(len(src) + 5); ok {
		t.Error("a symbol is behind the end")
	}
}

// TestAgainstGoParser compares the symbols of real files with what Go's own
// parser says of them.
func TestAgainstGoParser(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("Go is not installed")
	}
	goroot := strings.TrimSpace(string(out))
	for _, folder := range []string{"net/url", "encoding/json", "sync", "strconv", "text/template/parse"} {
		files, err := filepath.Glob(filepath.Join(goroot, "src", filepath.FromSlash(folder), "*.go"))
		must.OK(t, err)
		if len(files) == 0 {
			t.Skip("Go's sources are not installed")
		}
		for _, name := range files {
			src := read(t, name)
			want := goSymbols(t, name, src)
			var got []string
			for _, s := range parse(t, "go", src).Symbols {
				if s.Parent < 0 {
					got = append(got, s.Path)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

func goSymbols(t *testing.T, name string, src []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	must.OK(t, err)
	var paths []string
	add := func(path string) {
		if path != "_" {
			paths = append(paths, path)
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			add(receiver(d) + d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						add(n.Name)
					}
				}
			}
		}
	}
	slices.Sort(paths)
	return paths
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	kind := d.Recv.List[0].Type
	for {
		switch k := kind.(type) {
		case *ast.StarExpr:
			kind = k.X
		case *ast.IndexExpr:
			kind = k.X
		case *ast.IndexListExpr:
			kind = k.X
		case *ast.Ident:
			return k.Name + "."
		default:
			return "?."
		}
	}
}

// TestTornSourcesKeepSymbols takes a bracket out of a file, at up to so many
// places of it. At most the declaration around it, with what is in it, may be lost.
func TestTornSourcesKeepSymbols(t *testing.T) {
	t.Parallel()
	places := 50
	if testing.Short() {
		places = 30
	}
	for name, lang := range samples(t) {
		if filepath.Ext(name) == ".txt" {
			continue
		}
		src := read(t, name)
		whole := parse(t, lang, src)
		lost, tries := 0, 0
		var brackets []int
		for at := range src {
			if bytes.ContainsRune([]byte("(){}[]"), rune(src[at])) {
				brackets = append(brackets, at)
			}
		}
		for i := 0; i < len(brackets); i += 1 + len(brackets)/places {
			at := brackets[i]
			torn := slices.Concat(src[:at], src[at+1:])
			f := parse(t, lang, torn)
			tries++
			for _, s := range whole.Symbols {
				if s.Parent >= 0 || s.DocStart <= at && at <= s.End {
					continue
				}
				if _, ok := f.Find(s.Path, 0); !ok {
					lost++
				}
			}
		}
		// Where a nested line begins at the first column, a neighbour may suffer.
		if share := float64(lost) / float64(tries*len(whole.Symbols)); share > 0.01 && lost > 1 { // one of a short file is more
			t.Errorf("%s: %d of %d symbols lost in %d torn files (%.1f %%)", name, lost, tries*len(whole.Symbols), tries, 100*share)
		}
	}
}

// TestLargeBrokenSources once took minutes: one query step over an error node
// with very many children can't be cancelled. The test's own time limit is the check.
func TestLargeBrokenSources(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, lang := range []string{"go", "python"} {
		for _, text := range []string{"(", "x ( ) { ] = \"\n", "func f( {\n"} {
			src := bytes.Repeat([]byte(text), 64<<10/len(text))
			checkFile(t, parse(t, lang, src), src)
		}
	}
	src := slices.Concat([]byte("package a\nfunc first() {}\n"), bytes.Repeat([]byte("var x = 1\n"), 20000), []byte("func last() { ( }\n"))
	f := parse(t, "go", src)
	for _, path := range []string{"first", "last"} {
		if _, ok := f.Find(path, 0); !ok {
			t.Errorf("%s is lost", path)
		}
	}
}

func FuzzParse(f *testing.F) {
	for name, lang := range samples(f) {
		f.Add(lang, read(f, name))
	}
	f.Add("go", []byte("func"))
	f.Add("python", []byte("@\n@x\ndef"))
	f.Fuzz(func(t *testing.T, lang string, src []byte) {
		file, err := extract.Parse(t.Context(), lang, src)
		if err != nil {
			return
		}
		checkFile(t, file, src)
		if _, err := extract.HashTokens(t.Context(), lang, src, extract.Span{Start: len(src) / 3, End: len(src)}); err != nil {
			t.Error(err)
		}
	})
}

// checkFile holds a file to what the types promise.
func checkFile(t *testing.T, f *extract.File, src []byte) {
	t.Helper()
	seen := make(map[string]int)
	last := 0
	for i, s := range f.Symbols {
		if s.DocStart < 0 || s.DocStart > s.Start || s.Start > s.NameStart || s.NameStart >= s.NameEnd || s.NameEnd > s.End || s.End > len(src) {
			t.Fatalf("%d: bad positions %+v", i, s)
		}
		if s.Start < last {
			t.Fatalf("%d: not by start: %+v", i, s)
		}
		last = s.Start
		if s.Parent >= i || s.Parent >= 0 && (f.Symbols[s.Parent].Start > s.Start || f.Symbols[s.Parent].End < s.End) {
			t.Fatalf("%d: bad parent %+v of %+v", i, f.Symbols[max(0, s.Parent)], s)
		}
		if s.Ordinal != seen[s.Path] || s.Name == "" || s.Kind == "" || strings.ContainsAny(s.Signature, "\n\r\t") {
			t.Fatalf("%d: bad symbol %+v", i, s)
		}
		seen[s.Path]++
	}
	for _, s := range slices.Concat(f.Imports, f.Errors) {
		if s.Start < 0 || s.Start > s.End || s.End > len(src) {
			t.Fatalf("bad span %v in %d bytes", s, len(src))
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, l := range grammars.All() {
		var src []byte
		for name, lang := range samples(b) {
			if lang == l.ID && filepath.Ext(name) != ".txt" {
				src = append(src, read(b, name)...)
			}
		}
		src = bytes.Repeat(src, 1+50<<10/len(src))
		b.Run(l.ID, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := extract.Parse(b.Context(), l.ID, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTokens(b *testing.B) {
	src := must.Read(b, "symbols.go")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := extract.HashTokens(b.Context(), "go", src, extract.Span{Start: 0, End: len(src)}); err != nil {
			b.Fatal(err)
		}
	}
}
