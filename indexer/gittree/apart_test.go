package gittree

import (
	"slices"
	"strings"
	"testing"
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
		own, base, ok := repo.Apart(here, []string{there}, never)
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
	if _, _, ok := repo.Apart(r.git("rev-parse", "side"), []string{r.git("rev-parse", "main")}, func(looked int) bool { return looked > 1 }); ok {
		t.Error("it was not stopped")
	}
	if _, _, ok := repo.Apart(strings.Repeat("0", 40), nil, never); ok {
		t.Error("a commit that is not there")
	}
}
