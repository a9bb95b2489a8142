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
	"math/rand/v2"
	"os"
	"path/filepath"
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

func generate(ctx context.Context, o options) error {
	dirs, err := os.ReadDir(o.repos)
	if err != nil {
		return fmt.Errorf("list the repositories: %w", err)
	}
	for _, d := range dirs {
		lang, _, ok := strings.Cut(d.Name(), "-")
		if !ok || !strings.HasPrefix(d.Name(), o.only) {
			continue
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(d.Name())) // a hash never fails
		m := &refactor.Maker{Repo: d.Name(), Dir: filepath.Join(o.repos, d.Name()), Lang: lang, Rand: rand.New(rand.NewPCG(o.seed, h.Sum64()))}
		if err := generateOne(ctx, o, m); err != nil {
			return err
		}
	}
	return nil
}

func generateOne(ctx context.Context, o options, m *refactor.Maker) (err error) {
	how := "scripts"
	n := o.commits
	if o.tools {
		how, n = "tools", max(1, o.commits/4)
		if command, _ := refactor.Command(m.Lang); command == nil {
			return nil
		}
	}
	commits, err := m.Commits(ctx, n)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(o.cases, m.Repo+"-"+how+".jsonl.gz"))
	if err != nil {
		return fmt.Errorf("keep the cases: %w", err)
	}
	z := gzip.NewWriter(f)
	defer func() { err = errors.Join(err, z.Close(), f.Close()) }()
	enc := json.NewEncoder(z)
	count, probes := 0, 0
	for _, c := range commits {
		var all []refactor.Case
		if o.tools {
			all, err = m.Tooled(ctx, c[0], c[1], o.scratch, o.each)
		} else {
			all, err = m.Scripted(ctx, c[0], c[1])
		}
		if err != nil {
			evalkit.Progress("%s %s: %v", m.Repo, c[0], err) // an unavailable commit is left out
		}
		for _, k := range all {
			count, probes = count+1, probes+len(k.Probes)
			if err := enc.Encode(k); err != nil {
				return fmt.Errorf("keep the cases: %w", err)
			}
		}
	}
	evalkit.Progress("%s %s (%s): %d cases, %d spots", m.Repo, how, half(m.Repo), count, probes)
	return ctx.Err()
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
