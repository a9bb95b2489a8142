// Package graph measures the cost of the code graph on real source trees. It runs
// whole processes (a cold index, an unchanged tree, one changed file) and also one
// long-lived process, as in a language server (a saved file, a branch switch, an
// impact query). docs/benchmarks.md holds the latest tables. The package works on
// copies and must not change the trees that it is given.
package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
	"manicule/grammars"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
)

type options struct {
	bin            string
	edits, impacts int
	scale          []int
	plot           string
}

// Command is `bench graph`.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "graph TREE...", Short: "Measure the cost of the code graph on source trees", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, trees []string) error { return run(cmd.Context(), o, trees, os.Stdout) },
	}
	f := cmd.Flags()
	f.StringVar(&o.bin, "bin", "", "the manicule binary (default: built from ./cmd/manicule, stripped)")
	f.IntVar(&o.edits, "edits", 60, "saved files that are measured")
	f.IntVar(&o.impacts, "impacts", 500, "symbols whose impact is measured")
	f.IntSliceVar(&o.scale, "scale", nil, "measure growth: sizes in lines to which all trees together are cut")
	f.StringVar(&o.plot, "plot", "", "the SVG file for a plot of --scale")
	return cmd
}

// run measures each tree or, with sizes, all trees as one, cut to each size. If a later
// tree fails, the results so far are still printed.
func run(ctx context.Context, o options, trees []string, out io.Writer) (err error) {
	box, err := sandbox.New(ctx, o.bin, "-s -w")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Remove()) }()
	var all []*result
	defer func() {
		_, failed := fmt.Fprint(out, table(all))
		err = errors.Join(err, failed)
	}()
	if len(o.scale) == 0 {
		for _, tree := range trees {
			r, err := measure(ctx, box, o, []string{tree}, 0)
			if err != nil {
				return fmt.Errorf("%s: %w", tree, err)
			}
			all = append(all, r)
			evalkit.Progress("%s: cold %.1f s", tree, r.cold.clock.Seconds())
		}
		return nil
	}
	for _, lines := range o.scale {
		r, err := measure(ctx, box, o, trees, lines)
		if err != nil {
			return fmt.Errorf("%d lines: %w", lines, err)
		}
		if r.lines < lines*9/10 {
			return fmt.Errorf("the trees have %d lines, fewer than %d: name more of them", r.lines, lines)
		}
		all = append(all, r)
		evalkit.Progress("%d lines: cold %.1f s", r.lines, r.cold.clock.Seconds())
	}
	if o.plot == "" {
		return nil
	}
	return drawGrowth(o.plot, all)
}

// table formats the results as Markdown.
func table(all []*result) *evalkit.Table {
	t := evalkit.NewTable("tree", "lines", "files", "symbols", "edges", "cold: clock / processor s", "peak MB", "graph.db MB", "nothing changed: clock / processor ms", "one touched: clock / processor ms", "saved file p50 / p95 ms",
		"200 files switched ms", "impact depth 3 p50 / p95 ms", "first question, whole graph / part ms", "load")
	for _, r := range all {
		t.Add(r.tree, r.lines, r.state.Files, r.state.Symbols, r.state.Edges, fmt.Sprintf("%.1f / %.1f", r.cold.clock.Seconds(), r.cold.processor.Seconds()), r.cold.peakMB, fmt.Sprintf("%.0f", float64(r.state.Bytes)/(1<<20)),
			r.still.millis(), r.touched.millis(), ms(r.saved, .5)+" / "+ms(r.saved, .95), ms(r.branch, .5), ms(r.impact, .5)+" / "+ms(r.impact, .95), evalkit.Millis(r.firstWhole)+" / "+evalkit.Millis(r.firstPart), r.load)
	}
	return t
}

func ms(s []time.Duration, q float64) string { return evalkit.Millis(evalkit.Percentile(s, q)) }

// copyTrees copies the build files and sources of trees, at most about this many lines of
// code (0 means all). It returns the paths and the number of lines. Each of several trees
// gets its own folder. Vendored code is left out.
func copyTrees(trees []string, to string, limit int) (paths []string, lines int, err error) {
	for _, from := range trees {
		err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				switch d.Name() {
				case ".git", "node_modules", "vendor":
					return filepath.SkipDir
				}
				return nil
			}
			rel, err := filepath.Rel(from, p)
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if len(trees) > 1 {
				rel = filepath.Join(filepath.Base(from), rel)
			}
			l, code := grammars.ForPath(rel)
			build := resolve.BuildFile(filepath.ToSlash(rel))
			if !code && !build || limit > 0 && lines >= limit && !build {
				return nil
			}
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			if code && l.Resolution != grammars.ResolveNone {
				paths = append(paths, filepath.ToSlash(rel))
				lines += strings.Count(string(data), "\n")
			}
			name := filepath.Join(to, rel)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			return os.WriteFile(name, data, 0o644)
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return paths, lines, nil
}

// cost is what a process took.
type cost struct {
	clock, processor time.Duration
	peakMB           int64
}

// index runs `manicule index` as a process.
func index(ctx context.Context, box *sandbox.Sandbox, root string) (c cost, err error) {
	cmd := box.Manicule(ctx, root, "index")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	c.clock = time.Since(start)
	if err != nil {
		return c, fmt.Errorf("manicule index: %w\n%s", err, out)
	}
	c.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peakMB = u.Maxrss >> 10 // kilobytes on Linux
	}
	return c, nil
}

// result is what was measured on one tree.
type result struct {
	tree                  string
	lines                 int
	state                 graph.State
	cold                  cost
	still, touched        costs
	saved, branch, impact []time.Duration
	firstWhole, firstPart time.Duration
	load                  string // when it was measured
}

// costs are those of several runs.
type costs []cost

func (all costs) of(part func(cost) time.Duration) (out []time.Duration) {
	for _, c := range all {
		out = append(out, part(c))
	}
	return out
}

// millis formats the medians by the clock and of processor time.
func (all costs) millis() string {
	return ms(all.of(func(c cost) time.Duration { return c.clock }), .5) + " / " + ms(all.of(func(c cost) time.Duration { return c.processor }), .5)
}

// branches is how often a branch switch is measured. A switch changes this many files
// (switched).
const branches, switched = 5, 200

func measure(ctx context.Context, box *sandbox.Sandbox, o options, trees []string, limit int) (*result, error) {
	root := filepath.Join(box.Dir, "tree")
	if err := errors.Join(os.RemoveAll(root), os.MkdirAll(root, 0o755)); err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	paths, lines, err := copyTrees(trees, root, limit)
	if err != nil {
		return nil, err
	}
	if err := exec.CommandContext(ctx, "git", "init", "-q", root).Run(); err != nil {
		return nil, fmt.Errorf("git init: %w", err)
	}
	time.Sleep(50 * time.Millisecond) // so that every file is older than the index
	var names []string
	for _, t := range trees {
		names = append(names, filepath.Base(t))
	}
	r := &result{tree: strings.Join(names, " + "), lines: lines}
	if len(names) > 3 {
		r.tree = fmt.Sprintf("%d repositories", len(names))
	}
	if r.cold, err = index(ctx, box, root); err != nil {
		return nil, err
	}
	e := &editor{root: root, random: rand.New(rand.NewPCG(1, 1))}
	for range 5 {
		t, err := index(ctx, box, root)
		if err != nil {
			return nil, err
		}
		r.still = append(r.still, t)
		if err := e.touch(paths[e.random.IntN(len(paths))]); err != nil {
			return nil, err
		}
		if t, err = index(ctx, box, root); err != nil {
			return nil, err
		}
		r.touched = append(r.touched, t)
	}
	return r, r.inProcess(ctx, o, e, filepath.Join(box.Dir, "graph-of-a-server"), paths)
}

// editor changes files as a person would.
type editor struct {
	root   string
	random *rand.Rand
	n      int
}

// touch changes a file. Every other time it appends a function to a Go file, which
// changes the declarations; otherwise it appends an empty line.
func (e *editor) touch(rel string) error {
	f, err := os.OpenFile(filepath.Join(e.root, filepath.FromSlash(rel)), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	text := "\n"
	if e.n++; e.n%2 == 0 && strings.HasSuffix(rel, ".go") {
		text = fmt.Sprintf("\nfunc added%d() {}\n", e.n)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// inProcess measures a long-lived process that holds the graph, such as a language
// server.
func (r *result) inProcess(ctx context.Context, o options, e *editor, dir string, paths []string) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	ix := graph.Open(graph.Options{Root: e.root, Dir: dir})
	defer func() {
		err = errors.Join(err, ix.Close())
		runtime.GC() // the next tree begins with an empty heap
	}()
	if _, err := ix.Sync(ctx, nil); err != nil {
		return err
	}
	if _, err := ix.Graph(ctx); err != nil { // the state of a server that has answered a query
		return err
	}
	for range o.edits {
		p := paths[e.random.IntN(len(paths))]
		if err := e.touch(p); err != nil {
			return err
		}
		start := time.Now()
		if _, err := ix.Update(ctx, []string{p}); err != nil {
			return err
		}
		r.saved = append(r.saved, time.Since(start))
	}
	for range branches {
		files := slices.Clone(paths)
		e.random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		for _, p := range files[:min(switched, len(files))] {
			if err := e.touch(p); err != nil {
				return err
			}
		}
		start := time.Now()
		if _, err := ix.Sync(ctx, nil); err != nil {
			return err
		}
		r.branch = append(r.branch, time.Since(start))
	}
	g, err := ix.Graph(ctx)
	if err != nil {
		return err
	}
	var questions []question
	for len(r.impact) < o.impacts {
		p := paths[e.random.IntN(len(paths))]
		outline := g.Outline(p)
		if len(outline) == 0 {
			continue
		}
		q := question{p, outline[e.random.IntN(len(outline))].Symbol}
		questions = append(questions, q)
		syms := g.Find(q.file, q.symbol)
		start := time.Now()
		g.Impact(syms, graph.DefaultDepth)
		r.impact = append(r.impact, time.Since(start))
	}
	if err := r.asParts(ctx, func() *graph.Index { return graph.Open(graph.Options{Root: e.root, Dir: dir}) }, questions); err != nil {
		return err
	}
	r.load = evalkit.Load()
	r.state, err = ix.State(ctx)
	return err
}
