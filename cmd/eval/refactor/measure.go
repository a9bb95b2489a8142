package refactor

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/refactor"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// tally counts the resolutions of some spots.
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

func (t *tally) row(name string) string {
	return fmt.Sprintf("| %s | %d | %s | %s | %s (%d) | %s | %s |", name, t.n, evalkit.Ratio(t.right, t.n), evalkit.Ratio(t.sureRight, t.sure),
		evalkit.Ratio(t.followedRight, t.followed), t.followed, evalkit.Ratio(t.orphaned, t.n), evalkit.Ratio(t.stale, t.n))
}

// report holds the tables of one half.
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
	return r.print(o.half)
}

// ask resolves the spots of one case.
func (r *report) ask(c refactor.Case) {
	was, is := refactor.State(c.Before), refactor.State(c.After)
	w := world(was, is)
	for _, p := range c.Probes {
		a := anchored(p.Before, was.Source(p.Before.Path))
		res := w.Resolve(a)
		r.note(c, p, res, agrees(p.After, res))
	}
}

// world returns the view of a case that an anchor's resolution sees.
func world(was, is refactor.State) *anchoring.World {
	sources := func(s refactor.State) func(string) *anchoring.Source {
		all := map[string]*anchoring.Source{}
		return func(path string) *anchoring.Source {
			if _, ok := all[path]; !ok {
				all[path] = s.Source(path)
			}
			return all[path]
		}
	}
	o, n := sources(was), sources(is)
	return &anchoring.World{Old: o, New: n, Changed: func() []anchoring.Change {
		var all []anchoring.Change
		for _, p := range was.Differing(is) {
			all = append(all, anchoring.Change{Old: o(p), New: n(p)})
		}
		return all
	}}
}

func anchored(s refactor.Spot, src *anchoring.Source) anchor.Anchor {
	a := anchor.Anchor{Kind: anchor.KindLines, Path: s.Path, Language: src.Lang, Blob: src.Blob, Focus: s.Focus}
	if s.Symbol != "" {
		a.Kind, a.Symbol, a.Ordinal = anchor.KindSymbol, s.Symbol, s.Ordinal
		return a
	}
	a.Lines = &anchor.LineRange{Start: s.Line, End: s.Line}
	return a
}

func agrees(want refactor.Spot, res anchoring.Resolution) bool {
	if res.State == anchor.Orphaned || res.Path != want.Path {
		return false
	}
	return res.Line == want.Line && (want.Symbol == "" || res.Symbol == want.Symbol && res.Ordinal == want.Ordinal)
}

func (r *report) note(c refactor.Case, p refactor.Probe, res anchoring.Resolution, right bool) {
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
	lang := c.Lang + ", what was refactored"
	if p.Beside {
		lang = c.Lang + ", beside it"
		kind, what = "beside what was refactored", what+" beside"
	}
	if c.Next != "" {
		kind += ", then real commits"
	}
	for i, key := range []string{lang, kind, what} {
		if r.tables[i][key] == nil {
			r.tables[i][key] = &tally{}
		}
		r.tables[i][key].add(res.State, right)
	}
	if key := c.Lang + kind + what; !right && r.shown[key] < r.misses {
		r.shown[key]++
		_, _ = fmt.Fprintf(os.Stderr, "miss: %s %s | %s | %s %s | %v -> %v | %s %s %s#%s:%d %.2f %q\n", c.Repo, c.Commit[:10], kind, what, c.Next, p.Before, p.After,
			res.State, res.Rung, res.Path, res.Symbol, res.Line, res.Confidence, res.Reason) // printed only on request
	}
}

func (r *report) print(half string) error {
	head := []string{"spots", "right place", "precision", "followed: precision", "orphaned", "stale"}
	var b strings.Builder
	fmt.Fprintf(&b, "### Generated refactorings, %s repositories\n\n|  | %s |\n|%s\n", half, strings.Join(head, " | "), strings.Repeat(" --- |", len(head)+1))
	for i, table := range r.tables {
		for _, n := range slices.Sorted(maps.Keys(table)) {
			name := n
			if i > 0 {
				name = "*" + n + "*"
			}
			b.WriteString(table[n].row(name) + "\n")
		}
	}
	if _, err := fmt.Print(b.String()); err != nil {
		return fmt.Errorf("print the figures: %w", err)
	}
	return nil
}
