// Package company measures every command of the product, every tool of its MCP server and every
// request to its language server in a workspace of the size that a large company has. It must not
// judge the answers.
package company

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
)

type options struct {
	bin, at string
	sizes   []int
	trees   []string
	keep    bool
}

// Command is `bench company`.
func Command() *cobra.Command {
	var o options
	cmd := evalkit.Command("company", "Measure every command, tool and request at the size of a large company", evalkit.Names(parts(nil, nil)),
		func(ctx context.Context, named []string) error { return o.run(ctx, named) })
	f := cmd.Flags()
	f.StringVar(&o.bin, "bin", "", "the manicule binary (default: built from ./cmd/manicule, stripped)")
	f.IntSliceVar(&o.sizes, "sizes", []int{10000}, "numbers of memories")
	f.StringSliceVar(&o.trees, "tree", nil, "source trees that are copied into the workspace")
	f.BoolVar(&o.keep, "keep", false, "keep the workspaces, for --at or to profile by hand")
	f.StringVar(&o.at, "at", "", "a folder that --keep left, instead of making the workspaces")
	return cmd
}

func (o options) run(ctx context.Context, named []string) (err error) {
	if o.at == "" && len(o.trees) == 0 {
		return errors.New("--tree says which sources the workspace has")
	}
	var box *sandbox.Sandbox
	if o.at != "" {
		box, err = sandbox.Open(o.at, o.bin)
	} else {
		box, err = sandbox.New(ctx, o.bin, "-s -w")
	}
	if err != nil {
		return err
	}
	defer func() {
		if o.keep || o.at != "" {
			evalkit.Progress("the workspaces are left in %s", box.Dir)
			return
		}
		err = errors.Join(err, box.Remove())
	}()
	for _, size := range o.sizes {
		var w *workspace
		if o.at != "" {
			w, err = load(box, size)
		} else {
			w, err = create(ctx, box, size, o.trees)
		}
		if err != nil {
			return err
		}
		if _, err := evalkit.RunParts(ctx, parts(box, w), named); err != nil {
			return err
		}
	}
	return nil
}
