package anchors

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
)

// score sums outcomes.
type score struct {
	n        int
	right    int // in the right place
	placed   int // fresh, drifted or followed
	sure     int // of these in the right place
	followed int
	followOK int
	orphaned int
	stale    int
	same     int // pairs whose cited code is unchanged
	kept     int // of these, fresh or followed
}

func (s *score) add(o outcome) {
	s.n++
	if o.right {
		s.right++
	}
	switch o.state {
	case anchor.Orphaned:
		s.orphaned++
	case anchor.Stale:
		s.stale++
	default:
		s.placed++
		if o.right {
			s.sure++
		}
	}
	if o.state == anchor.Followed {
		s.followed++
		if o.right {
			s.followOK++
		}
	}
	if o.same {
		s.same++
		if !o.falselyStale() {
			s.kept++
		}
	}
}

// falselyStale reports whether an anchor doubts code that is the same.
func (o outcome) falselyStale() bool {
	return o.same && o.state != anchor.Fresh && o.state != anchor.Followed
}

// share formats a ratio without the zero before its point.
func share(a, b int) string { return strings.TrimPrefix(evalkit.Ratio(a, b), "0") }

func (s *score) row(name string) []string {
	return []string{name, fmt.Sprint(s.n), share(s.right, s.n), share(s.sure, s.placed), fmt.Sprintf("%s (%d)", share(s.followOK, s.followed), s.followed),
		share(s.orphaned, s.n), share(s.stale, s.n), fmt.Sprintf("%s (%d)", share(s.same-s.kept, s.same), s.same)}
}

// perfect reports whether a row of s would only say that all is right.
func (s *score) perfect() bool { return s.right == s.n && s.stale == 0 && s.kept == s.same }

// weak reports whether a reader of the page has to know of a kind.
func (s *score) weak() bool { return s.n >= 10 && s.right*20 < s.n*19 }

func newTable(first string) *evalkit.Table {
	return evalkit.NewTable(first, "pairs", "right place", "precision", "followed: precision", "orphaned", "stale", "false stale")
}

// report adds the tables of one set: all pairs, by kind, by kind of change, and the
// baselines. Kinds of which all is right are only named, and the page has those that are weak.
func (e *evaluation) report(title string, all []outcome) {
	total := &score{}
	kinds, changes := make(map[string]*score), make(map[string]*score)
	shown := make(map[string]int)
	for _, o := range all {
		total.add(o)
		of(kinds, o.kind).add(o)
		of(changes, o.change).add(o)
		what := "miss:"
		if o.right {
			what = "falsely stale:"
		}
		if key := what + o.kind + o.change; (!o.right || o.falselyStale()) && shown[key] < e.misses {
			shown[key]++
			_, _ = fmt.Fprintln(os.Stderr, what, o.note) // printed only on request
		}
	}
	t := newTable("")
	t.Rows = [][]string{total.row("**Manicule**")}
	e.short.Rows = append(e.short.Rows, total.row("**"+title+"**"))
	var perfect []string
	row := func(name string, s *score) {
		if s.perfect() {
			perfect = append(perfect, fmt.Sprintf("%s (%d)", name, s.n))
			return
		}
		t.Rows = append(t.Rows, s.row(name))
		if s.weak() {
			e.short.Rows = append(e.short.Rows, s.row("– "+name))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		row(k, kinds[k])
	}
	byNumber := slices.SortedFunc(maps.Keys(changes), func(a, b string) int {
		return cmp.Or(cmp.Compare(changes[b].n, changes[a].n), cmp.Compare(a, b))
	})
	for _, k := range byNumber {
		row("*"+k+"*", changes[k])
	}
	for _, key := range slices.Sorted(maps.Keys(e.baselines)) {
		set, name, _ := strings.Cut(key, "\x00")
		if set != title {
			continue
		}
		b := &score{}
		for _, o := range e.baselines[key] {
			b.add(o)
		}
		row := b.row("baseline: " + name)
		row[4], row[6], row[7] = "", "", ""
		t.Rows = append(t.Rows, row)
		e.short.Rows = append(e.short.Rows, append([]string{"– " + row[0]}, row[1:]...))
	}
	section := evalkit.Section{Title: title, Table: t}
	if len(perfect) > 0 && !total.perfect() {
		section.Notes = []string{"All at the right place, and none stale: " + strings.Join(perfect, ", ") + "."}
	}
	e.sections = append(e.sections, section)
}

func of(m map[string]*score, key string) *score {
	if m[key] == nil {
		m[key] = &score{}
	}
	return m[key]
}
