package markdown_test

import (
	"strings"
	"testing"

	"manicule/indexer/markdown"
)

// TestBound leaves what people write as it is, and takes away what nobody does.
func TestBound(t *testing.T) {
	r := strings.Repeat
	for _, c := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"text", "# a\n\n> - 1. b [c](d) (e\n\\[ \\( no line's end", "same"},
		{"a rule of stars", r("* ", 30) + "\n", "same"},
		{"a list of links", r("- [a](b) (c)\n", 2000), "same"},
		{"numbers are no entries", r("1.2 ", 100) + "12345678901. a\n" + r("-a", 100), "same"},
		{"open in each paragraph", r(r("(", 400)+"\n\n", 10), "same"},
		{"quotes", r(">", 40) + "a\r\nb", r(">", 32) + r(" ", 9) + "\r\nb"},
		{"entries", r("- ", 40) + "a\n", r("- ", 32) + r(" ", 17) + "\n"},
		{"mixed", "\t" + r(" 1) > ", 20) + "a", "\t" + r(" 1) > ", 16) + " " + r(" ", 24)},
		{"brackets", r("[", 600) + "]\n[", r("[", 500) + r(" ", 100) + "]\n["},
		{"parentheses over lines", r("[a](\n", 502) + "\n(", r("[a](\n", 500) + "[a] \n[a] \n\n("},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "same" {
				want = c.src
			}
			src := []byte(c.src)
			if got := string(markdown.Bound(src)); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if string(src) != c.src {
				t.Error("the text itself was changed")
			}
		})
	}
}

// FuzzBound: a text keeps its length and its lines, and nothing more is taken away from what was bounded.
func FuzzBound(f *testing.F) {
	for _, s := range []string{"> - a", "1) [b](c", "\\", "\r\n\r\n", "-", "9"} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		src := strings.Repeat(s, min(max(0, n), 1000))
		once := string(markdown.Bound([]byte(src)))
		if len(once) != len(src) || strings.Count(once, "\n") != strings.Count(src, "\n") {
			t.Fatalf("%q became %q", src, once)
		}
		if twice := string(markdown.Bound([]byte(once))); twice != once {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}
