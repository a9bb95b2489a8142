package trust_test

import (
	"strings"
	"testing"

	"manicule/memory/trust"
)

func TestHigher(t *testing.T) {
	for name, tt := range map[string]struct {
		level int
		e     trust.Evidence
		want  int // 0 for no offer
	}{
		"nothing happened":            {1, trust.Evidence{}, 0},
		"half accepted":               {1, trust.Evidence{Sessions: 3, Accepted: 2, Rejected: 2}, 2},
		"fewer than half":             {1, trust.Evidence{Sessions: 9, Accepted: 2, Rejected: 3}, 0},
		"two sessions":                {1, trust.Evidence{Sessions: 2, Accepted: 9}, 0},
		"too few decided":             {1, trust.Evidence{Sessions: 9, Accepted: 2}, 0},
		"none wrong":                  {2, trust.Evidence{Sessions: 10, Shown: 1}, 3},
		"one of twenty wrong":         {2, trust.Evidence{Sessions: 10, Shown: 20, Wrong: 1}, 0},
		"one of twenty-one":           {2, trust.Evidence{Sessions: 10, Shown: 21, Wrong: 1}, 3},
		"nine sessions":               {2, trust.Evidence{Sessions: 9, Shown: 100}, 0},
		"agents were told nothing":    {2, trust.Evidence{Sessions: 50}, 0},
		"autonomous is never offered": {3, trust.Evidence{Sessions: 500, Accepted: 500, Shown: 500}, 0},
		"nothing above":               {4, trust.Evidence{Sessions: 500, Accepted: 500, Shown: 500}, 0},
	} {
		o, ok := trust.Higher(tt.level, tt.e)
		if ok != (tt.want != 0) || o.To != tt.want || ok && (o.From != tt.level || o.Why == "") {
			t.Errorf("%s: %+v %v, want %d", name, o, ok, tt.want)
		}
	}
}

func TestLower(t *testing.T) {
	for _, tt := range []struct{ level, wrong, want int }{{2, 2, 0}, {2, 3, 1}, {4, 6, 3}, {3, 4, 0}, {1, 3, 0}, {2, 0, 0}} {
		if o, ok := trust.Lower(tt.level, tt.wrong); ok != (tt.want != 0) || o.To != tt.want {
			t.Errorf("level %d, %d wrong: %+v, want %d", tt.level, tt.wrong, o, tt.want)
		}
	}
}

func TestLevels(t *testing.T) {
	want := []trust.Asks{trust.Each, trust.Each, trust.All, trust.Needed, trust.None, trust.None}
	for level, asks := range want {
		if got := trust.AsksAt(level); got != asks {
			t.Errorf("level %d asks %s, want %s", level, got, asks)
		}
		if level > 1 && level < 5 && trust.Least(level) >= trust.Least(level-1) {
			t.Errorf("level %d is no more open than the one before", level)
		}
	}
}

// TestMissingWithoutTold: who disputes a memory that no agent was told is not one of none.
func TestMissingWithoutTold(t *testing.T) {
	if got := trust.Missing(trust.Usual, trust.Evidence{Wrong: 1}); !strings.Contains(got, "(0 told, 1 called wrong)") {
		t.Errorf("got %q", got)
	}
}
