// Package observer replays recorded agent sessions in order of time, through the code
// that hooks run. It measures whether the observer recognizes a recurring failure,
// predicts the next files, proposes candidates that people accept, and at what cost.
// See docs/observer-figures.md. The package must not use more of a session than its hooks
// received.
package observer

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
)

type options struct {
	data         evalkit.Data
	show, sample string
	sessions     string // a folder of sessions instead of the dataset's
	part         string // of them that is scored
	verbose      bool
}

// Command is `eval observer`.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "observer", Short: "Measure what the observer learns from recorded sessions", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	o.data.Flag(f)
	f.StringVar(&o.show, "show", "", "print the candidates to this file, for labelling")
	f.StringVar(&o.sample, "verdicts", "", "print what the ledger says of the sessions to this file, in a random order")
	f.StringVar(&o.sessions, "sessions", "", "replay the sessions of this folder (see convert) instead of the dataset's")
	f.StringVar(&o.part, "score", "all", "the sessions whose offers are scored, by time: all, first or second half")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say which failures were missed and which offers were false")
	cmd.AddCommand(convertCommand(), toldCommand(), episodesCommand(), recipesCommand(), digestsCommand(), reviewsCommand(), leftCommand(), wordsCommand(), expectedCommand())
	return cmd
}

// sessionsIn reads the sessions of a folder, or of the dataset if it is "". parse adds up what decoding takes.
func sessionsIn(dir string, data evalkit.Data, parse *clock) (string, []*session, error) {
	if dir == "" {
		var err error
		if dir, err = data.Path("agent-sessions", "dev"); err != nil {
			return "", nil, err
		}
	}
	sessions, err := readSessions(dir, parse)
	return dir, sessions, err
}

func (o options) run(ctx context.Context) error {
	var parse clock
	dir, sessions, err := sessionsIn(o.sessions, o.data, &parse)
	if err != nil {
		return err
	}
	r, err := replay(ctx, dir, sessions)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(r.temp) }() // a temporary folder
	if err := r.scoreOnly(o.part); err != nil {
		return err
	}
	r.failures(o.verbose)
	if err := r.next(); err != nil {
		return err
	}
	if o.sessions != "" {
		return r.quality(dir, o.show, o.verbose)
	}
	if err := r.quality(dir, o.show, o.verbose); err != nil {
		return err
	}
	if err := r.verdicts(dir, o.sample); err != nil {
		return err
	}
	if err := poison(ctx, o.data, r.temp); err != nil {
		return err
	}
	r.speed(parse)
	return long(ctx, r.temp)
}

// scoreOnly keeps the results of one half of the sessions. Each of them still knows all sessions
// before it.
func (r *replayed) scoreOnly(part string) error {
	byRepo := map[string][]*result{}
	for _, x := range r.results {
		byRepo[x.s.repo] = append(byRepo[x.s.repo], x)
	}
	keep := map[*result]bool{}
	for _, list := range byRepo {
		half := (len(list) + 1) / 2
		switch part {
		case "all":
		case "first":
			list = list[:half]
		case "second":
			list = list[half:]
		default:
			return fmt.Errorf("--score %s is none of all, first, second", part)
		}
		for _, x := range list {
			keep[x] = true
		}
	}
	for _, x := range r.results {
		x.unscored = !keep[x]
	}
	return nil
}
