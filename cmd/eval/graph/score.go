package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
)

// place is a line of a file, the unit of comparison.
type place struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
}

// String formats the place as editors do.
func (p place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

type places map[place]bool

// sorted returns the places in order.
func (s places) sorted() []place {
	return slices.SortedFunc(maps.Keys(s), func(a, b place) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
}

func placesOf(list []place) places {
	out := places{}
	for _, p := range list {
		out[p] = true
	}
	return out
}

// relations returns the places of relations in the files that an oracle covers.
func relations(all []graph.Relation, looksAt map[string]bool) places {
	out := places{}
	for _, r := range all {
		if looksAt[r.File] && !r.External {
			out[place{r.File, r.Line}] = true
		}
	}
	return out
}

// through drops uses that an oracle of calls does not count: functions passed as values,
// and uses through an interface method.
func through(all []graph.Relation) []graph.Relation {
	return slices.DeleteFunc(slices.Clone(all), func(r graph.Relation) bool { return r.Below || r.Edge == graph.EdgeValue })
}

// score counts answers against an oracle.
type score struct{ both, oracle, ours int }

// add compares two sets and returns the elements that only one of them has.
func (s *score) add(truth, have places) (missed, wrong []place) {
	s.oracle += len(truth)
	s.ours += len(have)
	for _, p := range truth.sorted() {
		if have[p] {
			s.both++
		} else {
			missed = append(missed, p)
		}
	}
	for _, p := range have.sorted() {
		if !truth[p] {
			wrong = append(wrong, p)
		}
	}
	return missed, wrong
}

func (s *score) sum(o score) {
	s.both, s.oracle, s.ours = s.both+o.both, s.oracle+o.oracle, s.ours+o.ours
}

// precision and recall are "–" when there is nothing to divide by.
func (s score) precision() string { return evalkit.Ratio(s.both, s.ours) }
func (s score) recall() string    { return evalkit.Ratio(s.both, s.oracle) }

// byKind sums scores of one type by the kind of the symbol, and over all kinds.
type byKind[S any, P interface {
	*S
	sum(S)
	row(t *evalkit.Table, name string)
}] map[string]P

func (b byKind[S, P]) add(kind string, one S) {
	for _, key := range []string{kind, "all"} {
		if b[key] == nil {
			b[key] = new(S)
		}
		b[key].sum(one)
	}
}

// rows adds a row for each kind, in the order of the table.
func (b byKind[S, P]) rows(t *evalkit.Table, before, after string) {
	for _, kind := range goKinds() {
		if s := b[kind]; s != nil {
			s.row(t, before+kind+after)
		}
	}
}

// differences prints one-sided places, for inspecting a figure.
type differences struct{ left int }

func (d *differences) show(what, symbol string, missed, wrong []place) {
	for _, side := range []struct {
		sign string
		list []place
	}{{"-", missed}, {"+", wrong}} {
		for _, p := range side.list {
			if d.left--; d.left < 0 {
				return
			}
			evalkit.Progress("%s %s %s %s", side.sign, what, symbol, p)
		}
	}
}
