package gittree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestApart compares with git's own answers, over merges in both directions.
func TestApart(t *testing.T) {
	r := newRepository(t)
	commit := func(file string) string {
		r.write(file, file)
		return r.commit()
	}
	first := commit("a")
	r.git("checkout", "-qb", "side")
	commit("b")
	merged := commit("c")
	r.git("checkout", "-q", "main")
	commit("d")
	r.git("checkout", "-q", "side")
	r.git("merge", "-qm", "m", "main")
	commit("e")
	r.git("checkout", "-q", "main")
	commit("f")
	r.git("merge", "-qm", "m2", merged)
	r.git("checkout", "-q", "--orphan", "alone")
	commit("g")
	r.git("tag", "first", first)
	repo := r.open("")
	never := func(int) bool { return false }
	for _, tc := range [][2]string{{"side", "main"}, {"main", "side"}, {"first", "main"}, {"main", "first"}, {"main", "main"}, {"alone", "main"}, {"side", "alone"}} {
		here, there := r.git("rev-parse", tc[0]), r.git("rev-parse", tc[1])
		own, base, ok := repo.CommitsAhead(here, []string{there}, never)
		if !ok {
			t.Fatalf("%s: not known", tc)
		}
		want := strings.Fields(r.git("rev-list", here, "^"+there))
		got := make([]string, 0, len(own))
		for id := range own {
			got = append(got, id)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: own %v, want %v", tc, got, want)
		}
		bases := []string{""} // git fails where there is none
		if !slices.Contains(tc[:], "alone") {
			bases = strings.Fields(r.git("merge-base", "--all", here, there))
		}
		if !slices.Contains(bases, base) {
			t.Errorf("%s: base %q, want one of %v", tc, base, bases)
		}
	}
	if _, _, ok := repo.CommitsAhead(r.git("rev-parse", "side"), []string{r.git("rev-parse", "main")}, func(looked int) bool { return looked > 1 }); ok {
		t.Error("it was not stopped")
	}
	if _, _, ok := repo.CommitsAhead(strings.Repeat("0", 40), nil, never); ok {
		t.Error("a commit that is not there")
	}
}

// history makes commits with up to two parents each, some by clocks that are
// wrong; later ones follow earlier ones.
func history(n int, r *rand.Rand) []*aheadCommit {
	all := make([]*aheadCommit, n)
	for i := range all {
		all[i] = &aheadCommit{id: fmt.Sprint(i), at: time.Unix(int64(1000+10*i-r.IntN(30)), 0)}
		for range min(i, 1+r.IntN(2)) {
			all[i].parents = append(all[i].parents, fmt.Sprint(max(0, i-1-r.IntN(4))))
		}
	}
	return all
}

// through walks back from the two newest until all is known, or to the end.
func through(all []*aheadCommit, step func(w *aheadWalk) bool) {
	w := &aheadWalk{seen: map[string]*aheadCommit{}}
	byID := map[string]*aheadCommit{}
	for _, c := range all {
		byID[c.id] = c
	}
	put := func(c *aheadCommit, sides int) {
		w.seen[c.id] = c
		w.mark(c, sides)
	}
	put(all[len(all)-1], fromHere)
	put(all[len(all)-2], fromThere)
	for step(w) && w.queue.Len() > 0 {
		c := w.next()
		for _, p := range c.parents {
			put(byID[p], c.sides)
		}
	}
}

// TestWalkOpen compares what a walk keeps with a look at all commits.
func TestWalkOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	open, closed := 0, 0
	for range 300 {
		through(history(2+r.IntN(40), r), func(w *aheadWalk) bool {
			var oldest time.Time
			for _, c := range w.seen {
				if c.sides == fromHere && (oldest.IsZero() || c.at.Before(oldest)) {
					oldest = c.at
				}
			}
			want := slices.ContainsFunc(w.queue, func(c *aheadCommit) bool {
				return c.sides == fromHere || !oldest.IsZero() && !c.at.Before(oldest)
			})
			if got := w.open(); got != want {
				t.Fatalf("open %t, want %t", got, want)
			}
			if want {
				open++
			} else {
				closed++
			}
			return true
		})
	}
	if open == 0 || closed == 0 {
		t.Errorf("%d steps were open and %d were not", open, closed)
	}
}

// BenchmarkWalk: twice as many commits take about twice as long.
func BenchmarkWalk(b *testing.B) {
	for _, n := range []int{2000, 4000, 8000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				all := history(n, rand.New(rand.NewPCG(1, 2)))
				b.StartTimer()
				through(all, func(w *aheadWalk) bool { w.open(); return true })
			}
		})
	}
}
