package extract

import (
	"fmt"
	"slices"
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

// TestTokenHashesGrowth: the functions of a file are hashed together in time that grows with its length, also where each has
// ten thousands of neighbours.
func TestTokenHashesGrowth(t *testing.T) {
	linear(t, 1<<20, func(bytes int) error {
		var b strings.Builder
		b.WriteString("package a\n")
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "\nfunc F%d() int { return %d }\n", i, i)
		}
		src := []byte(b.String())
		f, err := Parse(t.Context(), "go", src)
		must.OK(t, err)
		_, err = hashTokens(t.Context(), "go", src, f.symbolSpans(len(src)))
		return err
	})
}

// TestBlocksWithin: the blocks of any span are found among those of the whole source.
func TestBlocksWithin(t *testing.T) {
	for lang, text := range map[string]string{
		"go":         "package a\n\nfunc F(x int) {\n\tfor {\n\t\tif x > 1 {\n\t\t\tg(func() { h() })\n\t\t}\n\t}\n}\n\nfunc G() {}\n",
		"python":     "class A:\n    def f(self):\n        if x:\n            pass\n        else:\n            return {1: [2]}\n\ndef g(): pass\n",
		"javascript": "class A { m() { return () => { x({a: 1}) } } }\nfunction f() {}\n",
	} {
		src := []byte(text)
		l, err := languageFor(DetectDialect(lang, src))
		must.OK(t, err)
		parsed, done, err := l.parseFlat(t.Context(), src)
		must.OK(t, err)
		tree := l.tree(parsed, src)
		done()
		all := tree.Blocks(Span{End: len(src)})
		if len(all) == 0 && lang == "python" {
			t.Errorf("%s has no blocks", lang)
		}
		for start := range src {
			for end := start; end <= len(src); end++ {
				s := Span{Start: start, End: end}
				if got, want := within(all, s), tree.Blocks(s); !slices.Equal(got, want) {
					t.Fatalf("%s, %q: %v, want %v", lang, text[start:end], got, want)
				}
			}
		}
	}
}
