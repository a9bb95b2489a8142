package retrieval

import (
	"math"
	"slices"
	"testing"
)

func TestSpearman(t *testing.T) {
	tests := []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 1000}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{86, 97, 99, 100, 101, 103, 106, 110, 112, 113}, []float64{2, 20, 28, 27, 50, 29, 7, 17, 6, 12}, -0.17575757},
		{[]float64{1, 1, 2, 3}, []float64{1, 2, 3, 3}, 4 / 4.5}, // ranks .5 .5 2 3 and 0 1 2.5 2.5
	}
	for _, tt := range tests {
		if got := spearman(tt.a, tt.b); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%v %v: %.8f, want %.8f", tt.a, tt.b, got, tt.want)
		}
	}
	if got := ranks([]float64{5, 1, 5, 0}); !slices.Equal(got, []float64{2.5, 1, 2.5, 0}) {
		t.Errorf("ranks %v", got)
	}
}

// TestHalvesLeg: a question is compared with the leg that the other half of the questions chose, and a loss is shown
// only if its interval leaves out 0.
func TestHalvesLeg(t *testing.T) {
	one, other := []float64{1, 0, 1, 0, 1, 0}, []float64{.2, .5, .2, .5, .2, .5}
	if got, want := halvesLeg([][]float64{one, other}), []float64{.2, 0, .2, 0, .2, 0}; !slices.Equal(got, want) {
		t.Errorf("by halves %v, want %v", got, want)
	}
	if got := bestLeg([][]float64{other, one}); !slices.Equal(got, one) {
		t.Errorf("the best leg is %v", got)
	}
	if isBehind(other, one) {
		t.Error("a loss with an interval from below to above 0 is shown")
	}
	if !isBehind([]float64{.1, .2, .1, .2}, []float64{.3, .4, .5, .4}) {
		t.Error("a loss on each question is not shown")
	}
}
