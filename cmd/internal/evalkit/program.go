package evalkit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Part is one of the things that a command measures.
type Part struct {
	Name string
	Run  func(context.Context) error
}

// Names are those of parts.
func Names(parts []Part) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Name)
	}
	return out
}

// RunParts measures the parts that are named, all where none is. It returns the
// names of those that were left out: nobody named them, or what they need is missing.
// It is an error when that is all of them.
func RunParts(ctx context.Context, parts []Part, named []string) (left []string, err error) {
	for _, p := range parts {
		if len(named) > 0 && !slices.Contains(named, p.Name) {
			left = append(left, p.Name)
			continue
		}
		switch err := p.Run(ctx); {
		case errors.Is(err, ErrMissing), errors.Is(err, fs.ErrNotExist):
			Progress("%s is left out: %v", p.Name, err)
			left = append(left, p.Name)
		case err != nil:
			return left, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if len(left) == len(parts) {
		return left, Missing("nothing was measured")
	}
	return left, nil
}

// Command is a command that measures parts: they are its arguments.
func Command(use, short string, parts []string, run func(ctx context.Context, parts []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " [part...]", Short: short, Long: short + ".\n\nThe parts are " + strings.Join(parts, ", ") + "; without arguments all of them.",
		ValidArgs: parts, Args: oneOf(parts),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
	}
}

// oneOf holds that arguments are parts.
func oneOf(parts []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for _, a := range args {
			if !slices.Contains(parts, a) {
				return fmt.Errorf("there is no part %q (try: %s)", a, strings.Join(parts, ", "))
			}
		}
		return nil
	}
}

// Main runs a program until it is done or interrupted, and exits with 1 when it fails.
func Main(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(goFlags(os.Args[1:]))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	cmd, err := root.ExecuteContextC(ctx)
	stop()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.CommandPath(), err) // nowhere left to complain
		os.Exit(1)
	}
}

// goFlags takes long flags with one dash too, as Go's own tools do.
func goFlags(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if name, _, _ := strings.Cut(a, "="); len(name) > 2 && name[0] == '-' && 'a' <= name[1] && name[1] <= 'z' {
			out[i] = "-" + a
		}
	}
	return out
}

// Progress tells the person who waits.
func Progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, filepath.Base(os.Args[0])+": "+format+"\n", args...)
}
