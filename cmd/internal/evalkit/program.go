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

// Part is one measurement of a command.
type Part struct {
	Name string
	Run  func(context.Context) error
}

// Names returns the names of parts.
func Names(parts []Part) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Name)
	}
	return out
}

// RunParts runs the named parts, or all if none is named. It returns the names of the
// parts that did not run, because they were not named or their data is missing. It is an
// error if none ran.
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

// Command makes a command that runs parts, which are its arguments.
func Command(use, short string, parts []string, run func(ctx context.Context, parts []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " [part...]", Short: short, Long: short + ".\n\nThe parts are " + strings.Join(parts, ", ") + "; without arguments all of them.",
		ValidArgs: parts, Args: oneOf(parts),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
	}
}

// oneOf checks that arguments are names of parts.
func oneOf(parts []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for _, a := range args {
			if !slices.Contains(parts, a) {
				return fmt.Errorf("unknown part %q (try: %s)", a, strings.Join(parts, ", "))
			}
		}
		return nil
	}
}

// Main runs a program until it ends or is interrupted, and exits with 1 on an error.
func Main(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(goFlags(os.Args[1:]))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	cmd, err := root.ExecuteContextC(ctx)
	stop()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.CommandPath(), err) // nowhere left to report
		os.Exit(1)
	}
}

// goFlags accepts long flags with one dash too, as Go's own tools do.
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

// Progress reports progress on standard error.
func Progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, filepath.Base(os.Args[0])+": "+format+"\n", args...)
}
