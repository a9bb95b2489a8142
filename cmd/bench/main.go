// Command bench measures the product as it is used: whole processes, and a
// language server over real pipes, on generated workspaces. docs/benchmarks.md
// says how each figure is taken and holds the last measured ones. It must not
// reach into the product: what it can't see from outside, no user sees.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"manicule/cmd/try/sandbox"
)

// options are the flags.
type options struct {
	bin    string
	n      int
	sizes  []int
	write  bool
	check  bool
	keep   bool
	doc    string
	budget string
	models string
	tree   string
	only   string
}

func main() {
	o := options{sizes: []int{1000, 10000}}
	flag.StringVar(&o.bin, "bin", "", "the manicule binary (default: built from ./cmd/manicule, stripped)")
	flag.IntVar(&o.n, "n", 1000, "runs of each process and requests to the server")
	flag.Func("sizes", "numbers of memories, with commas between (default 1000,10000)", o.parseSizes)
	flag.BoolVar(&o.write, "write", false, "write the figures into the documentation")
	flag.BoolVar(&o.check, "check", false, "exit with 1 when a ceiling of the budget is passed")
	flag.BoolVar(&o.keep, "keep", false, "leave the workspaces, to profile by hand")
	flag.StringVar(&o.doc, "doc", "docs/benchmarks.md", "the file that -write changes")
	flag.StringVar(&o.budget, "budget", "cmd/bench/budget.json", "the ceilings of -check")
	flag.StringVar(&o.models, "models", os.Getenv("MANICULE_TEST_MODELS"), "a folder of models, to measure hovers while memories are embedded (optional)")
	flag.StringVar(&o.tree, "tree", "", "a large source tree, to ask the MCP server about its code as well (optional)")
	flag.StringVar(&o.only, "only", "", "only this part: hooks, server, tools, commands or embedding")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err) // nowhere left to complain
		os.Exit(1)
	}
}

func (o *options) parseSizes(s string) error {
	o.sizes = nil
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of memories", part)
		}
		o.sizes = append(o.sizes, n)
	}
	return nil
}

// run measures everything, one thing after the other.
func run(ctx context.Context, o options) (err error) {
	box, err := sandbox.New(ctx, o.bin, "-s -w")
	if err != nil {
		return err
	}
	defer func() {
		if o.keep {
			progress("the workspaces are left in %s", box.Dir)
			return
		}
		err = errors.Join(err, box.Remove())
	}()
	b := &bench{box: box, n: o.n, models: o.models, tree: o.tree, machine: lookAtMachine()}
	if b.floor, err = buildFloor(ctx, box); err != nil {
		return err
	}
	if err := b.binary(ctx); err != nil {
		return err
	}
	for _, size := range o.sizes {
		progress("generating %d memories", size)
		w, err := generate(ctx, box, size)
		if err != nil {
			return err
		}
		for _, part := range []struct {
			name string
			do   func(context.Context, *workspace) error
		}{{"hooks", b.hooks}, {"server", b.server}, {"tools", b.tools}, {"commands", b.commands}, {"embedding", b.embedding}} { // commands write memories; with a model all before would be other figures
			if o.only != "" && o.only != part.name {
				continue
			}
			if err := part.do(ctx, w); err != nil {
				return err
			}
		}
	}
	text := b.markdown(time.Now())
	if _, err := fmt.Println(text); err != nil {
		return fmt.Errorf("print the figures: %w", err)
	}
	if o.write {
		if err := writeBlock(o.doc, text); err != nil {
			return err
		}
	}
	if o.check {
		return b.withinBudget(o.budget)
	}
	return nil
}

func progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) // only for who waits
}
