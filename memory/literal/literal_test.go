package literal

import (
	"slices"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	s := New([]string{"he", "she", "hers", "his", "é!", "x"})
	for text, want := range map[string]string{
		"":            "",
		"h":           "",
		"ushers":      "she he hers",
		"she":         "she he",
		"his x é!":    "his é!",
		"hehe":        "he he",
		"SHE":         "",
		"hi\x00 hers": "he hers",
	} {
		var got []string
		s.Each(text, func(w int) bool { got = append(got, s.words[w]); return true })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	n := 0
	s.Each("he he he", func(int) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("found %d times, want to end at the second", n)
	}
}

// FuzzEach compares with a search for each word.
func FuzzEach(f *testing.F) {
	f.Add("ushers", "he she hers")
	f.Fuzz(func(t *testing.T, text, list string) {
		words := slices.DeleteFunc(strings.Fields(list), func(w string) bool { return len(w) < 2 })
		got := make([]bool, len(words))
		New(words).Each(text, func(w int) bool { got[w] = true; return true })
		for i, w := range words {
			if got[i] != strings.Contains(text, w) {
				t.Errorf("%q in %q: %v", w, text, got[i])
			}
		}
	})
}

func BenchmarkNew(b *testing.B) {
	var words []string
	for a := range 26 {
		for c := range 26 {
			words = append(words, string([]byte{'a' + byte(a), 'a' + byte(c), 't', 'h'}))
		}
	}
	for b.Loop() {
		New(words)
	}
}
