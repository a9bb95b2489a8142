package biencoder

import (
	"math"
	"testing"

	"manicule/indexer/must"
	"manicule/indexer/words"
)

// TestAlign: a word that a text has counts wholly, another by the nearest word, each by its weight.
func TestAlign(t *testing.T) {
	var ask, near, far [Dim]float32
	ask[0], near[0], near[1], far[2] = 1, .6, .8, 1
	m, err := Parse(Encode([]string{"drop", "evict", "parse"}, [][Dim]float32{ask, {}, {}}, [][Dim]float32{{}, near, far}))
	must.OK(t, err)
	for _, tt := range []struct {
		name    string
		terms   []string
		weights []float64
		text    []string
		want    float64
	}{
		{"has it", []string{"drop"}, []float64{1}, []string{"x", "drop"}, 1},
		{"near", []string{"drop"}, []float64{1}, []string{"evict", "parse"}, .6},
		{"far", []string{"drop"}, []float64{1}, []string{"parse"}, 0},
		{"unknown words are only equal to themselves", []string{"qqq"}, []float64{2}, []string{"evict", "qqq"}, 1},
		{"by weight", []string{"drop", "qqq"}, []float64{1, 3}, []string{"qqq"}, .75},
		{"no text", []string{"drop"}, []float64{1}, nil, 0},
		{"no question", nil, nil, []string{"drop"}, 0},
		{"no weight", []string{"drop"}, []float64{0}, []string{"drop"}, 0},
	} {
		if got := m.Align(tt.terms, tt.weights).Share(tt.text); math.Abs(got-tt.want) > .01 {
			t.Errorf("%s: %.3f, want %.3f", tt.name, got, tt.want)
		}
	}
}

// TestAlignLong: of a pasted page the first words count.
func TestAlignLong(t *testing.T) {
	m, err := Load()
	must.OK(t, err)
	var terms []string
	var weights []float64
	for i := range 3 * mostTerms {
		terms, weights = append(terms, string(rune('a'+i%26))+string(rune('a'+i/26%26))), append(weights, 1)
	}
	if got := m.Align(terms, weights).Share(terms[mostTerms:]); got > .5 {
		t.Errorf("the words behind the first %d: %.3f", mostTerms, got)
	}
	if got := m.Align(terms, weights).Share(terms[:mostTerms]); got < .99 {
		t.Errorf("the first %d words: %.3f", mostTerms, got)
	}
}

func BenchmarkAlign(b *testing.B) {
	m, err := Load()
	must.OK(b, err)
	question := words.Terms("give up when a client does not read the response in time")
	weights := make([]float64, len(question))
	for i := range weights {
		weights[i] = 1
	}
	text := words.Terms("func (c *conn) serve ctx deadline timer stop flush writer header status body close error handler request cancel loop")
	for b.Loop() {
		a := m.Align(question, weights)
		for range 100 {
			a.Share(text)
		}
	}
}
