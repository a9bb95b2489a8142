package store

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"manicule/memory/file"
)

// TestMostIndexed: the words of a text are found as far as the word index takes it, and the row
// holds the whole memory. A change and a removal leave the index sound.
func TestMostIndexed(t *testing.T) {
	s, dir := fixture(t, 3)
	memories := filepath.Join(dir, "memories")
	long := sample(7)
	long.Why = "aardvark " + strings.Repeat("sensible prose about nothing ", mostIndexed/29) + "quokka"
	finds := func(word string, want int) {
		t.Helper()
		if _, err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Search(t.Context(), word, 5)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != want {
			t.Errorf("%s: %d memories, want %d", word, len(rows), want)
		}
		for _, r := range rows {
			if m, err := r.Memory(); err != nil || m.Why != long.Why {
				t.Errorf("%s: not the whole memory (%v)", word, err)
			}
		}
	}
	write := func() {
		t.Helper()
		if _, err := file.Write(memories, long); err != nil {
			t.Fatal(err)
		}
	}
	write()
	finds("aardvark", 1)
	finds("quokka", 1) // the last word that it takes
	long.Why = strings.Repeat("zebra ", 9) + long.Why
	write()
	finds("zebra", 1)
	finds("quokka", 0)
	if err := file.Remove(memories, long.RelPath()); err != nil {
		t.Fatal(err)
	}
	finds("zebra", 0)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("the index: %v", err)
	}
}

func TestIndexed(t *testing.T) {
	words := strings.Repeat("word ", mostIndexed/5)
	for name, c := range map[string]struct{ text, want string }{
		"short":                {"a few words", "a few words"},
		"just fits":            {strings.Repeat("x", mostIndexed), strings.Repeat("x", mostIndexed)},
		"ends at a space":      {words + "abcdef", strings.TrimSpace(words)},
		"without a space":      {strings.Repeat("x", mostIndexed+9), strings.Repeat("x", mostIndexed)},
		"between characters":   {"x" + strings.Repeat("é", mostIndexed/2), "x" + strings.Repeat("é", mostIndexed/2-1)},
		"a space at the begin": {"x " + strings.Repeat("y", mostIndexed), "x " + strings.Repeat("y", mostIndexed-2)},
	} {
		if got := indexed(c.text); got != c.want || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(c.want))
		}
	}
}
