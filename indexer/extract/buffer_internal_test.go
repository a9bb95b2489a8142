package extract

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"manicule/grammars"
	"manicule/indexer/must"
)

// sources is a tree of real files on which TestEditing runs too.
var sources = flag.String("sources", "", "a folder of source files for TestEditing, beside the samples")

// script makes random edits of a text, such as a person makes them: most leave
// the syntax whole, some break it, and most of those are taken back.
type script struct {
	random *rand.Rand
	whole  []byte // the last text without errors, nil while there was none
	broken bool   // the present one has errors
}

// next says which text[start:end] becomes what.
func (s *script) next(text []byte) (start, end int, insert []byte) {
	if s.broken && s.whole != nil && s.random.IntN(4) > 0 {
		if h := diffHunk(text, s.whole); len(h) > 0 {
			return h[0].start, h[0].end, s.whole[h[0].now : h[0].now+h[0].length]
		}
	}
	at := s.random.IntN(len(text) + 1)
	line := bytes.LastIndexByte(text[:at], '\n') + 1
	lineEnd := len(text)
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		lineEnd = at + n + 1
	}
	word := at
	for word < len(text) && !wordByte(text[word]) {
		word++
	}
	switch s.random.IntN(14) {
	case 0, 1, 2: // a letter more in a word
		return word, word, []byte("x")
	case 3: // a letter less
		return word, min(word+1, len(text)), nil
	case 4: // a letter of more than one byte
		return word, word, []byte([]string{"é", "漢字"}[s.random.IntN(2)])
	case 5: // a line again
		return lineEnd, lineEnd, text[line:lineEnd]
	case 6, 7: // an empty line
		return line, line, []byte([]string{"\n", "\r\n", "\n\n\n"}[s.random.IntN(3)])
	case 8: // a line less
		return line, lineEnd, nil
	case 9: // white space at the end of a line
		return max(line, lineEnd-1), max(line, lineEnd-1), []byte("  ")
	case 10: // what may stand nowhere
		return at, at, []byte([]string{"😀", "\u2028", "\xff", "\\"}[s.random.IntN(4)])
	case 11: // punctuation
		return at, at, []byte([]string{"{", "}", "(", ")", "\"", "'", "`", ";", "/*", "*/", "#", "<<EOF\n", "\t"}[s.random.IntN(13)])
	case 12: // a piece from elsewhere
		from := s.random.IntN(len(text) + 1)
		return at, min(len(text), at+s.random.IntN(20)), text[from:min(len(text), from+s.random.IntN(80))]
	}
	return at, min(len(text), at+s.random.IntN(200)), nil // a block less
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'
}

// sameFacts compares all that callers see of two parses.
func sameFacts(t testing.TB, what string, got, want *Facts) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(File{}), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%s: an incremental parse gives something else than a parse of the whole (-whole +incremental):\n%s", what, d)
	}
}

// editing types a script into a text and compares after each parse. It returns
// how many of the texts had no errors.
func editing(t testing.TB, name, lang string, text []byte, seed uint64, steps int) (same int) {
	buffers := NewBuffers(1 << 30)
	buffers.minIncremental = 0
	b := buffers.Open(lang)
	defer b.Close()
	s := &script{random: rand.New(rand.NewPCG(seed, 1))}
	if f, err := Parse(t.Context(), lang, text); err == nil && len(f.Errors) == 0 {
		s.whole = text
	}
	for step := range steps {
		revision := 0
		for range 1 + s.random.IntN(3)*s.random.IntN(2) {
			start, end, insert := s.next(text)
			text = slices.Concat(text[:start], insert, text[end:])
			revision = b.Record(Edit{Start: start, OldEnd: end, NewLen: len(insert)})
		}
		got, err := b.ParseFacts(t.Context(), revision, text)
		if err != nil {
			t.Fatalf("%s, step %d: %v", name, step, err)
		}
		want, err := ParseFacts(t.Context(), lang, text)
		if err != nil {
			t.Fatalf("%s, step %d: %v", name, step, err)
		}
		if s.broken = len(want.Errors) > 0; !s.broken {
			s.whole = text
			same++
		}
		sameFacts(t, fmt.Sprintf("%s, step %d", name, step), got, want)
		if step%8 == 0 {
			sameTree(t, fmt.Sprintf("%s, step %d", name, step), b, lang, revision, text)
		}
	}
	return same
}

// sameTree compares a revision's symbols and syntax tree with those of the whole text.
func sameTree(t testing.TB, what string, b *Buffer, lang string, revision int, text []byte) {
	t.Helper()
	got, tree, err := b.ParseTree(t.Context(), revision, text)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	want, whole, err := ParseTree(t.Context(), lang, text)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(File{})); d != "" {
		t.Fatalf("%s: other symbols (-whole +incremental):\n%s", what, d)
	}
	if !slices.Equal(tree.Nodes, whole.Nodes) || !slices.Equal(tree.Tokens, whole.Tokens) {
		t.Fatalf("%s: another tree than that of a parse of the whole", what)
	}
}

// TestEditing holds that following edits changes nothing: random scripts over
// real files of every language, half of them with CRLF line ends.
func TestEditing(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	add := func(dir string) {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if l, ok := grammars.ForPath(p); ok {
				files[p] = l.ID
			}
			return nil
		})
		must.OK(t, err)
	}
	for _, l := range grammars.All() {
		add(filepath.Join("..", "..", "grammars", l.ID, "testdata"))
	}
	add(filepath.Join("..", "resolve"))
	if *sources != "" {
		add(*sources)
	}
	steps := 12
	if testing.Short() {
		steps = 2
	}
	whole, all := map[string]int{}, map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(files)) {
		src := must.Read(t, name)
		if len(src) > 30<<10 || len(src) == 0 || testing.Short() && i%3 != 0 {
			continue
		}
		if i%2 == 1 {
			src = bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
		}
		whole[files[name]] += editing(t, name, files[name], src, uint64(i), steps)
		all[files[name]] += steps
	}
	for _, l := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %d of %d texts without errors", l, whole[l], all[l])
	}
	if whole["go"] < all["go"]/4 {
		t.Error("too few texts are without errors: the others are parsed whole, and show nothing")
	}
}

// FuzzEditing types what the fuzzer says into a text.
func FuzzEditing(f *testing.F) {
	f.Add("go", []byte("package a\n\nfunc f() {}\n"), []byte("x := 1\n"), uint64(9), uint64(2))
	f.Add("python", []byte("def f():\n    return 'é'\n"), []byte("\r\n  漢"), uint64(7), uint64(30))
	f.Add("yaml", []byte("a:\n  - b: 1\n"), []byte("  c: |\n"), uint64(3), uint64(0))
	f.Add("markdown", []byte("# A\n\n```go\nx\n```\n"), []byte("\n## B\n"), uint64(4), uint64(1))
	f.Add("bash", []byte("cat <<EOF\na\nEOF\n"), []byte("EOF\n"), uint64(10), uint64(0))
	f.Fuzz(func(t *testing.T, lang string, text, insert []byte, places, lengths uint64) {
		if _, err := ParseFacts(t.Context(), lang, text); err != nil || len(text) > 4<<10 || len(insert) > 256 {
			return
		}
		owner := NewBuffers(1 << 20)
		owner.minIncremental = 0
		b := owner.Open(lang)
		defer b.Close()
		for range 4 {
			at := int(places % uint64(len(text)+1))
			end := min(len(text), at+int(lengths%32))
			text = slices.Concat(text[:at], insert, text[end:])
			places, lengths = places/7+13, lengths/5
			revision := b.Record(Edit{Start: at, OldEnd: end, NewLen: len(insert)})
			want, err := ParseFacts(t.Context(), lang, text)
			got, gotErr := b.ParseFacts(t.Context(), revision, text)
			if err != nil || gotErr != nil {
				if (err == nil) != (gotErr == nil) {
					t.Fatalf("whole %v, incremental %v", err, gotErr)
				}
				return
			}
			sameFacts(t, lang, got, want)
		}
	})
}

// TestCompose holds that edits one after another are the hunks between the
// first text and the last.
func TestCompose(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		old := bytes.Repeat([]byte("ab\ncd"), 1+random.IntN(6))
		text, hunks := old, []hunk(nil)
		for n := range 1 + random.IntN(6) {
			start := random.IntN(len(text) + 1)
			end := start + random.IntN(len(text)-start+1)
			insert := bytes.Repeat([]byte{byte('0' + n), '\n'}, random.IntN(3))
			text = slices.Concat(text[:start], insert, text[end:])
			hunks = compose(hunks, Edit{Start: start, OldEnd: end, NewLen: len(insert)})
		}
		for _, all := range [][]hunk{hunks, wholeLines(hunks, old), diffHunk(old, text)} {
			if !explains(all, old, text) {
				t.Fatalf("%+v do not lead from %q to %q", all, old, text)
			}
		}
		for _, h := range wholeLines(hunks, old) {
			if h.end < len(old) && old[h.end-1] != '\n' {
				t.Fatalf("%+v does not end with a line", h)
			}
		}
	}
}

// TestKept holds that the trees of few texts are kept, and of none that is
// closed or was not edited.
func TestKept(t *testing.T) {
	text := append([]byte("package a\n"), bytes.Repeat([]byte("\nfunc f() { f() }\n"), 600)...)
	owner := NewBuffers(3 * len(text))
	var all []*Buffer
	for range 5 {
		b := owner.Open("go")
		all = append(all, b)
		if _, err := b.ParseFacts(t.Context(), 0, text); err != nil || b.tree != nil {
			t.Fatalf("a text that nobody edits has a tree, %v", err)
		}
		if _, err := b.ParseFacts(t.Context(), b.Record(Edit{OldEnd: 1, NewLen: 1}), text); err != nil || b.tree == nil {
			t.Fatalf("an edited text has no tree, %v", err)
		}
	}
	has := func() (n int) {
		for _, b := range all {
			if b.tree != nil {
				n++
			}
		}
		return n
	}
	if has() != 3 || owner.bytes != 3*len(text) || all[0].tree != nil {
		t.Errorf("%d trees of %d bytes", has(), owner.bytes)
	}
	owner.DropAll()
	if has() != 0 || owner.bytes != 0 || len(owner.kept) != 0 {
		t.Errorf("%d trees of %d bytes while nobody types", has(), owner.bytes)
	}
	for _, b := range all[:2] {
		if _, err := b.ParseFacts(t.Context(), b.Record(Edit{OldEnd: 1, NewLen: 1}), text); err != nil || b.tree == nil {
			t.Errorf("no tree after a rest: %v", err)
		}
	}
	if has() != 2 || owner.bytes != 2*len(text) {
		t.Errorf("%d trees of %d bytes after a rest", has(), owner.bytes)
	}
	for _, b := range all {
		b.Close()
		b.Close()
		if _, err := b.ParseFacts(t.Context(), b.Record(Edit{}), text); err != nil {
			t.Error(err)
		}
	}
	if has() != 0 || owner.bytes != 0 || len(owner.kept) != 0 {
		t.Errorf("%d trees of %d bytes after all were closed", has(), owner.bytes)
	}
}

// TestSpokenWhileEdited holds a header that becomes one of C++ while it is
// edited to what a parse from nothing gives.
func TestSpokenWhileEdited(t *testing.T) {
	owner := NewBuffers(DefaultKept)
	owner.minIncremental = 0
	b := owner.Open("c")
	defer b.Close()
	texts := []string{"int f(void);\n", "int g(void);\n", "class A { int g(void); };\n", "class A { int h(void); };\n", "int h(void);\n"}
	revision := 0
	for i, text := range texts {
		if i > 0 {
			revision = b.Record(Edit{Start: 0, OldEnd: len(texts[i-1]), NewLen: len(text)})
		}
		got, err := b.Parse(t.Context(), revision, []byte(text))
		must.OK(t, err)
		want, err := Parse(t.Context(), "c", []byte(text))
		must.OK(t, err)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(File{})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		sameTree(t, text, b, "c", revision, []byte(text))
		if read, _, err := b.ParseTree(t.Context(), revision, []byte(text)); err != nil || read.Language != want.Language {
			t.Errorf("%q is read as %v (%v), and parsed as %s", text, read, err, want.Language)
		}
	}
}
