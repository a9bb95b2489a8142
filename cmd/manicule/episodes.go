package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/gate"
	"manicule/memory/services"
	"manicule/memory/store"
)

// episodesJSON is the shape "episodes".
type episodesJSON struct {
	Counts   store.EpisodeCounts `json:"counts"`
	Episodes []episodeJSON       `json:"episodes"` // newest first
}

// episodeJSON is an episode as it is printed.
type episodeJSON struct {
	episode.Episode
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
}

func episodeOf(e episode.Episode) episodeJSON {
	return episodeJSON{e, time.UnixMilli(e.Started).UTC(), time.UnixMilli(e.Ended).UTC()}
}

// episodesCommand is `manicule episodes`.
type episodesCommand struct {
	*cli
	limit   int
	outcome string
}

func newEpisodesCommand(shared *cli) *cobra.Command {
	ec := &episodesCommand{cli: shared}
	c := &cobra.Command{
		Use:   "episodes [SESSION]",
		Short: "What agents' sessions were for, and how they ended",
		Long: "List what the sessions of agents were for and how they ended: success, partial or failure, with\n" +
			"the evidence. With a session (or the beginning of its id), show its steps, problems and decisions.\n" +
			"Episodes are made without a model when a session ends, and kept for a year on this machine.",
		Args: cobra.MaximumNArgs(1),
		RunE: ec.run,
	}
	c.Flags().IntVarP(&ec.limit, "limit", "n", 20, "how many are listed")
	c.Flags().StringVar(&ec.outcome, "outcome", "", "only those that ended so: success, partial or failure")
	return c
}

func (ec *episodesCommand) run(cmd *cobra.Command, args []string) error {
	switch episode.Outcome(ec.outcome) {
	case "", episode.Success, episode.Partial, episode.Failure:
	default:
		return usageError(fmt.Sprintf("%q is no outcome", ec.outcome), "Use success, partial or failure.")
	}
	return ec.with(cmd.Context(), func(w *services.Workspace) error {
		if len(args) == 1 {
			return ec.show(cmd.Context(), w, args[0])
		}
		return ec.list(cmd.Context(), w)
	})
}

// maxEpisodes is how many episodes are looked through for those of one outcome.
const maxEpisodes = 10_000

func (ec *episodesCommand) list(ctx context.Context, w *services.Workspace) error {
	counts, err := w.State().CountEpisodes(ctx)
	if err != nil {
		return fmt.Errorf("count the episodes: %w", err)
	}
	limit := max(1, ec.limit)
	if ec.outcome != "" {
		limit = maxEpisodes
	}
	list, err := w.State().Episodes(ctx, limit)
	if err != nil {
		return fmt.Errorf("list the episodes: %w", err)
	}
	slices.Reverse(list)
	if ec.outcome != "" {
		list = slices.DeleteFunc(list, func(e episode.Episode) bool { return string(e.Outcome) != ec.outcome })
	}
	list = list[:min(len(list), max(1, ec.limit))]
	if ec.json {
		out := episodesJSON{Counts: counts, Episodes: []episodeJSON{}}
		for _, e := range list {
			out.Episodes = append(out.Episodes, episodeOf(e))
		}
		ec.printJSON("episodes", out)
		return nil
	}
	for _, e := range list {
		ec.printf("%s  %s  %-7s  %s\n", ec.paint(faint, shortSession(e.Session)), time.UnixMilli(e.Ended).Local().Format("2006-01-02 15:04"), e.Outcome, ec.sure(e, gate.Printable(e.Task)))
	}
	switch {
	case counts.All == 0:
		ec.printf("no episodes yet: one is made when an agent's session ends (`manicule init` sets the hooks up)\n")
	case ec.outcome == "":
		ec.printf("%s\n", ec.paint(faint, fmt.Sprintf("%s: %d success, %d partial, %d failure; of %d the log told too little", count(counts.All, "episode", "episodes"),
			counts.Success, counts.Partial, counts.Failure, counts.Fallbacks)))
	case len(list) == 0:
		ec.printf("none of %s ended so\n", count(counts.All, "episode", "episodes"))
	}
	return nil
}

// sure marks a text that rests on little.
func (ec *episodesCommand) sure(e episode.Episode, text string) string {
	if e.Fallback {
		return text + " " + ec.paint(faint, "(from what was done: the log has no request)")
	}
	return text
}

// shortSession is the part of a session's id that is enough to name it.
func shortSession(id string) string {
	if r := []rune(id); len(r) > 13 {
		return string(r[:13])
	}
	return id
}

func (ec *episodesCommand) show(ctx context.Context, w *services.Workspace, id string) error {
	list, err := w.State().EpisodesOf(ctx, id)
	if err != nil {
		return fmt.Errorf("look for an episode: %w", err)
	}
	switch {
	case len(list) == 0:
		return &memory.UserError{Msg: "no episode of a session that begins with " + id, Err: memory.ErrNotFound, Hint: "`manicule episodes` lists them; one is made when a session ends."}
	case len(list) > 1 && !slices.ContainsFunc(list, func(e episode.Episode) bool { return e.Session == id }):
		return &memory.UserError{Msg: count(len(list), "session begins", "sessions begin") + " with " + id, Err: memory.ErrAmbiguous, Hint: "Write more of the id."}
	}
	e := list[len(list)-1]
	if i := slices.IndexFunc(list, func(e episode.Episode) bool { return e.Session == id }); i >= 0 {
		e = list[i]
	}
	if ec.json {
		ec.printJSON("episode", episodeOf(e))
		return nil
	}
	ec.printf("%s\n", ec.sure(e, gate.Printable(e.Task)))
	ec.printf("%s of %s, %s, %s of work, %s\n", ec.paint(faint, e.Session), e.Agent, time.UnixMilli(e.Started).Local().Format("2006-01-02 15:04"),
		(time.Duration(e.Active) * time.Millisecond).Round(time.Second), count(e.Requests, "request", "requests"))
	ec.printf("%s (%.2f)", e.Outcome, e.Confidence)
	for i, x := range e.Evidence {
		ec.printf("%s%s", map[bool]string{true: ": ", false: "; "}[i == 0], gate.Printable(x))
	}
	ec.printf("\n")
	if e.Tainted {
		ec.printf("%s\n", ec.paint(faint, "it took in text from outside"))
	}
	ec.section("Then asked for", e.Further)
	var steps []string
	for _, s := range e.Approach {
		steps = append(steps, stepLine(s))
	}
	ec.section("Steps", steps)
	var problems []string
	for _, p := range e.Problems {
		problems = append(problems, fmt.Sprintf("%s: %s → %s", p.What, p.Line, p.Fix))
	}
	ec.section("Problems that were solved", problems)
	ec.section("Commits", e.Decisions)
	return nil
}

func (ec *episodesCommand) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	ec.printf("\n%s\n", ec.paint(bold, title))
	for _, l := range lines {
		ec.printf("  %s\n", gate.Printable(l))
	}
}

func stepLine(s episode.Step) string {
	line := string(s.Act) + " " + s.What
	if s.Times > 1 {
		line += fmt.Sprintf(" ×%d", s.Times)
	}
	if s.Fails > 0 {
		line += fmt.Sprintf(" (%d failed)", s.Fails)
	}
	return line
}
