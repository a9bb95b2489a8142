package code

import (
	"slices"
	"testing"
)

// TestWithFile: of two pieces that fit alike, the one whose file fits better comes first, and a much
// better piece stays first.
func TestWithFile(t *testing.T) {
	hits := []hit{
		{id: 1, file: 10, score: 9},
		{id: 2, file: 20, score: 5},
		{id: 3, file: 30, score: 5},
		{id: 4, file: 30, score: 4.8},
		{id: 5, file: 20, score: 1},
	}
	withFile(hits)
	var ids []int64
	for _, h := range hits {
		ids = append(ids, h.id)
	}
	if want := []int64{1, 3, 4, 2, 5}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
	got := ranked(hits)
	if got[0].Score != 1 || got[1].Score >= 1 || got[1].Score <= got[4].Score {
		t.Errorf("scores: %v", got)
	}
	if got := ranked([]hit{{id: 1, score: -.1}}); got[0].Score != 1 {
		t.Errorf("a word of most pieces: %v", got)
	}
}
