package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"manicule/cmd/internal/refactor"
	"manicule/indexer/anchor"
)

// tally counts what was said of some spots.
type tally struct{ n, right, sure, sureRight, followed, followedRight, orphaned, stale int }

func (t *tally) add(state anchor.State, right bool) {
	one := 0
	if right {
		one = 1
	}
	t.n++
	t.right += one
	switch state {
	case anchor.Orphaned:
		t.orphaned++
	case anchor.Stale:
		t.stale++
	case anchor.Followed:
		t.followed++
		t.followedRight += one
		fallthrough
	default:
		t.sure++
		t.sureRight += one
	}
}

func share(a, b int) string {
	if b == 0 {
		return "–"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", float64(a)/float64(b)), "0")
}

func (t *tally) row(name string) string {
	return fmt.Sprintf("| %s | %d | %s | %s | %s (%d) | %s | %s |", name, t.n, share(t.right, t.n), share(t.sureRight, t.sure),
		share(t.followedRight, t.followed), t.followed, share(t.orphaned, t.n), share(t.stale, t.n))
}

// report is the tables of one half.
type report struct {
	misses int

	mu     sync.Mutex
	tables [3]map[string]*tally // by language, by kind, by what the spot is
	shown  map[string]int
}

func measure(o options) error {
	r := &report{misses: o.misses, shown: map[string]int{}}
	for i := range r.tables {
		r.tables[i] = map[string]*tally{}
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	err := each(o, func(c refactor.Case) {
		g.Go(func() error {
			r.ask(c)
			return nil
		})
	})
	if err != nil {
		return err
	}
	_ = g.Wait() // none fails
	r.print(o.half)
	return nil
}

// ask asks for the spots of one case.
func (r *report) ask(c refactor.Case) {
	was, is := refactor.State(c.Before), refactor.State(c.After)
	w := world(was, is)
	for _, p := range c.Probes {
		a := anchored(p.Before, was.Source(p.Before.Path))
		res := w.Resolve(a)
		r.note(c, p, res, agrees(p.After, res))
	}
}

// world is what an anchor sees of a case.
func world(was, is refactor.State) *anchor.World {
	sources := func(s refactor.State) func(string) *anchor.Source {
		all := map[string]*anchor.Source{}
		return func(path string) *anchor.Source {
			if _, ok := all[path]; !ok {
				all[path] = s.Source(path)
			}
			return all[path]
		}
	}
	o, n := sources(was), sources(is)
	return &anchor.World{Old: o, New: n, Changed: func() []anchor.Change {
		var all []anchor.Change
		for _, p := range was.Differing(is) {
			all = append(all, anchor.Change{Old: o(p), New: n(p)})
		}
		return all
	}}
}

func anchored(s refactor.Spot, src *anchor.Source) anchor.Anchor {
	a := anchor.Anchor{Kind: anchor.KindLines, Path: s.Path, Language: src.Lang, Blob: src.Blob, Focus: s.Focus}
	if s.Symbol != "" {
		a.Kind, a.Symbol, a.Ordinal = anchor.KindSymbol, s.Symbol, s.Ordinal
		return a
	}
	a.Lines = &anchor.LineRange{Start: s.Line, End: s.Line}
	return a
}

func agrees(want refactor.Spot, res anchor.Resolution) bool {
	if res.State == anchor.Orphaned || res.Path != want.Path {
		return false
	}
	return res.Line == want.Line && (want.Symbol == "" || res.Symbol == want.Symbol && res.Ordinal == want.Ordinal)
}

func (r *report) note(c refactor.Case, p refactor.Probe, res anchor.Resolution, right bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := c.Kind
	what := "line"
	switch {
	case p.Before.Symbol != "":
		what = "declaration"
	case p.Before.Focus != "":
		what = "variable"
	}
	if p.Beside {
		kind, what = "beside what was refactored", what+" beside"
	}
	if c.Next != "" {
		kind += ", then real commits"
	}
	for i, key := range []string{c.Lang, kind, what} {
		if r.tables[i][key] == nil {
			r.tables[i][key] = &tally{}
		}
		r.tables[i][key].add(res.State, right)
	}
	if key := c.Lang + kind + what; !right && r.shown[key] < r.misses {
		r.shown[key]++
		_, _ = fmt.Fprintf(os.Stderr, "miss: %s %s | %s | %s %s | %v -> %v | %s %s %s#%s:%d %.2f %q\n", c.Repo, c.Commit[:10], kind, what, c.Next, p.Before, p.After,
			res.State, res.Rung, res.Path, res.Symbol, res.Line, res.Confidence, res.Reason) // only for who looks
	}
}

func (r *report) print(half string) {
	fmt.Printf("### Generated refactorings, %s repositories\n\n", half)
	fmt.Println("|  | spots | right place | precision | followed: precision | orphaned | stale |\n| --- | --- | --- | --- | --- | --- | --- |")
	all := &tally{}
	for _, t := range r.tables[0] {
		all.n, all.right, all.sure, all.sureRight = all.n+t.n, all.right+t.right, all.sure+t.sure, all.sureRight+t.sureRight
		all.followed, all.followedRight = all.followed+t.followed, all.followedRight+t.followedRight
		all.orphaned, all.stale = all.orphaned+t.orphaned, all.stale+t.stale
	}
	fmt.Println(all.row("**Manicule**"))
	for i, table := range r.tables {
		names := slices.SortedFunc(maps.Keys(table), func(a, b string) int { return cmp.Compare(a, b) })
		for _, n := range names {
			if i == 0 {
				fmt.Println(table[n].row(n))
			} else {
				fmt.Println(table[n].row("*" + n + "*"))
			}
		}
	}
}
