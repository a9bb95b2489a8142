// Package anchors measures how well anchors follow code. Each case is a pair of
// places that an external dataset calls the same code before and after a change; the
// package resolves an anchor from the first and compares the result with the second.
// FIGURES.md describes the datasets and holds the latest figures. The
// package must not use anything that callers of the anchors can't use.
package anchors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"manicule/cmd/internal/evalkit"
)

// evaluation is one run: its flags and its results so far.
type evaluation struct {
	data     string
	folder   string // folder of the repositories
	kind     string
	pairs    string
	cases    string // a file of mined cases, "" for those of this package
	misses   int
	commits  int // how many to mine
	apart    int
	change   string // what the wanted changes begin with
	byVerify bool
	quick    bool
	doc      evalkit.Document

	repos map[string]*repository

	mu        sync.Mutex
	baselines map[string][]outcome // by set and name
	healed    map[string][]outcome // by title
	sections  []evalkit.Section
	short     *evalkit.Table // for the page
}

// Command is `eval anchors`.
func Command() *cobra.Command {
	e := &evaluation{repos: make(map[string]*repository), baselines: make(map[string][]outcome), healed: make(map[string][]outcome), short: newTable("set")}
	cmd := evalkit.Command("anchors", "Measure how well anchors follow code", evalkit.Names(e.parts()), e.run)
	cmd.PersistentFlags().StringVar(&e.folder, "repos", os.Getenv("EVAL_ANCHORS_REPOS"), "a folder with the git repositories that the pairs are from")
	f := cmd.Flags()
	f.StringVar(&e.data, "data", os.Getenv("EVAL_ANCHORS"), "the folder with steps.jsonl and long.jsonl")
	f.StringVar(&e.kind, "kind", "", "only pairs of this kind")
	f.StringVar(&e.pairs, "pairs", "", "only the pairs of these histories: their oracle's names, with commas between, or a file that has one a line")
	f.StringVar(&e.cases, "cases", "", "mined: a file that `eval anchors mine` wrote, instead of the development set")
	f.BoolVar(&e.byVerify, "verify", false, "mined: resolve as 'manicule verify' does, from the record and git")
	f.IntVar(&e.misses, "misses", 0, "how many wrong pairs and falsely stale ones to print, for each kind and change")
	f.BoolVar(&e.quick, "quick", false, "leave the baselines out")
	e.doc.Flags(f, "cmd/eval/anchors/FIGURES.md")
	mine := &cobra.Command{
		Use: "mine FILE [repository | NAME=LANGUAGE ...]", Short: "Take cases from repositories, into a file", Args: cobra.MinimumNArgs(1),
		Long: "Take cases from repositories, into a file.\n\nWithout names it takes the development set's again. NAME=LANGUAGE takes those of any other\nrepository in the folder of --repos, as far as its HEAD, in a language of docs/languages.md by its\nID, such as csharp.",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			defer func() { err = errors.Join(err, e.close()) }()
			return e.mine(cmd.Context(), args[0], args[1:])
		},
	}
	mine.Flags().IntVar(&e.commits, "commits", commitsMined, "how many commits of each repository to look at, spread over its history")
	mine.Flags().IntVar(&e.apart, "apart", 1, "how many commits lie between the two states of a case")
	mine.Flags().StringVar(&e.change, "change", "", "only changes whose names begin like this, such as extract")
	cmd.AddCommand(mine)
	return cmd
}

// parts lists the sets of pairs. Long histories have two methods.
func (e *evaluation) parts() []evalkit.Part {
	along := func(name, file, title string, ask func(context.Context, *repository, []pair) ([]outcome, error), titles ...string) evalkit.Part {
		return evalkit.Part{Name: name, Run: func(ctx context.Context) error {
			pairs, err := e.read(file)
			if err != nil {
				return err
			}
			all, err := e.byRepository(pairs, func(r *repository, pairs []pair) ([]outcome, error) { return ask(ctx, r, pairs) })
			if err != nil {
				return err
			}
			e.report(title, all)
			for _, t := range titles {
				e.report(t, e.healed[t])
			}
			return nil
		}}
	}
	return []evalkit.Part{
		{Name: "mined", Run: e.askMined}, {Name: "methods", Run: e.askMethods},
		along("steps", "steps.jsonl", "one commit", e.steps, healRecord, healBack),
		along("ends", "long.jsonl", "only the ends", e.twoEnds),
		along("verify", "long.jsonl", "what verify says", verify),
		along("every", "long.jsonl", "every commit", e.everyCommit),
	}
}

func (e *evaluation) run(ctx context.Context, parts []string) (err error) {
	defer func() { err = errors.Join(err, e.close()) }()
	left, err := evalkit.RunParts(ctx, e.parts(), parts)
	if err != nil {
		return err
	}
	if e.kind != "" || e.pairs != "" || e.quick {
		left = append(left, "some of the pairs or the baselines")
	}
	text := fmt.Sprintf("Measured on %s.\n", e.doc.Date)
	for _, s := range e.sections {
		text += s.String()
	}
	e.doc.Short = fmt.Sprintf("Measured on %s.\n\n%s", e.doc.Date, e.short)
	return e.doc.Publish(text, left)
}

func (e *evaluation) close() (err error) {
	for _, r := range e.repos {
		err = errors.Join(err, r.close())
	}
	return err
}

// read reads the selected pairs of a file and opens their repositories.
func (e *evaluation) read(file string) ([]pair, error) {
	path, err := evalkit.Data(e.data).Path(file)
	if err != nil {
		return nil, err
	}
	pairs, err := evalkit.ReadLines[pair](path)
	if err != nil {
		return nil, err
	}
	if e.kind != "" {
		pairs = slices.DeleteFunc(pairs, func(p pair) bool { return p.Kind != e.kind })
	}
	if e.pairs != "" {
		names, err := readNames(e.pairs)
		if err != nil {
			return nil, err
		}
		pairs = slices.DeleteFunc(pairs, func(p pair) bool { return !names[p.name()] })
	}
	for _, p := range pairs {
		if _, err := e.open(p.Repo); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// open opens a repository by name.
func (e *evaluation) open(name string) (*repository, error) {
	if r := e.repos[name]; r != nil {
		return r, nil
	}
	dir := filepath.Join(e.folder, name)
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	r, err := openRepository(name, dir)
	if err == nil {
		e.repos[name] = r
	}
	return r, err
}

// byRepository runs f for the pairs of each repository, two repositories at a time.
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
