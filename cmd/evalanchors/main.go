// Command evalanchors measures how well anchors follow the code: it takes pairs
// of places that others say are the same code before and after a change, and
// asks the anchors. docs/anchor-truth.md says what the pairs are, and holds the
// last figures. It must not reach into the anchors beyond what their users can ask.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

type options struct {
	data   string
	repos  string
	only   string
	kind   string
	misses int
}

type evaluation struct {
	options
	repos map[string]*repository
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("EVAL_ANCHORS"), "the folder with steps.jsonl and long.jsonl")
	flag.StringVar(&o.repos, "repos", os.Getenv("EVAL_ANCHORS_REPOS"), "a folder with the git repositories that the pairs are from")
	flag.StringVar(&o.only, "only", "", "only these parts, of steps, ends and every, with commas between")
	flag.StringVar(&o.kind, "kind", "", "only pairs of this kind")
	flag.IntVar(&o.misses, "misses", 0, "how many of the pairs to print that went wrong, of each kind and change")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "evalanchors:", err) // nowhere left to complain
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	e := &evaluation{options: o, repos: make(map[string]*repository)}
	defer func() {
		for _, r := range e.repos {
			err = errors.Join(err, r.close())
		}
	}()
	pairs, err := readPairs(filepath.Join(o.data, "steps.jsonl"))
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if e.repos[p.Repo] == nil {
			if e.repos[p.Repo], err = openRepository(p.Repo, filepath.Join(o.repos, p.Repo)); err != nil {
				return err
			}
		}
	}
	long, err := readPairs(filepath.Join(o.data, "long.jsonl"))
	if err != nil {
		return err
	}
	if o.kind != "" {
		other := func(p pair) bool { return p.Kind != o.kind }
		pairs, long = slices.DeleteFunc(pairs, other), slices.DeleteFunc(long, other)
	}
	if e.asked("steps") {
		all, err := e.byRepository(pairs, func(r *repository, pairs []pair) ([]outcome, error) { return e.steps(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("one commit", all)
	}
	if e.asked("ends") {
		all, err := e.byRepository(long, func(r *repository, pairs []pair) ([]outcome, error) { return e.ends(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("only the ends", all)
	}
	if e.asked("every") {
		all, err := e.byRepository(long, func(r *repository, pairs []pair) ([]outcome, error) { return e.every(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("every commit", all)
	}
	return nil
}

func (e *evaluation) asked(part string) bool {
	return e.only == "" || slices.Contains(strings.Split(e.only, ","), part)
}

// byRepository asks for the pairs of each repository, two repositories at a time.
func (e *evaluation) byRepository(pairs []pair, ask func(*repository, []pair) ([]outcome, error)) ([]outcome, error) {
	of := make(map[string][]pair)
	for _, p := range pairs {
		of[p.Repo] = append(of[p.Repo], p)
	}
	names := slices.Sorted(maps.Keys(of))
	results := make([][]outcome, len(names))
	var g errgroup.Group
	g.SetLimit(2)
	for i, name := range names {
		pairs := of[name]
		slices.SortStableFunc(pairs, func(a, b pair) int {
			return cmp.Or(cmp.Compare(a.End.Commit, b.End.Commit), cmp.Compare(a.Start.Commit, b.Start.Commit), cmp.Compare(a.Commit, b.Commit))
		})
		g.Go(func() (err error) {
			defer e.repos[name].forget()
			results[i], err = ask(e.repos[name], pairs)
			return err
		})
	}
	err := g.Wait()
	return slices.Concat(results...), err
}

func (e *evaluation) report(title string, all []outcome) {
	fmt.Println("##", title)
	type row struct{ n, right, placed, placedRight int }
	rows := map[string]*row{}
	shown := map[string]int{}
	for _, o := range all {
		for _, k := range []string{"all", o.kind, o.kind + " / " + o.change} {
			if rows[k] == nil {
				rows[k] = &row{}
			}
			r := rows[k]
			r.n++
			if o.right {
				r.right++
			}
			if o.placed() {
				r.placed++
				if o.right {
					r.placedRight++
				}
			}
		}
		if os.Getenv("ALL") != "" {
			fmt.Println("ALL", o.right, o.note)
		}
		if !o.right && shown[o.kind+o.change] < e.misses {
			shown[o.kind+o.change]++
			fmt.Println("MISS", o.note)
		}
	}
	var keys []string
	for k := range rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	for _, k := range keys {
		r := rows[k]
		fmt.Printf("%-40s n %5d  recall %.3f  precision %.3f  unplaced %.3f\n", k, r.n, float64(r.right)/float64(r.n), float64(r.placedRight)/float64(max(1, r.placed)), 1-float64(r.placed)/float64(r.n))
	}
}

func progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, "evalanchors: "+format+"\n", args...) // only for who waits
}
