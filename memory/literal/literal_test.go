package literal

import (
	"cmp"
	"fmt"
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
		s.Each(text, func(w, at int) bool {
			if !strings.HasPrefix(text[at:], s.words[w]) {
				t.Errorf("%q is not at %d of %q", s.words[w], at, text)
			}
			got = append(got, s.words[w])
			return true
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	n := 0
	s.Each("he he he", func(int, int) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("found %d times, want to end at the second", n)
	}
}

// FuzzEach compares with a search for each word.
func FuzzEach(f *testing.F) {
	f.Add("ushers", "he she hers")
	f.Fuzz(func(t *testing.T, text, list string) {
		words := slices.DeleteFunc(strings.Fields(list), func(w string) bool { return len(w) < 2 })
		got := make([]int, len(words))
		New(words).Each(text, func(w, at int) bool {
			if !strings.HasPrefix(text[at:], words[w]) {
				t.Errorf("%q is not at %d of %q", words[w], at, text)
			}
			got[w]++
			return true
		})
		for i, w := range words {
			if want := occurrences(text, w); got[i] != want {
				t.Errorf("%q in %q: %d times, want %d", w, text, got[i], want)
			}
		}
		words = strings.Fields(lower(list))
		got = make([]int, len(words))
		NewFolded(words).Each(text, func(w, _ int) bool { got[w]++; return true })
		for i, w := range words {
			if want := occurrences(lower(text), w); len(w) > 1 && got[i] != want {
				t.Errorf("%q in %q, folded: %d times, want %d", w, text, got[i], want)
			}
		}
	})
}

// occurrences counts those that overlap, too.
func occurrences(text, word string) (n int) {
	for i := range len(text) {
		if strings.HasPrefix(text[i:], word) {
			n++
		}
	}
	return n
}

// lower is a text with its ASCII letters in lower case.
func lower(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

func TestFolded(t *testing.T) {
	s := NewFolded([]string{"sk", "key-", "é_"})
	var got []string
	s.Each("aSK Key- KEY_ Sk É_ é_ sK", func(w, at int) bool {
		got = append(got, fmt.Sprint(s.words[w], " ", at))
		return true
	})
	if want := []string{"sk 1", "key- 4", "sk 14", "é_ 21", "sk 25"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzAutomaton compares the two ways to look through a text.
func FuzzAutomaton(f *testing.F) {
	f.Add("ushers and SHE, longwordsof and longwordsofall", "he she hers sh longwordsofall longword an")
	f.Add("aaaa", "aa aaa aaaa")
	f.Fuzz(func(t *testing.T, text, list string) {
		words := strings.Fields(lower(list))
		for _, s := range []*Set{New(words), NewFolded(words)} {
			var want, got []hit
			s.Each(text, func(w, at int) bool { want = append(want, hit{at, uint16(w)}); return true })
			s.each(newAutomaton(words), text, func(w, at int) bool { got = append(got, hit{at, uint16(w)}); return true })
			for i := 1; i < len(got); i++ {
				if got[i].at < got[i-1].at {
					t.Fatalf("%q in %q: %v", words, text, got)
				}
			}
			order := func(a, b hit) int { return cmp.Or(a.at-b.at, int(a.word)-int(b.word)) }
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if want = slices.Compact(want); !slices.Equal(got, want) { // a word of two bytes may be told twice
				t.Fatalf("%q in %q: %v, want %v", words, text, got, want)
			}
			if len(got) > 2 {
				n := 0
				s.each(newAutomaton(words), text, func(int, int) bool { n++; return n < 2 })
				if n != 2 {
					t.Errorf("told %d times, want to end at the second", n)
				}
			}
		}
	})
}

// TestManyBytes: a set goes over to its automaton, and finds the same.
func TestManyBytes(t *testing.T) {
	words := []string{"he", "hers"}
	for n := range manyWords {
		words = append(words, fmt.Sprint("word", n))
	}
	s, text, n := New(words), strings.Repeat("ushers ", 1000), 0
	for range 2*manyBytes/len(text) + 1 {
		n = 0
		s.Each(text, func(int, int) bool { n++; return true })
		if n != 2000 {
			t.Fatalf("%d were found, want 2000", n)
		}
	}
	if s.automaton.made == nil {
		t.Error("no automaton was made")
	}
	if few := New(words[:2]); few.automaton.after(few, 2*manyBytes) != nil || s.automaton.after(s, longText-1) != nil {
		t.Error("the automaton looks for few words, or through a short text")
	}
}

func BenchmarkEach(b *testing.B) {
	var words []string
	for a := range 26 {
		words = append(words, string([]byte{'q', 'a' + byte(a), 't', 'h'}), string([]byte{'a' + byte(a), 'z', '_'}))
	}
	s := New(words)
	text := strings.Repeat("The token refresh fails when the store is down, and nobody retries it.\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Each(text, func(int, int) bool { return true })
	}
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
