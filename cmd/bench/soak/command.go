package soak

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
)

// Command is `bench soak`.
func Command() *cobra.Command {
	var o Options
	var short, full bool
	cmd := &cobra.Command{Use: "soak", Short: "Measure the servers under work and at rest, and fail above their limits", Args: cobra.NoArgs}
	f := cmd.Flags()
	f.BoolVar(&short, "short", false, "a smaller tree and less than four minutes")
	f.StringVar(&o.Bin, "bin", "", "the program (default: built from ./cmd/manicule, so that it reports its goroutines and its heap)")
	f.BoolVar(&o.Vitals, "vitals", false, "it was built with the tag vitals")
	f.StringVar(&o.Tree, "tree", "", "a folder of sources, which is copied (default: a module)")
	f.StringVar(&o.Profiles, "profiles", "", "a folder for profiles of the rested servers")
	f.IntVar(&o.Edits, "edits", 0, "files that are opened, changed and saved")
	f.DurationVar(&o.For, "for", 0, "how long that takes")
	f.DurationVar(&o.Rest, "rest", 0, "how long the servers are idle before they are measured")
	f.DurationVar(&o.Idle, "idle", 0, "how long processor time is measured while idle")
	f.BoolVar(&o.OnlyIndex, "only-index", false, "end after hovers around the first index")
	f.BoolVar(&full, "json", false, "print everything as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		usual := Long()
		if short {
			usual = Short()
		}
		o.Module, o.Memories, o.Edits = usual.Module, usual.Memories, cmp.Or(o.Edits, usual.Edits)
		o.For, o.Rest, o.Idle = cmp.Or(o.For, usual.For), cmp.Or(o.Rest, usual.Rest), cmp.Or(o.Idle, usual.Idle)
		start := time.Now()
		o.Say = func(format string, args ...any) {
			evalkit.Progress("%4.0fs: %s", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
		}
		r, err := Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		if full {
			err = json.NewEncoder(os.Stdout).Encode(r)
		} else {
			_, err = fmt.Print(r.Markdown())
		}
		for _, fault := range r.faults(Aims()) {
			err = errors.Join(err, errors.New(fault))
		}
		return err
	}
	return cmd
}
