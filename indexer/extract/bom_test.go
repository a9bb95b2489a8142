package extract

import (
	"slices"
	"testing"

	"manicule/indexer/must"
)

// TestByteOrderMark: a text has the same tokens and symbols with and without a byte order mark, which an editor leaves out.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for lang, text := range map[string]string{
		"csharp": "class A { void B() { } }\n", "python": "def a():\n    return 1\n", "go": "package a\n\nfunc b() {}\n",
		"typescript": "function a() {}\n", "powershell": "function Get-It {\n  1\n}\n", "jupyter": "{\n   \"cell_type\": \"code\",\n   \"source\": [\n    \"def a(): pass\"\n   ]\n}\n",
	} {
		read := func(text string) (tokens, symbols []string) {
			f, tree, err := ParseTree(t.Context(), lang, []byte(text))
			must.OK(t, err)
			for _, k := range tree.Tokens {
				tokens = append(tokens, text[k.Start:k.End])
			}
			for _, s := range f.Symbols {
				symbols = append(symbols, s.Path+" "+text[s.Start:s.End])
			}
			return tokens, symbols
		}
		tokens, symbols := read(text)
		marked, same := read(byteOrderMark + text)
		if !slices.Equal(tokens, marked) || !slices.Equal(symbols, same) || len(symbols) == 0 {
			t.Errorf("%s: %q %q with the mark, %q %q without it", lang, marked, same, tokens, symbols)
		}
	}
}
