// Package process measures the product from outside: whole processes, and a
// language server and an MCP server over real pipes, on generated workspaces.
// FIGURES.md describes each figure and holds the latest ones. The package
// must not use the product's packages, because users can't see what they hide.
package process

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
)

// options are the flags.
type options struct {
	bin    string
	n      int
	sizes  []int
	check  bool
	keep   bool
	doc    evalkit.Document
	models string
	tree   string
}

// Command is `bench` itself.
func Command() *cobra.Command {
	var o options
	var names []string
	for _, p := range (&bench{}).parts() {
		names = append(names, p.name)
	}
	cmd := evalkit.Command("bench", "Measure the cost of the product", names, func(ctx context.Context, parts []string) error { return o.run(ctx, parts) })
	f := cmd.Flags()
	f.StringVar(&o.bin, "bin", "", "the manicule binary (default: built from ./cmd/manicule, stripped)")
	f.IntVarP(&o.n, "runs", "n", 1000, "runs of each process and requests to the server")
	f.IntSliceVar(&o.sizes, "sizes", []int{1000, 10000}, "numbers of memories")
	f.BoolVar(&o.check, "check", false, "exit with 1 if a ceiling of the budget is exceeded")
	f.BoolVar(&o.keep, "keep", false, "keep the workspaces, to profile by hand")
	f.StringVar(&o.models, "models", os.Getenv("MANICULE_TEST_MODELS"), "a folder of models, to measure hovers while memories are embedded (optional)")
	f.StringVar(&o.tree, "tree", "", "a large source tree, to ask the MCP server about its code as well (optional)")
	o.doc.Flags(f, "cmd/bench/process/FIGURES.md")
	return cmd
}

// part is one group of measurements on a workspace.
type part struct {
	name string
	do   func(context.Context, *workspace) error
}

// parts lists the measurements in order. Commands come late because they write memories,
// and the model comes last because it changes all other figures.
func (b *bench) parts() []part {
	hooks, server := hookBench{b}, serverBench{b}
	return []part{{"hooks", hooks.hooks}, {"lsp", server.server}, {"mcp", toolBench{b}.tools}, {"commands", b.commands}, {"past", hooks.past}, {"embedding", modelBench{server}.embedding}}
}

// run takes all measurements, one after the other.
func (o options) run(ctx context.Context, parts []string) (err error) {
	if slices.ContainsFunc(o.sizes, func(n int) bool { return n < 1 }) {
		return errors.New("a workspace has one memory at least")
	}
	box, err := sandbox.New(ctx, o.bin, "-s -w")
	if err != nil {
		return err
	}
	defer func() {
		if o.keep {
			evalkit.Progress("the workspaces are left in %s", box.Dir)
			return
		}
		err = errors.Join(err, box.Remove())
	}()
	b := &bench{box: box, models: o.models, tree: o.tree, report: report{n: o.n, machine: thisMachine()}}
	if b.floor, err = buildFloor(ctx, box); err != nil {
		return err
	}
	if err := b.binary(ctx); err != nil {
		return err
	}
	for _, size := range o.sizes {
		evalkit.Progress("generating %d memories", size)
		w, err := generate(ctx, box, size)
		if err != nil {
			return err
		}
		for _, part := range b.parts() {
			if len(parts) > 0 && !slices.Contains(parts, part.name) {
				continue
			}
			if err := part.do(ctx, w); err != nil {
				return err
			}
		}
	}
	var left []string
	for _, p := range b.parts() {
		if len(parts) > 0 && !slices.Contains(parts, p.name) {
			left = append(left, p.name)
		}
	}
	if err := o.doc.Publish(b.markdown(o.doc.Date), left); err != nil {
		return err
	}
	if o.check {
		return b.withinBudget()
	}
	return nil
}
