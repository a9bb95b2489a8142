package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/hooks/install"
	"manicule/hooks/learn"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/services"
)

// statsCommand is `manicule stats`.
type statsCommand struct {
	*cli
	clear, reset bool
}

func newStatsCommand(shared *cli) *cobra.Command {
	sc := &statsCommand{cli: shared}
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show how memories are used here, their outcome and their cost",
		Long: "Show how memories are used on this machine: their number, those recalled most and never, how\n" +
			"often agents followed, overrode or ignored a memory that they were shown, the tokens that\n" +
			"sessions received, and an estimate of the savings, which may be less than the cost.\n" +
			"docs/ledger.md explains each figure. Nothing of it leaves this machine. --clear deletes the\n" +
			"ledger of what was shown, also from backups. --reset-weights begins anew to learn what types of memories weigh.",
		Args: cobra.NoArgs,
		RunE: sc.run,
	}
	c.Flags().BoolVar(&sc.clear, "clear", false, "delete the ledger of what was shown, for this repository on this machine")
	c.Flags().BoolVar(&sc.reset, "reset-weights", false, "forget what was learned of types of memories and of phases, and learn it anew from now on")
	c.MarkFlagsMutuallyExclusive("clear", "reset-weights")
	return c
}

func (sc *statsCommand) run(cmd *cobra.Command, _ []string) error {
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		if sc.clear {
			return sc.clearStats(cmd.Context(), w)
		}
		if _, err := w.Sync(cmd.Context()); err != nil {
			return err
		}
		sc.updateLedger(cmd.Context(), w)
		if sc.reset {
			return sc.resetWeights(cmd.Context(), w)
		}
		s, err := ledger.StatsOf(cmd.Context(), w.Workspace)
		if err != nil {
			return err
		}
		s.HeldOut.On = w.Config.Bool("hooks.hold_out") && w.Config.Bool("hooks.arms")
		if sc.json {
			sc.printJSON("stats", s)
			return nil
		}
		sc.printStats(s)
		return nil
	})
}

// updateLedger updates the ledger. A failure is only logged.
func (c *cli) updateLedger(ctx context.Context, w *services.Workspace) {
	if err := learn.Account(ctx, learn.Options{Workspace: w.Workspace}); err != nil && ctx.Err() == nil {
		c.warn("bring the ledger up to date: %v", err)
	}
}

func (sc *statsCommand) clearStats(ctx context.Context, w *services.Workspace) error {
	if err := sc.requirePerson("delete the account of"); err != nil {
		return err
	}
	if err := errors.Join(ledger.Clear(w.Place().StateDir()), w.State().Shown().Clear(ctx)); err != nil {
		return err
	}
	if sc.json {
		sc.printJSON("stats_clear", struct {
			Cleared bool `json:"cleared"`
		}{true})
		return nil
	}
	sc.printf("deleted what was kept of showings in this repository\n")
	for _, d := range w.State().Damaged() {
		if !d.Lost {
			sc.printf("  a damaged database that was set aside may have some: `rm %s` deletes it\n", install.ShellQuote(d.Path))
		}
	}
	return nil
}

func (sc *statsCommand) resetWeights(ctx context.Context, w *services.Workspace) error {
	if err := sc.requirePerson("reset the weights of"); err != nil {
		return err
	}
	if err := ledger.ResetWeights(ctx, w.Workspace); err != nil {
		return err
	}
	if sc.json {
		sc.printJSON("stats_reset_weights", struct {
			Reset bool `json:"reset"`
		}{true})
		return nil
	}
	sc.printf("what types of memories weigh is learned anew, from the next session on\n")
	return nil
}

func (sc *statsCommand) printStats(s ledger.Stats) {
	row := func(name, format string, args ...any) { sc.printf("  %-13s %s\n", name, fmt.Sprintf(format, args...)) }
	sc.printf("%s\n", sc.paint(bold, "☞ "+count(s.Total, "memory", "memories")))
	if t := formatCounts(s.ByLayer, toStrings(file.Layers())); t != "" {
		row("by layer", "%s", t)
	}
	if t := formatCounts(s.BySource, toStrings(file.Origins())); t != "" {
		row("by source", "%s", t)
	}
	for i, r := range s.Recalled {
		name := ""
		if i == 0 {
			name = "recalled"
		}
		row(name, "%d× %s  %s", r.Asked+r.Shown, firstLine(r.What), sc.paint(faint, fmt.Sprintf("(asked for %d, shown %d)", r.Asked, r.Shown)))
	}
	if s.Stale > 0 {
		row("stale", "%s older than 30 days, never recalled or shown: `manicule stats --json` lists them", count(s.Stale, "memory", "memories"))
	}
	sc.printf("\n%s\n", sc.paint(bold, "what came of them"))
	if s.Ledger.Shown == 0 {
		row("agents", "were shown nothing yet: `manicule doctor agents` says which have hooks, `manicule init --agent NAME` adds them")
	} else {
		row("agents", "%s", verdicts(s.Ledger))
		for _, x := range s.Agents {
			row(x.Agent, "%s; %s told, %s tokens", verdicts(x.Summary), count(x.Sessions, "session", "sessions"), humanize.Comma(int64(x.Injected)))
		}
		row("by way of", "%s", formatCounts(s.Surfaces, []string{string(ledger.Hook), string(ledger.MCP), string(ledger.Hover), string(ledger.CLI)}))
	}
	if s.Ledger.ToPeople > 0 {
		row("people", "were shown memories %s", count(s.Ledger.ToPeople, "time", "times"))
	}
	if s.Sessions.Count == 0 {
		return
	}
	sc.printf("\n%s\n", sc.paint(bold, "what they cost and saved"))
	row("sessions", "%s, %d told something: median %s tokens, most %s, %.0f an answer", count(s.Sessions.Count, "session", "sessions"), s.Sessions.Told,
		humanize.Comma(int64(s.Sessions.Median)), humanize.Comma(int64(s.Sessions.Most)), s.Sessions.PerAnswer)
	row("saved", "at most %s tokens: %s followed, %s tokens a failed call", humanize.Comma(int64(s.Saved.AtMost)), count(s.Saved.Heeded, "warning", "warnings"), humanize.Comma(int64(s.Saved.PerCall)))
	row("injected", "%s tokens", humanize.Comma(int64(s.Saved.Injected)))
	row("net", "%s", signedTokens(s.Saved.Net))
	for _, line := range wrapText(s.Saved.Method, 84) {
		row("", "%s", sc.paint(faint, line))
	}
	sc.printWeights(s.Weights, s.WeightChanges)
	sc.printArms(s.Arms)
	sc.printHeldOut(s.HeldOut)
	if len(s.Buckets) == 0 {
		return
	}
	sc.printf("\n%s\n  %-13s %8s %12s %8s %8s %10s %11s %8s\n", sc.paint(bold, "by number of the session"), "", "sessions", "calls/prompt", "re-reads", "failures", "overridden", "corrections", "tokens")
	for _, b := range s.Buckets {
		name := fmt.Sprintf("%d to %d", b.From, b.To)
		if b.To == 0 {
			name = fmt.Sprintf("%d and on", b.From)
		}
		sc.printf("  %-13s %8d %12.1f %8.1f %8.1f %10.1f %11.1f %8.0f\n", name, b.Sessions, b.Calls, b.Rereads, b.Failed, b.Reentered, b.Corrections, b.Tokens)
	}
}

// weightChangesShown is the number of changes of weights that people are shown.
const weightChangesShown = 5

// printWeights says what the types of memories would weigh by what was learned here, and what changed lately.
func (sc *statsCommand) printWeights(list []ledger.TypeWeight, changes []ledger.WeightChange) {
	if len(list) == 0 {
		return
	}
	sc.printf("\n%s\n", sc.paint(bold, "what was learned of types and phases"))
	for _, w := range list {
		sc.printf("  %-13s × %.2f in every phase: followed %d of %d times\n", w.Type.Label(), w.Weight, w.Followed, w.Decided)
		for _, p := range w.Phases {
			sc.printf("  %-13s × %.2f in %s: followed %d of %d times\n", "", p.Weight, p.Phase, p.Followed, p.Decided)
		}
	}
	for i, c := range changes[:min(weightChangesShown, len(changes))] {
		name, where := "", "in every phase"
		if i == 0 {
			name = "lately"
		}
		if c.Phase != "" {
			where = "in " + string(c.Phase)
		}
		sc.printf("  %-13s %s: %s %s from %.2f to %.2f\n", name, c.At.Local().Format("2006-01-02"), c.Type.Label(), where, c.Was, c.Weight)
	}
	for _, line := range wrapText("searches weigh by them if you set `hooks.learned_weights = true` in your own settings (docs/configuration.md); `manicule stats --reset-weights` begins anew", 96) {
		sc.printf("  %s\n", sc.paint(faint, line))
	}
}

// printArms compares the sessions by arm.
func (sc *statsCommand) printArms(arms []ledger.ArmStats) {
	sc.printf("\n%s\n", sc.paint(bold, "do they help?"))
	intro := fmt.Sprintf("From session %d on, 5 %% of the sessions are told nothing (off) and 10 %% only the brief (passive), by a hash; the others are told all (full). "+
		"`hooks.arms = false` in your own settings ends it (docs/configuration.md).", ledger.ArmsFrom+1)
	for _, line := range wrapText(intro, 96) {
		sc.printf("  %s\n", sc.paint(faint, line))
	}
	if len(arms) == 0 {
		sc.printf("  not known yet: no finished session has an arm\n")
		return
	}
	if each, known := armCounts(arms); !known {
		sc.printf("  not known yet: these finished sessions are too few, or too alike: %s\n", each)
		return
	}
	for _, a := range arms {
		if a.Sessions == 0 {
			sc.printf("  %-13s no sessions\n", a.Arm)
			continue
		}
		var parts []string
		for _, f := range a.Figures {
			text := fmt.Sprintf("%s %.1f [%.1f, %.1f]", strings.ReplaceAll(f.Name, "_", " "), f.Mean, f.Low, f.High)
			if a.Arm != ledger.Full && f.Name != "tokens" {
				known := "not known yet"
				if f.Known {
					known = fmt.Sprintf("%+.1f", f.More)
				}
				if f.Aim > 0 && f.Known {
					known += fmt.Sprintf("; full has %.0f %% less", 100*f.Less())
				}
				if f.Aim > 0 {
					known += fmt.Sprintf("; aim: full has %.0f %% less", 100*f.Aim)
				}
				text += " (than full: " + known + ")"
			}
			parts = append(parts, text)
		}
		sc.printf("  %-13s %s, means of one with 95 %% intervals:\n", a.Arm, count(a.Sessions, "session", "sessions"))
		for _, p := range parts {
			sc.printf("  %-13s %s\n", "", p)
		}
	}
}

// armCounts lists how many sessions each arm has, and says whether a figure of one differs from the full arm for sure.
func armCounts(arms []ledger.ArmStats) (text string, known bool) {
	var each []string
	for _, a := range arms {
		each = append(each, fmt.Sprintf("%d %s", a.Sessions, a.Arm))
		known = known || a.Arm != ledger.Full && slices.ContainsFunc(a.Figures, func(c ledger.Compare) bool { return c.Known && c.Name != "tokens" })
	}
	return strings.Join(each, ", "), known
}

// heldOutShown is the number of memories whose comparison people are shown.
const heldOutShown = 5

// printHeldOut compares the sessions that were told a memory with those in which it was held out.
func (sc *statsCommand) printHeldOut(x ledger.HeldOut) {
	sc.printf("\n%s\n", sc.paint(bold, "does a memory help?"))
	intro := "Held out: off, by `hooks.hold_out` or `hooks.arms` in your own settings (docs/configuration.md)."
	if x.On {
		intro = "Held out: on. In the sessions that are told all, 5 % of what is told unasked is left out, by a hash; never what is pinned, has a rule, or leads the brief. " +
			"`hooks.hold_out = false` in your own settings ends it (docs/configuration.md)."
	}
	for _, line := range wrapText(intro, 96) {
		sc.printf("  %s\n", sc.paint(faint, line))
	}
	if x.Memories > 0 {
		sc.printf("  %-13s %s in %s\n", "held out", count(x.Memories, "memory", "memories"), count(x.Sessions, "finished session", "finished sessions"))
	}
	if len(x.Compared) == 0 {
		sc.printf("  not known yet: no memory was told in %d finished sessions and held out in %d\n", ledger.LeastHeldOut, ledger.LeastHeldOut)
		return
	}
	sc.printf("  means of a session with 95 %% intervals of the difference:\n")
	for _, m := range x.Compared[:min(heldOutShown, len(x.Compared))] {
		sc.printf("  %s  %s\n", firstLine(m.What), sc.paint(faint, fmt.Sprintf("(told in %d, held out in %d)", m.Told, m.Held)))
		for _, f := range m.Figures {
			known := "not known yet"
			if f.Known {
				known = fmt.Sprintf("%+.1f", f.More)
			}
			if m.Harms == f.Name {
				known += ", so it does harm: `manicule review` proposes to dispute it"
			}
			sc.printf("  %-13s %s %.1f, held out %.1f [%+.1f, %+.1f]: %s\n", "", strings.ReplaceAll(f.Name, "_", " "), f.Told, f.Held, f.MoreLow, f.MoreHigh, known)
		}
	}
	if n := len(x.Compared) - heldOutShown; n > 0 {
		sc.printf("  %s: `manicule stats --json`\n", sc.paint(faint, fmt.Sprintf("and %d more", n)))
	}
}

// signedTokens formats a sum with its sign.
func signedTokens(n int) string {
	if n < 0 {
		return "-" + humanize.Comma(int64(-n)) + " tokens: they have cost more than they can have saved"
	}
	return "at most +" + humanize.Comma(int64(n)) + " tokens"
}

func verdicts(s ledger.Summary) string {
	parts := []string{"shown " + count(s.Shown, "time", "times")}
	for _, v := range []struct {
		n    int
		name string
	}{{s.Followed, "followed"}, {s.Worked, "which worked"}, {s.Failed, "which failed"}, {s.Overridden, "overridden"}, {s.Ignored, "ignored"}, {s.Unknown, "unknown"}, {s.Open, "open"}, {s.Repeats, "repeats"}} {
		if v.n > 0 {
			parts = append(parts, v.name+" "+humanize.Comma(int64(v.n)))
		}
	}
	return strings.Join(parts, ", ")
}

// formatCounts formats numbers by name in the order of the names. Other names follow.
func formatCounts(by map[string]int, order []string) string {
	var parts []string
	for _, k := range order {
		if n := by[k]; n > 0 {
			parts = append(parts, strings.ReplaceAll(k, "_", " ")+" "+humanize.Comma(int64(n)))
		}
	}
	return strings.Join(parts, ", ")
}

// wrapText breaks a text at spaces into lines of at most width bytes.
func wrapText(text string, width int) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			out = append(out, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+w, " ")
	}
	return append(out, line)
}
