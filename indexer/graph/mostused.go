package graph

import (
	"cmp"
	"slices"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Used is a declaration with the other files that use it by its name.
type Used struct {
	Ref
	UsedBy []string // sorted
}

// MostUsed returns the declarations that the most files use, the most used first, up to a
// limit. Those of tests come last, and those of one rank by place.
func (g *Graph) MostUsed(limit int) []Used {
	type ranked struct {
		s     *resolve.Symbol
		test  bool
		users int
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	var all []ranked
	for st := range g.all() {
		test := IsTest(st.path)
		for _, s := range st.file.Symbols {
			users := 0
			for _, id := range g.incoming[s.Node()] {
				if id != st.file.ID && g.files[id] != nil {
					users++
				}
			}
			all = append(all, ranked{s, test, users})
		}
	}
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	sorting.Func(all, func(a, b ranked) int {
		return cmp.Or(number(a.test)-number(b.test), b.users-a.users, cmp.Compare(a.s.File.Path, b.s.File.Path), a.s.Line-b.s.Line, cmp.Compare(a.s.ID, b.s.ID))
	})
	out := make([]Used, 0, min(limit, len(all)))
	for _, r := range all[:min(limit, len(all))] {
		u := Used{Ref: g.ref(r.s)}
		for _, id := range g.incoming[r.s.Node()] {
			if from := g.files[id]; from != nil && id != r.s.File.ID {
				u.UsedBy = append(u.UsedBy, from.path)
			}
		}
		slices.Sort(u.UsedBy)
		out = append(out, u)
	}
	return out
}
