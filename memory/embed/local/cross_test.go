package local

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/embed/models"
	"manicule/memory/rerank"
	"manicule/memory/rerank/reranktest"
)

// cross opens the tests' model by the real way. It skips onnxruntime where
// MANICULE_TEST_MODELS names no folder with its library.
func cross(t *testing.T, b Backend) (rerank.Reranker, *pairer) {
	t.Helper()
	o := Cross{Model: "tiny", MaxTokens: reranktest.MaxTokens, Dir: t.TempDir(), File: "model.onnx", Threads: 2, Backend: b}
	if b == ONNXRuntime {
		if o.Library = models.Open(os.Getenv("MANICULE_TEST_MODELS")).Library(); o.Library == "" {
			t.Skip("MANICULE_TEST_MODELS names no folder with onnxruntime: `make model-for-tests` prints one")
		}
	}
	must.OK(t, reranktest.WriteONNX(o.Dir))
	must.OK(t, os.Rename(filepath.Join(o.Dir, "onnx", "model.onnx"), filepath.Join(o.Dir, o.File)))
	r, passed, err := OpenCross(t.Context(), o)
	if err != nil || passed != nil {
		t.Fatalf("passed over %v: %v", passed, err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	tk, err := openTokenizer(o.Dir, o.MaxTokens)
	must.OK(t, err)
	p, err := newPairer(tk)
	must.OK(t, err)
	return r, p
}

// want is what the tests' model calculates: its logit falls with the share of
// the query's tokens, [CLS] and [SEP] included, that the text lacks.
func want(p *pairer, query, text string) float64 {
	in := p.cut(query, text)
	ids, types := p.ids(in)
	first := slices.Index(types, 1)
	alone := 0
	for _, id := range ids[:first] {
		if id < 4 || !slices.Contains(ids[first:], id) {
			alone++
		}
	}
	return reranktest.Score(alone, first)
}

// TestCross: each backend gives what the weights say, for texts of all lengths,
// in the order of the texts.
func TestCross(t *testing.T) {
	scores := map[Backend][]float64{}
	for _, b := range []Backend{ONNXRuntime, Go} {
		t.Run(string(b), func(t *testing.T) {
			r, p := cross(t, b)
			if i := r.Info(); i.Model != "tiny" || !strings.HasPrefix(i.Backend, string(b)) {
				t.Errorf("%+v", i)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			known := strings.Fields("token refresh need redis cache server must answer anybody can log who where we handle expired retry after backoff one two three unknown")
			words := func(n int) string {
				var out []string
				for range n {
					out = append(out, known[rng.IntN(len(known))])
				}
				return strings.Join(out, " ")
			}
			texts := []string{"", "redis", "token refresh needs redis", "[SEP] token refresh", strings.Repeat("blue ", 100) + "redis", strings.Repeat("x", 3000), "日本語 \u200bredis"}
			for range 30 {
				texts = append(texts, words(rng.IntN(90)))
			}
			for _, query := range []string{"who needs redis for token refresh", "redis", "", words(80), "[SEP] redis"} {
				got, err := r.Rerank(t.Context(), query, texts)
				if err != nil || len(got) != len(texts) {
					t.Fatalf("%d scores: %v", len(got), err)
				}
				scores[b] = append(scores[b], got...)
				for i, text := range texts {
					if w := want(p, query, text); math.Abs(got[i]-w) > .01 {
						t.Errorf("%.20q, %.40q: %.4f, want %.4f", query, text, got[i], w)
					}
				}
			}
			if got, err := r.Rerank(t.Context(), "redis", nil); err != nil || len(got) != 0 {
				t.Errorf("no texts: %v, %v", got, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := r.Rerank(ctx, "redis", texts); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
	for i, x := range scores[ONNXRuntime] { // none where the library is not at hand
		if math.Abs(x-scores[Go][i]) > 1e-4 {
			t.Errorf("the backends give %.6f and %.6f", x, scores[Go][i])
		}
	}
}

// TestPairs: query and text fit into the model together, what is longer is cut,
// and a cut text is the beginning of what it was.
func TestPairs(t *testing.T) {
	_, p := cross(t, Go)
	room := reranktest.MaxTokens - 3
	word := func(n int) string { return strings.TrimSpace(strings.Repeat("redis ", n)) }
	tests := []struct{ query, text, wantQuery, wantText int }{
		{5, 5, 5, 5}, {5, room - 5, 5, room - 5}, {5, 500, 5, room - 5}, {500, 5, room - 5, 5}, {500, 500, room / 2, room - room/2}, {0, 500, 0, room},
	}
	for _, tt := range tests {
		got := p.cut(word(tt.query), word(tt.text))
		if got.query != word(tt.wantQuery) || got.text != word(tt.wantText) || got.tokens != tt.wantQuery+tt.wantText+3 {
			t.Errorf("%d and %d words: %d tokens, %q and %q", tt.query, tt.text, got.tokens, got.query, got.text)
		}
	}
	ids, types := p.ids(p.cut("redis token", "cache"))
	if len(ids) != 6 || ids[0] != 2 || ids[3] != 3 || ids[5] != 3 || !slices.Equal(types, []int{0, 0, 0, 0, 1, 1}) {
		t.Errorf("%v %v", ids, types)
	}
	// A word of many tokens is cut inside only where it is all there is.
	many := "log" + strings.Repeat("ers", 20)
	if got, n := p.shorten("redis "+many, 10); got != "redis" && got != "redis " || n != 1 {
		t.Errorf("%q, %d", got, n)
	}
	if _, n := p.shorten(many[:40], 10); n == 0 || n > 10 {
		t.Errorf("%d tokens of one word", n)
	}
}

// TestPieces: a text that is encoded in pieces has the tokens that it has
// as a whole, at the same places; and where enough is enough, their beginning.
func TestPieces(t *testing.T) {
	dirs := []string{t.TempDir()}
	must.OK(t, reranktest.Write(dirs[0]))
	if dir := os.Getenv("MANICULE_TEST_MODELS"); dir != "" {
		dirs = append(dirs, filepath.Join(dir, strings.ToLower(models.Default)))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	parts := []string{"token ", "refresh\n", "\t", "  ", "日本語", "Größe", "[SEP]", "naïve é́ ", "x.y(z)", "\r\n", "0xdeadbeef", "\u00a0", "🎉", strings.Repeat("q", 300)}
	for _, dir := range dirs {
		tk, err := openTokenizer(dir, 512)
		if err != nil || !tk.apart {
			t.Fatalf("%+v, %v", tk, err)
		}
		for range 40 {
			var b strings.Builder
			list := parts
			if rng.IntN(2) == 0 {
				list = []string{"token ", "refresh\n", "\t", "[SEP]", "x.y(z)", "0xdeadbeef "}
			}
			for range rng.IntN(400) {
				b.WriteString(list[rng.IntN(len(list))])
			}
			text := b.String()
			whole, got := tk.tk.EncodeWithAnnotations(text), tk.encode(text, len(text)+2)
			// The library's places drift where a character has several bytes.
			ascii := !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
			if !slices.Equal(got.IDs, whole.IDs) || len(got.Spans) != len(got.IDs) || (ascii && !slices.Equal(got.Spans, whole.Spans)) {
				t.Fatalf("%d tokens, want %d, of %q", len(got.IDs), len(whole.IDs), text)
			}
			some := tk.encode(text, 50)
			if n := len(some.IDs) - 1; n < min(50, len(whole.IDs)-1) || !slices.Equal(some.IDs[:n], whole.IDs[:n]) || some.IDs[n] != whole.IDs[len(whole.IDs)-1] {
				t.Fatalf("%d tokens of %q", n, text)
			}
		}
	}
}

// FuzzPairs: whatever the texts are, the model's length holds for both ways in.
func FuzzPairs(f *testing.F) {
	dir := f.TempDir()
	if err := reranktest.Write(dir); err != nil {
		f.Fatal(err)
	}
	tk, err := openTokenizer(dir, reranktest.MaxTokens)
	if err != nil {
		f.Fatal(err)
	}
	p, err := newPairer(tk)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("redis", "token [SEP] refresh")
	f.Add(strings.Repeat("日", 100), strings.Repeat("ers", 100))
	f.Fuzz(func(t *testing.T, query, text string) {
		in := p.cut(query, text)
		ids, types := p.ids(in)
		one := tk.tk.Encode(in.query + p.separator + in.text) // as the Go backend does it
		if len(ids) > reranktest.MaxTokens || len(ids) != in.tokens || len(types) != len(ids) || !slices.Equal(ids, one) {
			t.Errorf("%d tokens, said %d: %v, %v", len(ids), in.tokens, ids, one)
		}
	})
}

// TestCrossFails: what is missing or is no reranker is an error and no crash.
func TestCrossFails(t *testing.T) {
	dir := t.TempDir()
	o := Cross{Model: "m", MaxTokens: 64, Dir: dir, File: "model.onnx"}
	if _, _, err := OpenCross(t.Context(), o); err == nil || !strings.Contains(err.Error(), "tokenizer") {
		t.Errorf("an empty folder: %v", err)
	}
	must.OK(t, reranktest.Write(dir))
	must.Write(t, filepath.Join(dir, o.File), "no ONNX")
	if _, _, err := OpenCross(t.Context(), o); err == nil || !strings.Contains(err.Error(), "load the reranker m") {
		t.Errorf("no ONNX: %v", err)
	}
	if _, err := sigmoid(math.NaN()); err == nil {
		t.Error("NaN is a score")
	}
}
