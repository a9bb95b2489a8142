// Package refactor measures how well anchors follow refactorings whose truth is
// known: it has real tools and scripts refactor real repositories, and asks the
// anchors where the code went. docs/anchor-truth.md holds the last figures. It
// must not reach into the anchors beyond what their users can ask.
package refactor

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/refactor"
)

type options struct {
	repos, cases, scratch string
	half, only            string
	seed                  uint64
	commits, each, misses int
	tools                 bool
}

// Command is `eval refactor`.
func Command() *cobra.Command {
	var o options
	measured := &cobra.Command{Use: "refactor", Short: "Measure how well anchors follow refactorings by tools", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return measure(o) }}
	all := measured.PersistentFlags()
	all.StringVar(&o.cases, "cases", "", "the folder that the cases are in")
	all.StringVar(&o.only, "only", "", "only repositories whose names begin like this")
	f := measured.Flags()
	f.StringVar(&o.half, "half", "dev", "dev, kept or all: which repositories are asked about")
	f.IntVar(&o.misses, "misses", 0, "how many misses of each kind to print")
	made := &cobra.Command{Use: "generate", Short: "Make the cases of repositories", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return generate(cmd.Context(), o) }}
	f = made.Flags()
	f.StringVar(&o.repos, "repos", os.Getenv("EVAL_REFACTOR_REPOS"), "a folder with git repositories in folders named LANGUAGE-NAME")
	f.StringVar(&o.scratch, "scratch", os.TempDir(), "where tools work")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of what is picked")
	f.IntVar(&o.commits, "commits", 12, "how many commits of each repository scripts refactor; tools a quarter of them")
	f.IntVar(&o.each, "each", 6, "how often a tool does each refactoring at a commit")
	f.BoolVar(&o.tools, "tools", false, "by tools, else by scripts")
	measured.AddCommand(made)
	return measured
}

// half returns the half of a repository, by its name alone.
func half(repo string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(repo)) // a hash never fails
	if h.Sum32()>>4&1 == 0 {
		return "dev"
	}
	return "kept"
}

// errNoCases says that nothing came of what was asked for.
var errNoCases = errors.New("no case was made")

// generate makes the cases of each repository. It fails if no case came of one of the
// tools that were asked for, or none at all.
func generate(ctx context.Context, o options) error {
	dirs, err := os.ReadDir(o.repos)
	if err != nil {
		return fmt.Errorf("list the repositories: %w (--repos names their folder)", err)
	}
	made := map[string]int{} // cases by language
	var failed []error
	for _, d := range dirs {
		lang, _, ok := strings.Cut(d.Name(), "-")
		if !ok || !strings.HasPrefix(d.Name(), o.only) {
			continue
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(d.Name())) // a hash never fails
		m := &refactor.Maker{Repo: d.Name(), Dir: filepath.Join(o.repos, d.Name()), Lang: lang, Rand: rand.New(rand.NewPCG(o.seed, h.Sum64()))}
		n, err := generateOne(ctx, o, m)
		switch {
		case ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case errors.Is(err, refactor.ErrNoTool):
			evalkit.Progress("%s: left out: %v", m.Repo, err)
			continue
		case err != nil:
			evalkit.Progress("%s: %v", m.Repo, err)
			failed = append(failed, fmt.Errorf("make the cases of %s: %w", m.Repo, err))
		}
		made[lang] += n
	}
	return verdict(made, failed)
}

// verdict is the error of a run that made cases by language: what failed counts only for
// a language of which there is no case, as old commits often can't be refactored.
func verdict(made map[string]int, failed []error) error {
	var none []string
	for _, lang := range slices.Sorted(maps.Keys(made)) {
		if made[lang] == 0 {
			none = append(none, lang)
		}
	}
	switch {
	case len(made) == 0:
		return fmt.Errorf("%w: no repository has a tool (folders are named LANGUAGE-NAME; without --tools, scripts refactor)", errNoCases)
	case len(none) > 0:
		return errors.Join(append([]error{fmt.Errorf("%w of %s", errNoCases, strings.Join(none, ", "))}, failed...)...)
	}
	return nil
}

// generateOne makes the cases of one repository, and returns their number. If there are
// none, earlier ones stay.
func generateOne(ctx context.Context, o options, m *refactor.Maker) (count int, err error) {
	how, n := "scripts", o.commits
	var command refactor.ToolCommand
	if o.tools {
		how, n = "tools", max(1, o.commits/4)
		if command, err = refactor.Command(m.Lang); err != nil {
			return 0, err
		}
	}
	commits, err := m.Commits(ctx, n)
	if err != nil {
		return 0, err
	}
	name := filepath.Join(o.cases, m.Repo+"-"+how+".jsonl.gz")
	f, err := os.Create(name + ".new")
	if err != nil {
		return 0, fmt.Errorf("keep the cases: %w (--cases names their folder)", err)
	}
	defer func() { _ = os.Remove(name + ".new") }() // it is gone if it was kept
	z := gzip.NewWriter(f)
	enc := json.NewEncoder(z)
	probes := 0
	answers := &refactor.Answers{}
	var failed []error
	for _, c := range commits {
		var all []refactor.Case
		if o.tools {
			all, err = m.Tooled(ctx, command, c[0], c[1], o.scratch, o.each, answers)
		} else {
			all, err = m.Scripted(ctx, c[0], c[1])
		}
		if err != nil { // a commit that can't be had, or whose tool ended
			failed = append(failed, fmt.Errorf("refactor at %s: %w", c[0], err))
			evalkit.Progress("%s %s: %v", m.Repo, c[0], err)
		}
		for _, k := range all {
			count, probes = count+1, probes+len(k.Probes)
			if err := enc.Encode(k); err != nil {
				return count, errors.Join(fmt.Errorf("keep the cases: %w", err), f.Close())
			}
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		return count, fmt.Errorf("keep the cases: %w", err)
	}
	for _, line := range answers.Lines() {
		evalkit.Progress("%s: %s", m.Repo, line)
	}
	evalkit.Progress("%s %s (%s): %d commits, %d of them failed; %d cases, %d spots", m.Repo, how, half(m.Repo), len(commits), len(failed), count, probes)
	if count == 0 {
		return 0, errors.Join(failed...)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return count, fmt.Errorf("keep the cases: %w", err)
	}
	return count, nil
}

// each reads the cases of a half.
func each(o options, visit func(refactor.Case)) error {
	files, err := filepath.Glob(filepath.Join(o.cases, o.only+"*.jsonl.gz"))
	if err != nil {
		return err
	}
	for _, name := range files {
		repo := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), "-scripts.jsonl.gz"), "-tools.jsonl.gz")
		if o.half != "all" && half(repo) != o.half {
			continue
		}
		if err := eachIn(name, visit); err != nil {
			return fmt.Errorf("read the cases of %s: %w", name, err)
		}
	}
	return nil
}

func eachIn(name string, visit func(refactor.Case)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bufio.NewReader(z))
	for {
		var c refactor.Case
		if err := dec.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		visit(c)
	}
}
