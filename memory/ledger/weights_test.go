package ledger

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"manicule/memory/file"
	"manicule/memory/retrieve"
)

func TestLearnWeights(t *testing.T) {
	for _, tt := range []struct {
		name string
		told int
		by   map[file.Type]Summary
		want string
	}{
		{"nothing", 99, nil, ""},
		{"few sessions", 29, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50}}, ""},
		{"nothing was followed", 99, map[file.Type]Summary{file.Gotcha: {Ignored: 50}}, ""},
		{"one type is as usual", 30, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50, Unknown: 900}}, "gotcha 1.00"},
		{"better and worse, within bounds", 30, map[file.Type]Summary{file.Gotcha: {Followed: 900, Ignored: 100}, file.Decision: {Ignored: 900, Overridden: 100}}, "gotcha 1.20, decision 0.80"},
		{"a few showings tell little", 30, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50}, file.DeadEnd: {Followed: 8, Ignored: 4}}, "dead_end 1.11, gotcha 0.97"},
		{"too few tell nothing", 30, map[file.Type]Summary{file.Gotcha: {Followed: 50, Ignored: 50}, file.DeadEnd: {Followed: 9}}, "gotcha 0.94"},
	} {
		e := evidence{cells: map[cell]tally{}, told: tt.told}
		for typ, x := range tt.by {
			e.cells[cell{typ, retrieve.NoPhase}] = tally{x.Followed, x.Followed + x.Overridden + x.Ignored}
		}
		var got []string
		for _, w := range e.weights() {
			got = append(got, fmt.Sprintf("%s %.2f", w.Type, w.Weight))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}

// TestLearnPhases: a type weighs more in a phase in which it is followed more often than it and the phase let expect,
// within bounds, and only with enough showings there.
func TestLearnPhases(t *testing.T) {
	type shown map[cell]tally
	even := shown{
		{file.Gotcha, retrieve.Implement}: {50, 100}, {file.Gotcha, retrieve.Reflect}: {50, 100},
		{file.Decision, retrieve.Implement}: {50, 100}, {file.Decision, retrieve.Reflect}: {50, 100},
	}
	with := func(c cell, n tally) shown {
		out := maps.Clone(even)
		out[c] = n
		return out
	}
	for _, tt := range []struct {
		name string
		told int
		by   shown
		want string
	}{
		{"few sessions", 29, even, ""},
		{"all alike", 30, even, "decision 1.00 implement 1.00 reflect 1.00, gotcha 1.00 implement 1.00 reflect 1.00"},
		{"a phase in which less is followed, of all types", 30, shown{
			{file.Gotcha, retrieve.Implement}: {60, 100}, {file.Gotcha, retrieve.Reflect}: {20, 100},
			{file.Decision, retrieve.Implement}: {60, 100}, {file.Decision, retrieve.Reflect}: {20, 100}},
			"decision 1.00 implement 1.01 reflect 1.00, gotcha 1.00 implement 1.01 reflect 1.00"},
		{"a type that is followed in one phase alone", 30, with(cell{file.Gotcha, retrieve.Reflect}, tally{0, 100}), "decision 1.20 implement 0.80 reflect 1.20, gotcha 0.80 implement 1.20 reflect 0.80"},
		{"no other type in the phase to compare with", 30, with(cell{file.Gotcha, retrieve.Refine}, tally{10, 10}), "gotcha 1.02 implement 0.95 reflect 0.95, decision 0.98 implement 1.05 reflect 1.05"},
		{"ten showings, of which none was followed", 30, with(cell{file.Gotcha, retrieve.Reflect}, tally{0, 10}), "decision 1.03 implement 0.80 reflect 1.20, gotcha 0.95 implement 1.20 reflect 0.80"},
		{"a few more than usual move little", 30, with(cell{file.Gotcha, retrieve.Reflect}, tally{6, 10}), "gotcha 1.01 implement 0.96 reflect 1.07, decision 0.99 implement 1.05 reflect 0.94"},
		{"too few tell nothing", 30, with(cell{file.Gotcha, retrieve.Reflect}, tally{0, 9}), "decision 1.03, gotcha 0.95"},
		{"a type that was shown in a phase alone has no weight elsewhere", 30, with(cell{file.DeadEnd, retrieve.Refine}, tally{20, 20}), "dead_end 1.20, decision 0.96 implement 0.96 reflect 0.96, gotcha 0.96 implement 0.96 reflect 0.96"},
	} {
		e := evidence{cells: map[cell]tally{}, told: tt.told}
		for c, n := range tt.by {
			e.cells[c] = n
			all := cell{c.typ, retrieve.NoPhase}
			e.cells[all] = e.cells[all].plus(n)
		}
		var got []string
		for _, w := range e.weights() {
			line := fmt.Sprintf("%s %.2f", w.Type, w.Weight)
			for _, p := range w.Phases {
				line += fmt.Sprintf(" %s %.2f", p.Phase, p.Weight)
			}
			got = append(got, line)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}
