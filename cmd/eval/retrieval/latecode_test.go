package retrieval

import "testing"

// TestRankOf: a share of the nearness of tokens moves what is near before what was first, within the depth only.
func TestRankOf(t *testing.T) {
	best := []candidate{{Score: 1}, {Score: .8}, {Score: .5, Right: true}}
	near := map[string][][]float64{"x": {{.2, .2}, {.1, .3}, {.9, .9}}}
	for want, choices := range map[int][]lateCodeChoice{
		1: {{"x", "power 1", 20, 1}, {"x", "power 4", 3, .7}, {"x", "above the mean", 20, .7}},
		3: {{}, {"x", "power 1", 2, 1}, {"x", "power 8", 20, .1}},
	} {
		for _, c := range choices {
			if got := rankOf(c, best, near); got != want {
				t.Errorf("%v: %d, want %d", c, got, want)
			}
		}
	}
	if got := rankOf(lateCodeChoice{}, best[:2], nil); got != 0 {
		t.Errorf("without a right one: %d", got)
	}
}

// TestNearest: each token of a question has the nearest one of a text, and none is nearer than 0.
func TestNearest(t *testing.T) {
	got := nearest([]float32{1, 0, 0, -1}, []float32{0, 1, .6, .8}, 2)
	if len(got) != 2 || got[0] < .59 || got[0] > .61 || got[1] != 0 {
		t.Errorf("%v", got)
	}
}
