package gate

import (
	"fmt"
	"slices"
	"testing"

	"manicule/memory/gate/junk/likely"
)

// TestJudgeFit: what is written is what was fitted, the same every time, and a draw that is left out is not seen, nor is another
// page of its repositories.
func TestJudgeFit(t *testing.T) {
	var pages []placed
	placesOf("AGENTS.md", "# Error handling\n\n- Never swallow an error\n- [ ] Write more tests\n- [x] Moved the helpers\n\n```\n# no heading\n```\n\nThe rules are:\n", func(p likely.Place, text string) {
		pages = append(pages, placed{repo: "a/b", place: p, at: likely.BucketsOf(text)})
	})
	var got []likely.Place
	for _, p := range pages {
		got = append(got, p.place)
	}
	if want := []likely.Place{likely.Heading, likely.Rule, likely.Task, likely.Done}; !slices.Equal(got, want) {
		t.Errorf("places %v, want %v", got, want)
	}
	var all []sample
	for i := range 40 {
		all = append(all, sample{Kind: "rule", Repo: "c/d", Draw: "D", text: fmt.Sprintf("Service %d must not call the database", i)},
			sample{Bad: true, Kind: "fragment", Repo: "c/d", Draw: "D", text: fmt.Sprintf("Overview of service %d", i)})
	}
	m := fitJudge(pages, all, nil)
	data := m.encode()
	if again := fitJudge(pages, all, nil).encode(); !slices.Equal(data, again) {
		t.Error("fitted twice, the models differ")
	}
	for _, text := range []string{"Service 9 must not call the database", "Overview of service 9", "Sessions live in Redis", "# Error handling"} {
		if got, want := likely.Model(data).Of(text).Probability, m.probability(text); got != want {
			t.Errorf("%q: %v is written, %v was fitted", text, got, want)
		}
	}
	if a, b := m.probability("Overview of service 9"), m.probability("Service 9 must not call the database"); a < .5 || b > .5 {
		t.Errorf("junk has %.2f, a rule %.2f", a, b)
	}
	without := fitJudge(pages, slices.Concat(all, []sample{{Bad: true, Kind: "fragment", Draw: "H", Repo: "e/f", text: "Gateway"}, {Kind: "rule", Draw: "D", Repo: "e/f", text: "Gateway"}}), []string{"H"}).encode()
	if !slices.Equal(without, data) {
		t.Error("a draw that is left out was seen")
	}
}

// TestLinesFit: the judge of several lines learns from texts of several lines alone, sees none of the draws that it may not see, nor
// their repositories, and is fitted the same every time.
func TestLinesFit(t *testing.T) {
	var all []sample
	for i := range 40 {
		all = append(all, sample{Kind: "rule", Repo: fmt.Sprint("c/", i), Draw: "W", text: fmt.Sprintf("Service %d must not call the database,\nbecause its pool is small.\nUse the queue instead.", i)},
			sample{Bad: true, Kind: "session", Repo: fmt.Sprint("c/", i), Draw: "W", text: fmt.Sprintf("- Service %d: done\n- Queue: in progress\n- Pool: planned", i)})
	}
	more := append(slices.Clone(all), sample{Bad: true, Kind: "session", Repo: "e/f", Draw: "X", text: "a\nb\nc"}, sample{Kind: "rule", Repo: "e/f", Draw: "W", text: "d\ne\nf"},
		sample{Kind: "rule", Repo: "c/1", Draw: "W", text: "one line"}, sample{Kind: useless, Repo: "c/1", Draw: "W", text: "g\nh\ni"})
	if got := severalLines(more); len(got) != len(all) {
		t.Errorf("%d texts, want %d", len(got), len(all))
	}
	m := growLines(all)
	if !slices.Equal(m.encodeTrees(nil), growLines(all).encodeTrees(nil)) {
		t.Error("fitted twice, the models differ")
	}
	good, bad := likely.LinesOf(all[0].text), likely.LinesOf(all[1].text)
	if g, b := m.sum(good[:]), m.sum(bad[:]); g > .5 || b < .5 {
		t.Errorf("a rule has %.2f, an account %.2f", g, b)
	}
}
