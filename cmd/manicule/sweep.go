package main

import (
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/life"
	"manicule/memory/services"
)

// sweepCommand is `manicule sweep`.
type sweepCommand struct {
	*cli
	dryRun bool
	limit  int
}

func newSweepCommand(shared *cli) *cobra.Command {
	sc := &sweepCommand{cli: shared}
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Let unused memories fade, and archive those that outlived their use",
		Long: "Move memories between the tiers kept, active and fading by their effective confidence and use,\n" +
			"and archive fading ones that were not used for three half-lives, whose code is gone for 30\n" +
			"days, or that exceed the limit of their owner. Archived memories can be restored. A leader\n" +
			"sweeps once a day, but archives personal memories only; this command archives all.",
		Example: "  manicule sweep --dry-run\n  manicule sweep",
		Args:    cobra.NoArgs,
		RunE:    sc.run,
	}
	c.Flags().BoolVar(&sc.dryRun, "dry-run", false, "only say what would move")
	limitFlag(c, &sc.limit)
	return c
}

// sweepJSON is the shape "sweep".
type sweepJSON struct {
	memory.SweepReport
	DryRun bool  `json:"dry_run"`
	TookMS int64 `json:"took_ms"`
}

func (sc *sweepCommand) run(cmd *cobra.Command, _ []string) error {
	if !sc.dryRun {
		if err := sc.requirePerson("archive"); err != nil {
			return err
		}
	}
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		sc.refresh(cmd.Context(), w)
		r, err := w.Sweep(cmd.Context(), services.SweepManual, sc.dryRun)
		if err != nil {
			return err
		}
		if sc.json {
			r.Moves = r.Moves[:room(asJSON(cmd, sc.limit), len(r.Moves))]
			sc.printJSON("sweep", sweepJSON{r, sc.dryRun, r.Took.Milliseconds()})
			return nil
		}
		sc.print(r)
		return nil
	})
}

func (sc *sweepCommand) print(r memory.SweepReport) {
	head, would := "swept ", ""
	if sc.dryRun {
		head, would = "of ", " would be"
	}
	sc.printf("☞ %s%s, %d%s promoted, %d demoted, %d archived\n", head, count(r.Looked, "memory", "memories"), r.Promoted, would, r.Demoted, r.Archived)
	moved, back := room(sc.limit, len(r.Moves)), room(sc.limit, len(r.Back))
	for _, m := range r.Moves[:moved] {
		sc.printf("  %-9s %s  %s\n            %s\n", m.To, sc.paint(faint, m.UUID[28:]), firstLine(m.What), sc.paint(faint, plainLine(m.Reason)))
		if m.To == life.Archived && !sc.dryRun {
			sc.printf("            `manicule restore %s` brings it back\n", m.UUID[28:])
		}
	}
	for _, m := range r.Back[:back] {
		sc.printf("  code back %s  %s\n            `manicule restore %s` brings it back\n", sc.paint(faint, m.UUID[28:]), firstLine(m.What), m.UUID[28:])
	}
	switch left := len(r.Moves) - moved + len(r.Back) - back; {
	case sc.dryRun:
		moreLeft(sc.cli, left, "sweep --dry-run")
	case left > 0:
		sc.warn("%s not listed: `manicule restore` lists what was archived", count(left, "more is", "more are"))
	}
}
