package extract_test

import (
	"slices"
	"testing"

	"manicule/indexer/extract"
	"manicule/indexer/must"
)

// TestRead holds what a tree says: tokens in order without comments, nodes that
// nest, and hashes that white space does not change.
func TestRead(t *testing.T) {
	for lang, texts := range map[string][2]string{
		"go":         {"package a\nfunc f(x int) int { return x + 1 }\n", "package a\n\n// Doc.\nfunc f(x  int) int {\n\treturn x + 1 // so\n}\n"},
		"python":     {"def f(x):\n    return x + 1\n", "# a\ndef f( x ):\n  return x + 1\n"},
		"typescript": {"function f(x: number) { return `a ${x}` }", "function f( x : number ) {\n  /* b */ return `a ${x}`\n}\n"},
	} {
		t.Run(lang, func(t *testing.T) {
			_, a, err := extract.ParseTree(t.Context(), lang, []byte(texts[0]))
			must.OK(t, err)
			_, b, err := extract.ParseTree(t.Context(), lang, []byte(texts[1]))
			must.OK(t, err)
			if !slices.EqualFunc(a.Tokens, b.Tokens, func(x, y extract.Token) bool { return x.Hash == y.Hash && x.Class == y.Class }) {
				t.Errorf("the tokens differ: %d and %d", len(a.Tokens), len(b.Tokens))
			}
			if a.Nodes[0].Hash != b.Nodes[0].Hash {
				t.Error("the hashes of the roots differ")
			}
			for i, n := range b.Nodes {
				if n.Next <= int32(i) || n.Last < n.First || n.Parent >= int32(i) {
					t.Errorf("node %d is %+v", i, n)
				}
			}
			for i := 1; i < len(b.Tokens); i++ {
				if b.Tokens[i].Start < b.Tokens[i-1].End {
					t.Errorf("token %d begins before the one before it ends", i)
				}
			}
		})
	}
}

// FuzzRead holds that no source makes a tree that can't be walked, and that
// queries over one that ends in the middle of a name do not look behind it.
func FuzzRead(f *testing.F) {
	f.Add("class A\n  def ", "ruby")
	f.Add("package a\nfunc (", "go")
	f.Add("a:\n  - b\n  -", "yaml")
	f.Add("# a\n\x02", "markdown")
	f.Fuzz(func(t *testing.T, src, lang string) {
		if len(src) > 4096 {
			return
		}
		file, tree, err := extract.ParseTree(t.Context(), lang, []byte(src))
		if err != nil {
			return
		}
		for _, s := range file.Symbols {
			first, last := tree.Range(extract.Span{Start: s.Start, End: s.End})
			if first < 0 || last < first || last > len(tree.Tokens) {
				t.Errorf("%s has the tokens from %d to %d of %d", s.Path, first, last, len(tree.Tokens))
			}
			tree.Digest([]byte(src), extract.Span{Start: s.Start, End: s.End})
		}
	})
}
