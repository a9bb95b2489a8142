// Package life plays a year of a team with three clones in a minute: memories are
// written, edited on two sides at once, used, and swept, while the code changes. It
// prints what lived, what faded and why. FIGURES.md holds the latest table. The
// package must not use anything that the commands can't use.
package life

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/file"
)

// Command is `eval life`.
func Command() *cobra.Command {
	var days int
	var seed uint64
	var plot string
	cmd := evalkit.Command("life", "Play a year of three clones, and print what lived and what faded", nil, func(ctx context.Context, _ []string) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		y, err := play(ctx, Options{Days: days, Seed: seed, Driver: self + " life merge %O %A %B"})
		if err != nil {
			return err
		}
		fmt.Print(y.String())
		if plot != "" {
			return y.Draw(plot)
		}
		return nil
	})
	cmd.Flags().IntVar(&days, "days", 400, "how many days to play")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "of the events")
	cmd.Flags().StringVar(&plot, "plot", "", "an SVG file to draw the tiers to")
	cmd.AddCommand(&cobra.Command{Use: "merge", Hidden: true, Args: cobra.ExactArgs(3), RunE: func(_ *cobra.Command, args []string) error { return Merge(args) }})
	return cmd
}

// Merge is the merge driver of the played clones, as `manicule merge-file` is that of real ones.
func Merge(args []string) error {
	texts := make([][]byte, len(args))
	for i, path := range args {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts[i] = data
	}
	m, err := file.MergeFiles(texts[0], texts[1], texts[2])
	if err != nil {
		return err
	}
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], data, 0o644)
}
