package local

import (
	"context"
	"math"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/embed"
)

// letters is an embedder whose tokens are words, in three dimensions by their first letter.
type letters struct {
	asked  []string
	closed bool
	short  bool
}

func (l *letters) Info() embed.Info { return embed.Info{Model: "letters", Dims: 3, Backend: "test"} }

func (l *letters) Embed(context.Context, []string) ([][]float32, error) { return nil, nil }

func (l *letters) Close() error { l.closed = true; return nil }

func (l *letters) Tokens(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		l.asked = append(l.asked, t)
		var v []float32
		for w := range strings.FieldsSeq(t) {
			one := make([]float32, 3)
			one[(w[0]-'a')%3] = 1
			v = append(v, one...)
		}
		out = append(out, v)
	}
	if l.short {
		out = out[1:]
	}
	return out, nil
}

// TestLate: a text counts by how many of the query's words it has near ones for, and is asked for once.
func TestLate(t *testing.T) {
	m := &letters{}
	r, err := Late(m)
	if err != nil || r.Info().Share != LateShare || r.Info().Model != "letters" {
		t.Fatalf("%+v, %v", r.Info(), err)
	}
	texts := []string{"a", "b a c", "", "a", "c c c c"}
	got, err := r.Rerank(t.Context(), "a b", texts)
	must.OK(t, err)
	for i, want := range []float64{.5, 1, 0, .5, 0} {
		if math.Abs(got[i]-want) > 1e-6 {
			t.Errorf("%q: %.3f, want %.3f", texts[i], got[i], want)
		}
	}
	if _, err := r.Rerank(t.Context(), "b", append(texts, "new")); err != nil || strings.Join(m.asked, "|") != "a b|a|b a c||c c c c|b|new" {
		t.Errorf("asked for %q, %v", m.asked, err)
	}
	if got, err := r.Rerank(t.Context(), "", []string{"a"}); err != nil || got[0] != 0 {
		t.Errorf("without a word: %v, %v", got, err)
	}
	m.short = true
	if _, err := r.Rerank(t.Context(), "b", []string{"other"}); err == nil {
		t.Error("a vector is missing")
	}
	if err := r.Close(); err != nil || !m.closed {
		t.Errorf("closed %v, %v", m.closed, err)
	}
}

// TestLateForgets: the vectors that are kept are bounded, and the latest stay.
func TestLateForgets(t *testing.T) {
	m := &letters{}
	r, err := Late(m)
	must.OK(t, err)
	half := strings.Repeat("a ", keptTokens/2)
	for _, text := range []string{half, half + "b", half + "c"} {
		if _, err := r.Rerank(t.Context(), "a", []string{text}); err != nil {
			t.Fatal(err)
		}
	}
	l, ok := r.(*late)
	if !ok || l.size > keptTokens || len(l.kept) != 1 || l.kept[half+"c"] == nil || len(l.order) != 1 {
		t.Errorf("%d tokens of %d texts are kept", l.size, len(l.kept))
	}
}

// wordless is an embedder that tells no vectors of tokens.
type wordless struct{ embed.Embedder }

func (wordless) Info() embed.Info { return embed.Info{Backend: "go"} }

func TestLateNeedsTokens(t *testing.T) {
	if _, err := Late(wordless{}); err == nil || !strings.Contains(err.Error(), "onnxruntime") {
		t.Errorf("%v", err)
	}
}

func TestOfTokens(t *testing.T) {
	if got := ofTokens([]float32{9, 9, 3, 4, 0, 2, 9, 9}, 4, 2); len(got) != 4 || got[0] != .6 || got[1] != .8 || got[2] != 0 || got[3] != 1 {
		t.Errorf("%v", got)
	}
	if got := ofTokens([]float32{1, 1, 1, 1}, 2, 2); got != nil {
		t.Errorf("a text without tokens: %v", got)
	}
}
