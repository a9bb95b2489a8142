package extract_test

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "write the golden files")

// samples lists the sample files of all languages.
func samples(t testing.TB) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, l := range grammars.All() {
		files, err := filepath.Glob(filepath.Join("..", "..", "grammars", l.ID, "testdata", "*"))
		must.OK(t, err)
		count := 0
		for _, name := range files {
			if ext := filepath.Ext(name); ext != ".snap" && ext != ".refs" {
				found[name] = l.ID
				count++
			}
		}
		if count == 0 {
			t.Errorf("%s has no samples", l.ID)
		}
	}
	return found
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	src := must.Read(t, name)
	return src
}

func parse(t testing.TB, lang string, src []byte) *extract.File {
	t.Helper()
	f, err := extract.Parse(t.Context(), lang, src)
	must.OK(t, err)
	return f
}

// TestSnapshots compares each sample, with a caret line below each name, with
// the file beside it.
func TestSnapshots(t *testing.T) {
	for name, lang := range samples(t) {
		t.Run(lang+"/"+filepath.Base(name), func(t *testing.T) {
			src := read(t, name)
			got := snapshot(src, parse(t, lang, src))
			golden := name + ".snap"
			if *update {
				must.Write(t, golden, got)
				return
			}
			want := string(read(t, golden))
			if got != want {
				t.Errorf("differs from %s; run with -update and read the change\n%s", golden, firstDifference(got, want))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

// snapshot writes a source with what was extracted below each line.
func snapshot(src []byte, f *extract.File) string {
	var out strings.Builder
	line := func(offset int) int { return bytes.Count(src[:offset], []byte{'\n'}) + 1 }
	at := 0
	for text := range strings.Lines(string(src)) {
		out.WriteString(strings.TrimRight(text, "\n") + "\n")
		end := at + len(text)
		for _, s := range f.Symbols {
			if s.NameStart < at || s.NameStart >= end {
				continue
			}
			out.WriteString(caret(src, at, s.NameStart, s.NameEnd))
			fmt.Fprintf(&out, " %s %s", s.Kind, s.Path)
			if s.Ordinal > 0 {
				fmt.Fprintf(&out, "#%d", s.Ordinal)
			}
			if s.Arity >= 0 {
				fmt.Fprintf(&out, " arity %d", s.Arity)
			}
			fmt.Fprintf(&out, ", lines %d-%d", line(s.Start), line(s.End-1))
			if s.DocStart < s.Start {
				fmt.Fprintf(&out, ", doc from %d", line(s.DocStart))
			}
			fmt.Fprintf(&out, " | %s\n", s.Signature)
		}
		for _, i := range f.Imports {
			if i.Start >= at && i.Start < end {
				fmt.Fprintf(&out, "%s import, lines %d-%d\n", caret(src, at, i.Start, i.Start+1), line(i.Start), line(i.End-1))
			}
		}
		for _, e := range f.Errors {
			if e.Start >= at && e.Start < end {
				fmt.Fprintf(&out, "%s error, %d bytes\n", caret(src, at, e.Start, e.Start+1), e.End-e.Start)
			}
		}
		at = end
	}
	return out.String()
}

// caret is a line with carets below src[from:to]; tabs are kept so that it lines up.
func caret(src []byte, lineStart, from, to int) string {
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(src[lineStart:from]))
	return indent + strings.Repeat("^", max(1, len([]rune(string(src[from:min(to, len(src))])))))
}

// TestReferenceSnapshots does the same for the uses of names, in a file of their own.
func TestReferenceSnapshots(t *testing.T) {
	for name, lang := range samples(t) {
		t.Run(lang+"/"+filepath.Base(name), func(t *testing.T) {
			src := read(t, name)
			f, err := extract.ParseFacts(t.Context(), lang, src)
			must.OK(t, err)
			got := references(src, f)
			golden := name + ".refs"
			if *update {
				must.Write(t, golden, got)
				return
			}
			if want := string(read(t, golden)); got != want {
				t.Errorf("differs from %s; run with -update and read the change\n%s", golden, firstDifference(got, want))
			}
		})
	}
}

// references writes the lines of a source in which names are used, imported or
// bound, with what was extracted below.
func references(src []byte, f *extract.Facts) string {
	var out strings.Builder
	if f.Package != "" {
		fmt.Fprintf(&out, "package %s\n", f.Package)
	}
	at := 0
	for text := range strings.Lines(string(src)) {
		end := at + len(text)
		var notes strings.Builder
		inside := func(offset int) bool { return at <= offset && offset < end }
		for _, i := range f.Uses {
			if inside(i.Start) {
				fmt.Fprintf(&notes, "%s import %q name %q alias %q reexport %v\n", caret(src, at, i.Start, i.Start+1), i.Module, i.Name, i.Alias, i.Reexport)
			}
		}
		for _, b := range f.Binds {
			if inside(b.Start) {
				fmt.Fprintf(&notes, "%s bind %s type %q value %q result %d each %v to line %d\n", caret(src, at, b.Start, b.Start+len(b.Name)),
					b.Name, b.Type, b.Value, b.Result, b.Each, bytes.Count(src[:min(b.Scope.End, len(src))], []byte{'\n'})+1)
			}
		}
		for _, r := range f.Refs {
			if inside(r.Start) {
				in := "-"
				if r.In >= 0 {
					in = f.Symbols[r.In].Path
				}
				fmt.Fprintf(&notes, "%s %s %s", caret(src, at, r.Start, r.End), r.Kind, r.Name)
				if r.Recv != "" {
					fmt.Fprintf(&notes, " of %q", r.Recv)
				}
				fmt.Fprintf(&notes, " in %s\n", in)
			}
		}
		if notes.Len() > 0 {
			out.WriteString(strings.TrimRight(text, "\n") + "\n" + notes.String())
		}
		at = end
	}
	return out.String()
}
