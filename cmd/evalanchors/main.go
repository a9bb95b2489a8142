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
	"sync"

	"golang.org/x/sync/errgroup"
)

type options struct {
	data   string
	repos  string
	only   string
	kind   string
	pairs  string
	misses int
	quick  bool
	doc    string
	date   string
	write  bool
	mined  string
	mineTo string
}

type evaluation struct {
	options
	repos map[string]*repository

	mu        sync.Mutex
	baselines map[string][]outcome // by set and name
	healed    map[string][]outcome // by title
	sections  []section
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("EVAL_ANCHORS"), "the folder with steps.jsonl and long.jsonl")
	flag.StringVar(&o.repos, "repos", os.Getenv("EVAL_ANCHORS_REPOS"), "a folder with the git repositories that the pairs are from")
	flag.StringVar(&o.only, "only", "", "only these parts, of mined, methods, steps, ends, verify and every, with commas between")
	flag.StringVar(&o.kind, "kind", "", "only pairs of this kind")
	flag.StringVar(&o.pairs, "pairs", "", "only the pairs of these histories: their oracle's names, with commas between, or a file that has one a line")
	flag.IntVar(&o.misses, "misses", 0, "how many of the pairs to print that went wrong, of each kind and change")
	flag.BoolVar(&o.quick, "quick", false, "leave the baselines out")
	flag.StringVar(&o.doc, "doc", "docs/anchor-truth.md", "the file that -write changes")
	flag.StringVar(&o.date, "date", "", "the day to write beside the figures (default: today)")
	flag.BoolVar(&o.write, "write", false, "write the figures into the documentation")
	flag.StringVar(&o.mined, "mined", "cmd/evalanchors/testdata/mined.jsonl", "the cases of Go, TypeScript and Python")
	flag.StringVar(&o.mineTo, "mine", "", "take such cases from the repositories again, into this file")
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
	e := &evaluation{options: o, repos: make(map[string]*repository), baselines: make(map[string][]outcome), healed: make(map[string][]outcome)}
	defer func() {
		for _, r := range e.repos {
			err = errors.Join(err, r.close())
		}
	}()
	if o.mineTo != "" {
		return e.mine(ctx, o.mineTo)
	}
	if e.asked("mined") {
		if err := e.askMined(ctx); err != nil {
			return err
		}
		if o.only == "mined" {
			return e.print()
		}
	}
	if e.asked("methods") {
		if err := e.askMethods(ctx); err != nil {
			return err
		}
		if o.only == "methods" {
			return e.print()
		}
	}
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
	if o.pairs != "" {
		names, err := readNames(o.pairs)
		if err != nil {
			return err
		}
		other := func(p pair) bool { return !names[p.name()] }
		pairs, long = slices.DeleteFunc(pairs, other), slices.DeleteFunc(long, other)
	}
	if e.asked("steps") {
		all, err := e.byRepository(pairs, func(r *repository, pairs []pair) ([]outcome, error) { return e.steps(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("one commit", all)
		for _, title := range []string{healRecord, healBack} {
			e.report(title, e.healed[title])
		}
	}
	if e.asked("ends") {
		all, err := e.byRepository(long, func(r *repository, pairs []pair) ([]outcome, error) { return e.ends(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("only the ends", all)
	}
	if e.asked("verify") {
		all, err := e.byRepository(long, func(r *repository, pairs []pair) ([]outcome, error) { return e.verify(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("what verify says", all)
	}
	if e.asked("every") {
		all, err := e.byRepository(long, func(r *repository, pairs []pair) ([]outcome, error) { return e.every(ctx, r, pairs) })
		if err != nil {
			return err
		}
		e.report("every commit", all)
	}
	return e.print()
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

func progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, "evalanchors: "+format+"\n", args...) // only for who waits
}
