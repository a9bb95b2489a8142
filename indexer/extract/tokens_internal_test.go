package extract

import (
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestTokenHashesTogether: a file with memories at hundreds of its functions is parsed twice for their hashes,
// and not once for each. They are those of the functions alone.
func TestTokenHashesTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := range 300 {
		fmt.Fprintf(&b, "\nfunc F%d() int {\n\treturn %d\n}\n", i, i)
	}
	src := []byte(b.String())
	f, err := Parse(t.Context(), "go", src)
	must.OK(t, err)
	hash := func(s Symbol) string {
		h, err := f.TokenHash(t.Context(), src, Span{Start: s.Start, End: s.End})
		must.OK(t, err)
		return h
	}
	hash(f.Symbols[0])
	if len(f.hashes) != 1 {
		t.Errorf("one function was asked for, %d are hashed", len(f.hashes))
	}
	hash(f.Symbols[7])
	if len(f.hashes) != 300 {
		t.Fatalf("a second one was asked for, %d are hashed of 300", len(f.hashes))
	}
	for _, i := range []int{0, 7, 150, 299} {
		s := f.Symbols[i]
		want, err := HashTokens(t.Context(), "go", src, Span{Start: s.Start, End: s.End})
		must.OK(t, err)
		if got := hash(s); got != want {
			t.Errorf("%s has the hash %s, alone %s", s.Path, got, want)
		}
	}
}
