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

// TestBlend: a piece that has a word and its abbreviation gets less for the second one, so that another
// piece may come before it; one that has only the abbreviation still counts.
func TestBlend(t *testing.T) {
	hits := []hit{{id: 1, score: 6}, {id: 2, score: 5.8}, {id: 3, score: 2}}
	blend(hits, []hit{{id: 2, score: 5.8}, {id: 1, score: 3}})
	var ids []int64
	for _, h := range hits {
		ids = append(ids, h.id)
	}
	if want := []int64{2, 1, 3}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
	if hits[2].score <= 0 {
		t.Errorf("a piece with an abbreviation alone: %v", hits[2])
	}
}
