package local

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/embed/models"
	"manicule/memory/rerank/reranktest"
)

// tokenizers opens the tests' tokenizer, and the real one where it is installed.
func tokenizers(tb testing.TB) []*tokenizer {
	tb.Helper()
	dirs := []string{tb.TempDir()}
	must.OK(tb, reranktest.Write(dirs[0]))
	if dir := os.Getenv("MANICULE_TEST_MODELS"); dir != "" {
		dirs = append(dirs, filepath.Join(dir, strings.ToLower(models.Default)))
	}
	var out []*tokenizer
	for _, dir := range dirs {
		tk, err := openTokenizer(dir, 64)
		if err != nil || tk.words == nil {
			tb.Fatalf("%s: %+v, %v", dir, tk, err)
		}
		out = append(out, tk)
	}
	return out
}

// asLibrary fails unless the tokens of a text are the library's.
func asLibrary(tb testing.TB, tk *tokenizer, text string) {
	tb.Helper()
	want := tk.tk.Encode(clean(text, tk.max*bytesPerToken))
	if len(want) > tk.max {
		want = append(want[:tk.max-1], want[len(want)-1])
	}
	if got := tk.ids(text); !slices.Equal(got, want) {
		tb.Fatalf("%v, want %v, of %q", got, want, text)
	}
}

func TestWordPiecesAsLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	parts := []string{
		"token", "Refresh", "HTTPServer", "_", "(", ")", "{", ";", "//", "##", "##ing", "a1b2", "0xDEADbeef", " ", " ", "\n", "\t", "\r\n", "\x0b", "\x00", "\x7f",
		"é", "Größe", "日本語", "🎉", "\u00a0", "\u200b", "[SEP]", "[", "]", "[UNK]", "[mask]", "[MASK]x", strings.Repeat("q", 99), strings.Repeat("q", 101), "~", "`", "$x",
	}
	for _, tk := range tokenizers(t) {
		for range 400 {
			var b strings.Builder
			for range r.IntN(60) {
				b.WriteString(parts[r.IntN(len(parts))])
			}
			asLibrary(t, tk, b.String())
		}
	}
}

func FuzzWordPieces(f *testing.F) {
	all := tokenizers(f)
	f.Add("func (s *Server) Reply(ctx context.Context) error { return nil } // the [SEP] é")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		for _, tk := range all {
			asLibrary(t, tk, text)
		}
	})
}

// TestPlainTextNeedsNoLibrary: plain words and punctuation are encoded without the library, which
// takes a while for each call and allocates much.
func TestPlainTextNeedsNoLibrary(t *testing.T) {
	tk := tokenizers(t)[0]
	text := "file a/b.go, method Server.Reply\n" + strings.Repeat("if err := s.write(ctx, frame); err != nil { return err }\n", 20)
	var ids []int
	for field := range strings.FieldsFuncSeq(text, isSpace) {
		var ok bool
		if ids, ok = tk.words.appendField(ids[:0], field); !ok || len(ids) == 0 {
			t.Errorf("%q is left to the library", field)
		}
	}
	if n := testing.AllocsPerRun(20, func() { tk.ids(text) }); n > 200 {
		t.Errorf("%v allocations", n)
	}
}
