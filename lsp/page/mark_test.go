package page

import (
	"testing"

	"manicule/indexer/extract"
)

func TestHeadEnd(t *testing.T) {
	tests := []struct{ name, src, signature, head string }{
		{"one line", "func F(a int) error {\n}", "func F(a int) error", "func F(a int) error"},
		{"over lines", "func F(\n\ta int,\n) error {\n}", "func F( a int, ) error", "func F(\n\ta int,\n) error"},
		{"spaces folded away", "def f( a,\n  b ):\n  pass", "def f(a, b)", "def f( a,\n  b )"},
		{"not the source's", "func F() {}", "something else", "func F"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sym := extract.Symbol{Start: 0, End: len(tt.src), NameStart: 5, NameEnd: 6, Signature: tt.signature}
			if got := tt.src[:headEnd([]byte(tt.src), sym)]; got != tt.head {
				t.Errorf("got %q, want %q", got, tt.head)
			}
		})
	}
}
