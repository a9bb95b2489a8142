package extract

import (
	"bytes"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"manicule/grammars"
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
		if h := difference(text, s.whole); len(h) > 0 {
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

// edit types a script into a text and compares after each parse.
func editing(t testing.TB, name, lang string, text []byte, seed uint64, steps int) (same int) {
	buffers := NewBuffers(1 << 30)
	buffers.least = 0
	b := buffers.Open(lang)
	defer b.Close()
	s := &script{random: rand.New(rand.NewPCG(seed, 1))}
	for step := range steps {
		revision := 0
		for range 1 + s.random.IntN(3)*s.random.IntN(2) {
			start, end, insert := s.next(text)
			text = slices.Concat(text[:start], insert, text[end:])
			revision = b.Note(Edit{Start: start, OldEnd: end, NewLen: len(insert)})
		}
		got, err := b.Index(t.Context(), revision, text)
		if err != nil {
			t.Fatalf("%s, step %d: %v", name, step, err)
		}
		want, err := Index(t.Context(), lang, text)
		if err != nil {
			t.Fatalf("%s, step %d: %v", name, step, err)
		}
		if s.broken = len(want.Errors) > 0; !s.broken {
			s.whole = text
			same++
		}
		if os.Getenv("EXPLORE") != "" {
			if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(File{}), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("MISMATCH %s %s step %d errors %d/%d", lang, name, step, len(want.Errors), len(got.Errors))
				return
			}
			continue
		}
		sameFacts(t, name, got, want)
	}
	return same
}

func TestEditing(t *testing.T) {
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
		if err != nil {
			t.Fatal(err)
		}
	}
	add(filepath.Join("..", "..", "grammars"))
	if *sources != "" {
		add(*sources)
	}
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	whole, all := map[string]int{}, map[string]int{}
	for i, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(src) > 30<<10 || len(src) == 0 {
			continue
		}
		for variant, text := range [][]byte{src, []byte(strings.ReplaceAll(string(src), "\n", "\r\n"))} {
			whole[files[name]] += editing(t, name, files[name], text, uint64(i*2+variant), 30)
			all[files[name]] += 30
		}
	}
	for l, n := range whole {
		t.Logf("%s: %d of %d steps without errors", l, n, all[l])
	}
}
