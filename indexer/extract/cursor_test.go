package extract

import (
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestAtCursor: behind its last character a cursor is still in a declaration, unless the next one begins there.
func TestAtCursor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ lang, text, want string }{
		{"python", "class A:\n    def b(self):\n        return 1|\n", "A.b"},
		{"python", "def a():\n    return 1\n|\ndef b(): pass\n", ""},
		{"typescript", "class A {\n  b() { return 1; }|\n}\n", "A.b"},
		{"typescript", "class A {\n  b() { return 1; }\n}|\n", "A"},
		{"typescript", "function a() {}|function b() {}\n", "b"},
		{"go", "package a\n\n|func b() {}\n", "b"},
		{"go", "|package a\n", ""},
	} {
		before, after, _ := strings.Cut(test.text, "|")
		f, err := Parse(t.Context(), test.lang, []byte(before+after))
		must.OK(t, err)
		if sym, _ := f.AtCursor(len(before)); sym.Path != test.want {
			t.Errorf("%q: in %q, want %q", test.text, sym.Path, test.want)
		}
	}
}
