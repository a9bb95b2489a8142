// Command benchgraph measures the code graph on real source trees: as whole
// processes (cold, nothing changed, one file touched), in one process as a
// language server has it (a saved file, a branch switch, impact), and how all
// of that grows. docs/benchmarks.md holds its last tables. It works on copies
// and must not change the trees that it is given.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"manicule/cmd/try/sandbox"
	"manicule/grammars"
	"manicule/indexer/graph"
)

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "", "the manicule binary (default: built from ./cmd/manicule, stripped)")
	flag.IntVar(&o.edits, "edits", 60, "saved files that are measured")
	flag.IntVar(&o.impacts, "impacts", 500, "symbols whose impact is measured")
	flag.StringVar(&o.scale, "scale", "", "lines to cut the first tree to, with commas between, for the table of growth")
	flag.Usage = func() {
		_, _ = fmt.Fprintln(flag.CommandLine.Output(), "usage: benchgraph [flags] TREE...") // nowhere left to complain
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o, flag.Args())
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "benchgraph:", err) // nowhere left to complain
		os.Exit(1)
	}
}

type options struct {
	bin            string
	edits, impacts int
	scale          string
}

func run(ctx context.Context, o options, trees []string) (err error) {
	if len(trees) == 0 {
		return errors.New("name the folder of a source tree")
	}
	box, err := sandbox.New(ctx, o.bin, "-s -w")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Remove()) }()
	fmt.Println("| tree | lines | files | symbols | edges | cold s | peak MB | graph.db MB | nothing changed ms | one touched ms | saved file p50 / p95 ms | 200 files switched ms | impact depth 3 p50 / p95 ms |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, tree := range trees {
		if err := measure(ctx, box, o, tree, 0); err != nil {
			return fmt.Errorf("%s: %w", tree, err)
		}
	}
	if o.scale == "" {
		return nil
	}
	for part := range strings.SplitSeq(o.scale, ",") {
		var lines int
		if _, err := fmt.Sscan(part, &lines); err != nil {
			return fmt.Errorf("%q is no number of lines", part)
		}
		if err := measure(ctx, box, o, trees[0], lines); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies the files of a tree that have a language, at most about so
// many lines of them (0 is all), and returns their paths and the lines.
func copyTree(from, to string, limit int) (paths []string, lines int, err error) {
	err = filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(from, p)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		l, code := grammars.ForPath(rel)
		build := strings.HasSuffix(rel, "go.mod") || strings.HasSuffix(rel, ".json")
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
	return paths, lines, err
}

// index runs `manicule index` as a process.
func index(ctx context.Context, box *sandbox.Sandbox, root string) (took time.Duration, peakMB int64, err error) {
	cmd := box.Manicule(ctx, root, "index")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(start)
	if err != nil {
		return took, 0, fmt.Errorf("manicule index: %w\n%s", err, out)
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peakMB = u.Maxrss >> 10 // kilobytes on Linux
	}
	return took, peakMB, nil
}

func measure(ctx context.Context, box *sandbox.Sandbox, o options, tree string, limit int) error {
	root := filepath.Join(box.Dir, "tree")
	if err := errors.Join(os.RemoveAll(root), os.MkdirAll(root, 0o755)); err != nil {
		return err
	}
	paths, lines, err := copyTree(tree, root, limit)
	if err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, "git", "init", "-q", root).Run(); err != nil {
		return fmt.Errorf("git init: %w", err)
	}
	time.Sleep(50 * time.Millisecond) // so that no file is as young as the index
	cold, peak, err := index(ctx, box, root)
	if err != nil {
		return err
	}
	var still, touched sample
	random := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		t, _, err := index(ctx, box, root)
		if err != nil {
			return err
		}
		still = append(still, t)
		if err := touch(root, paths[random.IntN(len(paths))]); err != nil {
			return err
		}
		if t, _, err = index(ctx, box, root); err != nil {
			return err
		}
		touched = append(touched, t)
	}
	return inProcess(ctx, box, o, root, figures{
		tree: filepath.Base(tree), lines: lines, cold: cold, peak: peak, still: still, touched: touched, paths: paths,
	})
}

func touch(root, rel string) error {
	p := filepath.Join(root, filepath.FromSlash(rel))
	f, err := os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close())
}

type figures struct {
	tree           string
	lines          int
	cold           time.Duration
	peak           int64
	still, touched sample
	paths          []string
}

// inProcess measures what a language server does, which holds the graph.
func inProcess(ctx context.Context, box *sandbox.Sandbox, o options, root string, f figures) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(box.Dir, "graph-of-a-server")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	ix := graph.Open(graph.Options{Root: real, Dir: dir})
	if _, err := ix.Sync(ctx, nil); err != nil {
		return err
	}
	g, err := ix.Graph(ctx)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(2, 2))
	var saved, impacts sample
	for range o.edits {
		p := f.paths[random.IntN(len(f.paths))]
		if err := touch(real, p); err != nil {
			return err
		}
		start := time.Now()
		if _, err := ix.Update(ctx, []string{p}); err != nil {
			return err
		}
		saved = append(saved, time.Since(start))
	}
	switched := slices.Clone(f.paths)
	random.Shuffle(len(switched), func(i, j int) { switched[i], switched[j] = switched[j], switched[i] })
	for _, p := range switched[:min(200, len(switched))] {
		if err := touch(real, p); err != nil {
			return err
		}
	}
	start := time.Now()
	if _, err := ix.Sync(ctx, nil); err != nil {
		return err
	}
	branch := time.Since(start)
	for len(impacts) < o.impacts {
		p := f.paths[random.IntN(len(f.paths))]
		outline := g.Outline(p)
		if len(outline) == 0 {
			continue
		}
		syms := g.Find(p, outline[random.IntN(len(outline))].Symbol)
		start := time.Now()
		g.Impact(syms, graph.DefaultDepth)
		impacts = append(impacts, time.Since(start))
	}
	st, err := ix.State(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %d | %d | %d | %.1f | %d | %.0f | %s | %s | %s / %s | %s | %s / %s |\n", f.tree, f.lines, st.Files, st.Symbols, st.Edges, f.cold.Seconds(), f.peak,
		float64(st.Bytes)/(1<<20), ms(f.still.at(.5)), ms(f.touched.at(.5)), ms(saved.at(.5)), ms(saved.at(.95)), ms(branch), ms(impacts.at(.5)), ms(impacts.at(.95)))
	runtime.GC()
	return ix.Close()
}

// sample is a set of times.
type sample []time.Duration

// at is a quantile.
func (s sample) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(d time.Duration) string {
	m := float64(d.Microseconds()) / 1000
	if m >= 100 {
		return fmt.Sprintf("%.0f", m)
	}
	return fmt.Sprintf("%.2g", m)
}
