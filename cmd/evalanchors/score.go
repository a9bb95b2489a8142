package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"manicule/indexer/anchor"
)

// score sums up outcomes.
type score struct {
	n        int
	right    int // in the right place
	placed   int // fresh, drifted or followed
	sure     int // of these in the right place
	followed int
	followOK int
	orphaned int
	stale    int
	same     int // pairs whose cited code is the same
	kept     int // of these fresh or followed
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
		if o.state == anchor.Fresh || o.state == anchor.Followed {
			s.kept++
		}
	}
}

func share(a, b int) string {
	if b == 0 {
		return "–"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", float64(a)/float64(b)), "0")
}

// section is one table of the report.
type section struct {
	title string
	rows  [][]string
}

var columns = []string{"", "pairs", "right place", "precision", "followed: precision", "orphaned", "stale", "false stale"}

func (s *score) row(name string) []string {
	return []string{name, fmt.Sprint(s.n), share(s.right, s.n), share(s.sure, s.placed), fmt.Sprintf("%s (%d)", share(s.followOK, s.followed), s.followed),
		share(s.orphaned, s.n), share(s.stale, s.n), fmt.Sprintf("%s (%d)", share(s.same-s.kept, s.same), s.same)}
}

// report adds the tables of one set: all, by kind, by kind of change, and what
// the baselines say.
func (e *evaluation) report(title string, all []outcome) {
	total := &score{}
	kinds, changes := make(map[string]*score), make(map[string]*score)
	shown := make(map[string]int)
	for _, o := range all {
		total.add(o)
		of(kinds, o.kind).add(o)
		of(changes, o.change).add(o)
		if key := o.kind + o.change; !o.right && shown[key] < e.misses {
			shown[key]++
			_, _ = fmt.Fprintln(os.Stderr, "miss:", o.note) // only for who looks
		}
	}
	s := section{title: title, rows: [][]string{total.row("**Manicule**")}}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		s.rows = append(s.rows, kinds[k].row(k))
	}
	byNumber := slices.SortedFunc(maps.Keys(changes), func(a, b string) int {
		return cmp.Or(cmp.Compare(changes[b].n, changes[a].n), cmp.Compare(a, b))
	})
	for _, k := range byNumber {
		s.rows = append(s.rows, changes[k].row("*"+k+"*"))
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
		s.rows = append(s.rows, row)
		if title == minedTitle {
			s.rows = append(s.rows, ofChanges(name, e.baselines[key])...)
		}
	}
	e.sections = append(e.sections, s)
}

// ofChanges sums up what a baseline says of the kinds of change that it is about.
func ofChanges(name string, all []outcome) [][]string {
	changes := make(map[string]*score)
	for _, o := range all {
		if !strings.HasSuffix(o.change, "edit") || strings.Contains(o.change, ",") {
			of(changes, o.change).add(o)
		}
	}
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(changes)) {
		row := changes[k].row("baseline: " + name + ", *" + k + "*")
		row[4], row[6], row[7] = "", "", ""
		rows = append(rows, row)
	}
	return rows
}

func of(m map[string]*score, key string) *score {
	if m[key] == nil {
		m[key] = &score{}
	}
	return m[key]
}

// markdown writes the tables.
func (e *evaluation) markdown() string {
	var b strings.Builder
	day := e.date
	if day == "" {
		day = time.Now().Format(time.DateOnly)
	}
	fmt.Fprintf(&b, "Measured on %s.\n", day)
	for _, s := range e.sections {
		fmt.Fprintf(&b, "\n### %s\n\n| %s |\n|%s\n", s.title, strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
		for _, r := range s.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
		}
	}
	return b.String()
}

// Marks around the figures in the documentation.
const (
	beginFigures = "<!-- figures: make eval-anchors -->\n"
	endFigures   = "<!-- end of figures -->"
)

func (e *evaluation) print() error {
	text := e.markdown()
	if _, err := fmt.Print(text); err != nil {
		return fmt.Errorf("print the figures: %w", err)
	}
	if !e.write {
		return nil
	}
	if e.only != "" || e.kind != "" || e.pairs != "" || e.quick {
		return fmt.Errorf("nothing is written, since parts were left out")
	}
	doc, err := os.ReadFile(e.doc)
	if err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	head, rest, ok := strings.Cut(string(doc), beginFigures)
	_, tail, ok2 := strings.Cut(rest, endFigures)
	if !ok || !ok2 {
		return fmt.Errorf("write the figures: %s has no marks for them", e.doc)
	}
	if err := os.WriteFile(e.doc, []byte(head+beginFigures+text+endFigures+tail), 0o644); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return nil
}
