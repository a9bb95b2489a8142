package retrieve

import "testing"

// TestFrequency: a few uses, as the pages of answers make, order nothing; many do.
func TestFrequency(t *testing.T) {
	if a, b := frequency(0), frequency(20); a != b {
		t.Errorf("twenty uses count %v, none %v: the second page of an answer would not follow the first", b, a)
	}
	last := -1.0
	for _, uses := range []int{0, 25, 50, usesCap} {
		got := frequency(uses)
		if got <= last || got > 1 {
			t.Errorf("frequency(%d) = %v after %v, want more and at most 1", uses, got, last)
		}
		last = got
	}
	if frequency(-3) != 0 {
		t.Error("a negative count is none")
	}
}
