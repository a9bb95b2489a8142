// Package peers compares the first index of a source tree with that of other
// programs: whole processes in turn, in the same run, each without anything kept from
// before. It works on copies and must not change the trees that it is given.
package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
)

type options struct {
	bin   string
	peers []string
	turns int
}

// Command is `bench peers`.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "peers TREE...", Short: "Compare the first index of source trees with that of other programs, in turn", Args: cobra.MinimumNArgs(1),
		Example: "  go run ./cmd/bench peers --bin bin/manicule --peer 'codegraph build' TREE",
		RunE:    func(cmd *cobra.Command, trees []string) error { return run(cmd.Context(), o, trees, os.Stdout) },
	}
	f := cmd.Flags()
	f.StringVar(&o.bin, "bin", "", "the manicule binary (default: built from ./cmd/manicule, stripped)")
	f.StringArrayVar(&o.peers, "peer", nil, "a command that indexes the folder it runs in; its last line is shown")
	f.IntVar(&o.turns, "turns", 5, "how often each program indexes each tree")
	return cmd
}

// program is one that indexes the folder in which it runs.
type program struct {
	name string
	args []string
}

// run prints the table and then what each program said that it found. If a later tree
// fails, the results so far are still printed.
func run(ctx context.Context, o options, trees []string, out io.Writer) (err error) {
	box, err := sandbox.New(ctx, o.bin, "-s -w")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Remove()) }()
	programs := []program{{"manicule", []string{box.Bin, "index"}}}
	for _, p := range o.peers {
		args := strings.Fields(p)
		if len(args) == 0 {
			return errors.New("--peer needs a command")
		}
		if args[0], err = exec.LookPath(args[0]); err == nil {
			args[0], err = filepath.Abs(args[0]) // it runs in another folder
		}
		if err != nil {
			return fmt.Errorf("find the peer %q: %w", p, err)
		}
		programs = append(programs, program{p, args})
	}
	table := evalkit.NewTable("tree", "program", "turns", "s by the clock", "ratio", "s of processor time", "peak MB", "load")
	var said strings.Builder
	defer func() {
		_, failed := fmt.Fprintf(out, "%s\n%s", table, said.String())
		err = errors.Join(err, failed)
	}()
	for _, tree := range trees {
		if err := compare(ctx, box, programs, tree, o.turns, table, &said); err != nil {
			return fmt.Errorf("%s: %w", tree, err)
		}
	}
	return nil
}

// compare has the programs index a copy of a tree in turn. The ratio is that of the
// medians by the clock of manicule and of the program.
func compare(ctx context.Context, box *sandbox.Sandbox, programs []program, tree string, turns int, table *evalkit.Table, said io.Writer) error {
	root := filepath.Join(box.Dir, "tree")
	if err := errors.Join(os.RemoveAll(root), os.CopyFS(root, withoutGit{os.DirFS(tree)})); err != nil {
		return fmt.Errorf("copy the tree: %w", err)
	}
	if err := box.Command(ctx, root, "git", "init", "--quiet").Run(); err != nil {
		return fmt.Errorf("git init: %w", err)
	}
	runs := make([]turnsOf, len(programs))
	for range turns {
		for i, p := range programs {
			if err := runs[i].add(ctx, box, p, root); err != nil {
				return err
			}
		}
	}
	ours := evalkit.Percentile(runs[0].clock, .5).Seconds()
	for i, p := range programs {
		r := runs[i]
		clock := evalkit.Percentile(r.clock, .5).Seconds()
		table.Add(filepath.Base(tree), p.name, turns, fmt.Sprintf("%.2f", clock), fmt.Sprintf("%.2f", ours/clock),
			fmt.Sprintf("%.2f", evalkit.Percentile(r.processor, .5).Seconds()), evalkit.Percentile(r.peakMB, .5), evalkit.Load())
		if _, err := fmt.Fprintf(said, "%s, %s: %s\n", filepath.Base(tree), p.name, r.said); err != nil {
			return err
		}
	}
	evalkit.Progress("%s: %.2f s", tree, ours)
	return nil
}

// turnsOf is what the turns of one program took.
type turnsOf struct {
	clock, processor []time.Duration
	peakMB           []int64
	said             string // the last line with a number of the last turn
}

// add has a program index a tree once, in a home without anything in it, and removes
// what it leaves.
func (t *turnsOf) add(ctx context.Context, box *sandbox.Sandbox, p program, root string) error {
	before, err := names(root)
	if err != nil {
		return err
	}
	if err := box.Empty(); err != nil {
		return err
	}
	cmd := box.Command(ctx, root, p.args[0], p.args[1:]...)
	cmd.Env = append(cmd.Env, "DO_NOT_TRACK=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err = cmd.Run()
	clock := time.Since(start)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, out.Bytes())
	}
	t.clock = append(t.clock, clock)
	t.processor = append(t.processor, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		t.peakMB = append(t.peakMB, u.Maxrss>>10) // kilobytes on Linux
	}
	t.said = summary(out.String())
	after, err := names(root)
	if err != nil {
		return err
	}
	for name := range after {
		if !before[name] {
			if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
				return fmt.Errorf("remove what %s left: %w", p.name, err)
			}
		}
	}
	return nil
}

// names returns the names in a folder.
func names(dir string) (map[string]bool, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, e := range all {
		out[e.Name()] = true
	}
	return out, nil
}

// summary returns the line that tells how much was found: the last one about edges,
// else the last one.
func summary(said string) string {
	last := ""
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && (strings.Contains(line, "edges") || !strings.Contains(last, "edges")) {
			last = line
		}
	}
	return last
}
