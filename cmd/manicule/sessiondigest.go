package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/hooks/learn"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/services"
	"manicule/memory/store"
)

// sessionDigestCommand is `manicule session digest`.
type sessionDigestCommand struct {
	*cli
	limit   int
	all     bool
	suggest bool
}

func newSessionDigestCommand(shared *cli) *cobra.Command {
	sc := &sessionDigestCommand{cli: shared}
	c := &cobra.Command{
		Use:   "digest",
		Short: "Show what the sessions of a folder had in common",
		Long: "Show what the sessions that worked in a folder had in common: files that they touch, files that\n" +
			"mend a check, files that fixes keep changing, and what a kind of work takes. A digest is made when\n" +
			"a folder has had 5, 10, 20, 50 and 100 sessions, and of all folders once a week. The newest of each\n" +
			"folder is shown.",
		Args: cobra.NoArgs, RunE: sc.run,
	}
	c.Flags().BoolVar(&sc.suggest, "suggest", false, "make candidates of the figures, for manicule review")
	c.Flags().BoolVar(&sc.all, "all", false, "also what was found with fewer sessions of the same folder")
	wholeVar(c.Flags(), &sc.limit, "limit", "n", 10, "how many digests are shown")
	return c
}

type digestsJSON struct {
	Digests []store.Digest `json:"digests"`
}

func (sc *sessionDigestCommand) run(cmd *cobra.Command, _ []string) error {
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		newest := !sc.all && !sc.json && !sc.suggest
		read := max(1, sc.limit)
		if newest { // of each folder: there may be as many older ones as there are numbers of sessions
			read *= len(episode.Thresholds())
		}
		list, err := w.State().Digests().Latest(cmd.Context(), read)
		if err != nil {
			return fmt.Errorf("list the digests: %w", err)
		}
		if sc.suggest {
			return sc.suggestFigures(cmd.Context(), w, list)
		}
		if sc.json {
			sc.printJSON("digests", digestsJSON{append([]store.Digest{}, list...)})
			return nil
		}
		shown := list
		if newest {
			shown = newestOfEach(list)
			shown = shown[:min(len(shown), max(1, sc.limit))]
		}
		for _, d := range shown {
			where := fmt.Sprintf("%s, %s", d.Module, count(d.Mark, "session", "sessions"))
			if d.Module == "" {
				where = fmt.Sprintf("all folders, week %d of %d, %s", d.Mark%100, d.Mark/100, count(d.Sessions, "session", "sessions"))
			}
			sc.printf("%s  %s\n", sc.paint(faint, d.At.Local().Format(time.DateOnly)), plainLine(where))
			for _, f := range d.Findings {
				sc.printf("  %s\n", plainLine(findingLine(f)))
			}
			if len(d.Findings) == 0 {
				sc.printf("  %s\n", sc.paint(faint, "nothing in common"))
			}
		}
		if len(list) == 0 {
			sc.printf("no folder has had five sessions yet\n")
		}
		if len(shown) < len(list) {
			sc.printf("%s\n", sc.paint(faint, "there are older ones: `manicule session digest --all`"))
		}
		return nil
	})
}

// newestOfEach returns the newest digest of each folder; list has the newest first.
func newestOfEach(list []store.Digest) []store.Digest {
	var newest []store.Digest
	seen := map[string]bool{}
	for _, d := range list {
		if !seen[d.Module] {
			seen[d.Module] = true
			newest = append(newest, d)
		}
	}
	return newest
}

// suggestFigures makes candidates of the figures of digests, the newest of each. Figures are not proposed without being
// asked for.
func (sc *sessionDigestCommand) suggestFigures(ctx context.Context, w *services.Workspace, list []store.Digest) error {
	episodes, err := w.State().Episodes().Latest(ctx, maxTaintSessions)
	if err != nil {
		return fmt.Errorf("read the episodes: %w", err)
	}
	known := map[string]bool{} // whether a session is tainted
	for _, e := range episodes {
		known[e.Session] = e.Tainted
	}
	var found []memory.Inferred
	told := map[string]bool{}
	for _, d := range list {
		for _, f := range d.Findings {
			tainted := slices.ContainsFunc(f.Sessions, func(s string) bool { t, ok := known[s]; return t || !ok })
			if c, ok := learn.Figure(f, tainted); ok && !told[f.Key] {
				told[f.Key] = true
				found = append(found, c)
			}
		}
	}
	results, err := w.Observer().Suggest(ctx, found)
	if err != nil {
		return fmt.Errorf("suggest the figures: %w", err)
	}
	made := 0
	for i, r := range results {
		switch {
		case r.Accepted && !r.Deduped:
			made++
			sc.printf("%s  %s\n", r.Memory.ShortID(), plainLine(r.Memory.What))
		default:
			sc.printf("%s  %s\n", sc.paint(faint, "left out"), plainLine(found[i].Draft.What+": "+r.Reason))
		}
	}
	sc.printf("%s: `manicule review`\n", count(made, "candidate waits", "candidates wait"))
	return nil
}

// maxTaintSessions bounds the sessions that are known to be free of text of strangers; older ones count as tainted.
const maxTaintSessions = 5_000

// findingLine says what was found, in a line.
func findingLine(f episode.Finding) string {
	switch f.Kind {
	case episode.Prefetch:
		var parts []string
		if len(f.Always) > 0 {
			parts = append(parts, "always "+strings.Join(f.Always, ", "))
		}
		if len(f.Often) > 0 {
			parts = append(parts, "often "+strings.Join(f.Often, ", "))
		}
		return "files: " + strings.Join(parts, "; ")
	case episode.QA:
		return fmt.Sprintf("check: `%s` failed and was mended in %s, in %d of them by %s", f.Check, count(f.Of, "session", "sessions"), f.Seen, f.File)
	case episode.MCP:
		return fmt.Sprintf("tool: `%s` failed with “%s” in %d of %s", f.Tool, f.Line, f.Seen, count(f.Of, "session", "sessions"))
	case episode.FixCommit:
		return fmt.Sprintf("fixes: %s was changed in %s", f.File, count(f.Seen, "fix", "fixes"))
	case episode.Calibration:
		return fmt.Sprintf("work: a %s with a list of %.0f items takes %.0f calls and %.0f minutes, %.1f calls an item (%s)", f.Work, f.Planned, f.Calls, f.Minutes, f.Ratio, count(f.Seen, "session", "sessions"))
	}
	return string(f.Kind)
}
