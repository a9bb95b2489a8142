package clip

import "testing"

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text                              string
		most                              int
		bytes, marked, chars, markedChars string
	}{
		{"", 3, "", "", "", ""},
		{"abc", 3, "abc", "abc", "abc", "abc"},
		{"abcd", 3, "abc", "abc…", "abc", "ab…"},
		{"ab cd", 4, "ab c", "ab c…", "ab c", "ab…"},
		{"äöü", 3, "ä", "ä…", "äöü", "äöü"},
		{"äöüß", 3, "ä", "ä…", "äöü", "äö…"},
		{"äb", 1, "", "…", "ä", "…"},
		{"ab", 0, "", "…", "", "…"},
	} {
		for _, f := range []struct {
			name string
			of   func(string, int) string
			want string
		}{
			{"Bytes", Bytes, c.bytes}, {"MarkedBytes", MarkedBytes, c.marked}, {"Chars", Chars, c.chars}, {"MarkedChars", MarkedChars, c.markedChars},
		} {
			if c.most == 0 && f.name == "MarkedChars" {
				continue // there is no room for the mark
			}
			if got := f.of(c.text, c.most); got != f.want {
				t.Errorf("%s(%q, %d) = %q, want %q", f.name, c.text, c.most, got, f.want)
			}
		}
	}
}
