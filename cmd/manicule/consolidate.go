package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/consolidate"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/store"
)

// consolidateCommand is `manicule consolidate`.
type consolidateCommand struct {
	*cli
	apply, yes bool
	ids        []string
}

func newConsolidateCommand(shared *cli) *cobra.Command {
	cc := &consolidateCommand{cli: shared}
	c := &cobra.Command{
		Use:   "consolidate",
		Short: "Find memories that say the same, and merge them",
		Long: "Find memories of the same kind and place that say the same. Without --apply nothing changes.\n" +
			"With it, each group is shown and you decide. The best memory of a group is kept, word for\n" +
			"word, and gets the tags, places and evidence of the others. Those are archived, and\n" +
			"`manicule restore` brings them back for 30 days. Needs an embedding model. With the setting\n" +
			"consolidate.text = model your chat model proposes a text, which you may take instead.",
		Example: "  manicule consolidate\n  manicule consolidate --apply\n  manicule consolidate --apply --id 3f9a0c1b22de\n  manicule consolidate --apply --yes --json",
		Args:    cobra.NoArgs,
		RunE:    cc.run,
	}
	c.Flags().BoolVar(&cc.apply, "apply", false, "merge the groups that you confirm")
	c.Flags().BoolVar(&cc.yes, "yes", false, "merge all of them without asking")
	c.Flags().StringSliceVar(&cc.ids, "id", nil, "merge the groups with these ids, without asking")
	c.MarkFlagsMutuallyExclusive("yes", "id")
	return c
}

func (cc *consolidateCommand) run(cmd *cobra.Command, _ []string) error {
	if !cc.apply && (cc.yes || len(cc.ids) > 0) {
		return usage(cmd, errors.New("--yes and --id need --apply"))
	}
	if cc.apply {
		if err := cc.requirePerson("merge"); err != nil {
			return err
		}
		if !cc.yes && len(cc.ids) == 0 && (cc.json || !cc.tty || !cc.inputTTY) {
			return usage(cmd, errors.New("there is no terminal to ask on: --apply needs --yes for all groups, or --id for some"))
		}
	}
	return cc.with(cmd.Context(), func(w *services.Workspace) error { return cc.consolidate(cmd.Context(), w) })
}

// consolidateJSON is the shape "consolidate".
type consolidateJSON struct {
	consolidate.Report
	TookMS int64       `json:"took_ms"`
	DryRun bool        `json:"dry_run"`
	Twins  [][]string  `json:"twins,omitzero"` // ids of memories that say the same, word for word
	Alike  []alikeJSON `json:"alike,omitzero"` // pairs that are alike by their words
	consolidate.Outcome
}

func (cc *consolidateCommand) consolidate(ctx context.Context, w *services.Workspace) (err error) {
	c := w.Consolidator(nil)
	show, finish := cc.phases()
	r, err := c.Find(ctx, show)
	finish()
	if err != nil {
		return interruptedError(err)
	}
	out := consolidateJSON{Report: r, TookMS: r.Took.Milliseconds(), DryRun: !cc.apply, Outcome: consolidate.Outcome{Merged: []consolidate.Merged{}, Failed: []consolidate.Failed{}}}
	twins, err := w.Twins().List(ctx)
	if err != nil {
		return err
	}
	out.Twins = twinIDs(twins)
	alike, err := memory.FindAlike(ctx, w.Workspace)
	if err != nil {
		return err
	}
	alike = slices.DeleteFunc(alike, func(a memory.Alike) bool { return r.Groups(a.First.UUID, a.Second.UUID) })
	out.Alike = alikeIDs(alike)
	settled := 0
	switch {
	case !cc.apply:
	case len(cc.ids) > 0:
		picked, unknown := r.Pick(cc.ids)
		if len(unknown) > 0 {
			return &codeError{exitNotFound, &memory.UserError{Msg: "no group has the id " + strings.Join(unknown, ", ") + ": its memories were changed since, or merged",
				Hint: "`manicule consolidate` lists the groups as they are now."}}
		}
		out.Outcome = c.Apply(ctx, picked, show)
	case cc.yes:
		out.Outcome = c.Apply(ctx, r.Clusters, show)
	default:
		cc.printSummary(r)
		writer, done := cc.writer(w)
		defer done()
		out.Outcome, settled = cc.askEach(ctx, c, r, writer)
	}
	finish()
	// Interrupted or not, what was done is logged.
	if err := c.Note(context.WithoutCancel(ctx), r, out.Outcome, settled); err != nil {
		cc.warn("keep a log of it: %v", err)
	}
	cc.printResult(out, cc.apply && !cc.yes && len(cc.ids) == 0)
	printTwins(cc.cli, twins)
	printAlike(cc.cli, alike)
	if len(out.Failed) > 0 {
		return &codeError{exitError, errSilent}
	}
	switch {
	case out.Stopped && cc.json:
		return &codeError{exitError, errSilent} // printed already
	case out.Stopped:
		return interruptedError(context.Canceled)
	}
	return nil
}

// twinIDs lists the ids of memories that are there several times.
func twinIDs(twins [][]*file.Memory) (out [][]string) {
	for _, same := range twins {
		var ids []string
		for _, m := range same {
			ids = append(ids, m.UUID)
		}
		out = append(out, ids)
	}
	return out
}

// printTwins prints which memories are there several times, word for word: that needs no model.
func printTwins(c *cli, list [][]*file.Memory) {
	if c.json {
		return
	}
	for i, same := range list {
		if i == maxMendable {
			c.printf("☞ %s\n", count(len(list)-i, "more memory is there several times", "more memories are there several times"))
			break
		}
		c.printf("☞ %s say the same, word for word: %s\n", memory.ShortIDs(same), plainLine(same[0].What))
	}
	if len(list) > 0 {
		c.printf("  try: `manicule doctor --fix` merges them, and `manicule doctor --undo` takes it back\n")
	}
}

// interruptedError returns the error after an interruption.
func interruptedError(err error) error {
	if errors.Is(err, context.Canceled) {
		return &memory.UserError{Msg: "interrupted", Err: err, Hint: "Merged memories stay merged; run the command again for the rest."}
	}
	return err
}

// phases shows the progress of each phase.
func (cc *consolidateCommand) phases() (func(consolidate.Progress), func()) {
	var phase consolidate.Phase
	show, finish := func(int, int) {}, func() {}
	return func(p consolidate.Progress) {
			if p.Phase != phase {
				finish()
				phase = p.Phase
				show, finish = cc.bar(fmt.Sprintf("%-9s", p.Phase), string(p.Phase)+":", "memories")
			}
			show(p.Done, p.Total)
		}, func() {
			finish()
			phase, finish = "", func() {}
		}
}

// printSummary prints the number of examined memories and of groups.
func (cc *consolidateCommand) printSummary(r consolidate.Report) {
	switch {
	case r.Unavailable != "":
		cc.printf("☞ skipped: %s\n  try: %s\n", r.Unavailable, r.Hint)
		return
	case len(r.Clusters) == 0:
		cc.printf("☞ %s: no two say the same\n", count(r.Looked, "memory", "memories"))
	default:
		cc.printf("☞ %s: %s the same\n", count(r.Looked, "memory", "memories"), count(len(r.Clusters), "group says", "groups say"))
	}
	for _, s := range r.Skipped {
		cc.printf("  %s\n", cc.paint(faint, "left out, "+s.Reason+": "+count(s.Count, "memory", "memories")))
	}
	for _, s := range r.Apart {
		cc.printf("  %s\n", cc.paint(faint, "alike and not the same, "+s.Reason+": "+count(s.Count, "pair", "pairs")))
	}
}

// printGroup prints a cluster: the kept memory, the archived ones and the additions.
func (cc *consolidateCommand) printGroup(c consolidate.Cluster) {
	cc.printf("\n%s  %s, %s\n", cc.paint(bold, c.ID), c.About, cc.paint(faint, fmt.Sprintf("every two at least %.2f alike", c.Least)))
	member := func(verb, colour string, m consolidate.Member) {
		what := plainLine(m.What)
		cc.printf("  %s %s  %s  %s\n", cc.paint(colour, fmt.Sprintf("%-7s", verb)), cc.paint(faint, m.UUID[max(0, len(m.UUID)-8):]), what,
			cc.paint(faint, fmt.Sprintf("(%s, confidence %.2g, %s)", trustText(m), m.Confidence, humanize.RelTime(m.Updated.Time, cc.now(), "ago", "from now"))))
	}
	member("keep", green, c.Kept)
	for _, m := range c.Others {
		member("archive", yellow, m)
	}
	for _, f := range c.Adds {
		cc.printf("  %-7s %s: %s → %s\n", "add", f.Name, side(f.Old), side(f.New))
	}
}

// trustText says why a memory is trusted.
func trustText(m consolidate.Member) string {
	text := strings.ReplaceAll(string(m.Origin), "_", " ")
	if m.Verified {
		text += ", verified"
	}
	return text
}

// writer returns the chat model that may word a merged memory, or nil if the settings name none. One that can't be used is
// told, and the kept memories' texts stay. done ends its use.
func (cc *consolidateCommand) writer(w *services.Workspace) (by *consolidate.Writer, done func()) {
	if w.Config.String("consolidate.text") != "model" {
		return nil, func() {}
	}
	chat, err := w.Chat()
	if err != nil {
		cc.warn("no text by the model: %v; try: %s", err, services.Hint(err))
		return nil, func() {}
	}
	return &consolidate.Writer{Model: chat.Model(), Complete: func(ctx context.Context, system, user string, maxTokens int) (string, error) {
		answer, err := chat.Complete(ctx, system, user, maxTokens)
		return answer.Text, err
	}}, chat.Close
}

// propose asks a model for the text of a merged group and prints it. Without one the kept memory's text stays.
func (cc *consolidateCommand) propose(ctx context.Context, c *consolidate.Consolidator, x consolidate.Cluster, by *consolidate.Writer) consolidate.Wording {
	if by == nil {
		return consolidate.Wording{}
	}
	wording, err := c.Word(ctx, x, *by)
	if err != nil {
		cc.warn("no text by the model: %s", plainLine(err.Error()))
		return consolidate.Wording{}
	}
	cc.printf("  %-7s %s  %s\n", "text", plainLine(wording.What), cc.paint(faint, "(by "+wording.Model+")"))
	return wording
}

// askEach asks about each group in turn and applies each decision at once. by, which may be nil, proposes texts.
func (cc *consolidateCommand) askEach(ctx context.Context, c *consolidate.Consolidator, r consolidate.Report, by *consolidate.Writer) (out consolidate.Outcome, settled int) {
	out = consolidate.Outcome{Merged: []consolidate.Merged{}, Failed: []consolidate.Failed{}}
	in := bufio.NewReader(cc.in)
	for _, x := range r.Clusters {
		cc.printGroup(x)
		wording := cc.propose(ctx, c, x, by)
		question := "  [m]erge, [s]kip, [k]eep apart for good, [q]uit? "
		if wording.What != "" {
			question = "  [m]erge, merge with this [t]ext, [s]kip, [k]eep apart for good, [q]uit? "
		}
		for asking := true; asking; {
			cc.printf("%s", question)
			line, err := in.ReadString('\n')
			if errors.Is(err, context.Canceled) {
				cc.printf("\n")
			}
			if err != nil && (ctx.Err() != nil || line == "") {
				out.Stopped = ctx.Err() != nil
				return out, settled
			}
			asking = false
			switch choice := strings.ToLower(strings.TrimSpace(line)); {
			case choice == "m", choice == "t" && wording.What != "":
				if choice == "t" {
					x.Wording = wording
				}
				o := c.Apply(ctx, []consolidate.Cluster{x}, nil)
				out.Merged, out.Failed, out.Stopped = append(out.Merged, o.Merged...), append(out.Failed, o.Failed...), o.Stopped
				cc.mergeGroup(o)
			case choice == "k":
				if err := c.KeepApart(ctx, x); err != nil {
					cc.warn("%v", err)
					continue
				}
				settled++
			case choice == "s":
			case choice == "q":
				return out, settled
			default:
				asking = true
			}
			if out.Stopped {
				return out, settled
			}
		}
	}
	return out, settled
}

func (cc *consolidateCommand) mergeGroup(o consolidate.Outcome) {
	for _, m := range o.Merged {
		cc.printf("☞ merged: %s is version %d, %s archived\n", m.Kept[max(0, len(m.Kept)-8):], m.Version, count(len(m.Archived), "memory", "memories"))
		for _, id := range m.Archived {
			cc.printf("  `manicule restore %s` brings it back, until %s\n", id[max(0, len(id)-8):], cc.now().Add(store.TombstoneLife).Format(time.DateOnly))
		}
	}
	for _, f := range o.Failed {
		cc.warn("not merged: %s", plainLine(f.Reason))
	}
}

// printResult prints the groups and the changes. asked is set if a person has seen them
// already.
func (cc *consolidateCommand) printResult(out consolidateJSON, asked bool) {
	switch {
	case cc.json:
		cc.printJSON("consolidate", out)
		return
	case asked:
		return
	}
	cc.printSummary(out.Report)
	if out.DryRun {
		for _, c := range out.Clusters {
			cc.printGroup(c)
		}
		if len(out.Clusters) > 0 {
			cc.printf("\nnothing was changed: `manicule consolidate --apply` asks about each\n")
		}
		return
	}
	cc.mergeGroup(out.Outcome)
}

// lastConsolidation is the part of status about the last consolidation.
type lastConsolidation struct {
	store.Consolidation
	Due bool `json:"due"` // groups are known, and a person has to decide
}

// lastConsolidated reads the log. It returns nil before the first consolidation.
func lastConsolidated(ctx context.Context, w *services.Workspace) (*lastConsolidation, error) {
	list, err := w.State().Consolidations().Latest(ctx, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	c := list[0]
	return &lastConsolidation{c, c.Known > 0}, nil
}

// text describes the result of the last consolidation in one line.
func (l *lastConsolidation) text(now time.Time) string {
	if l == nil {
		return "never looked for memories that say the same: `manicule consolidate`"
	}
	text := humanize.RelTime(l.At, now, "ago", "from now")
	if l.At.Equal(now) {
		text = "now"
	}
	text = "looked at " + count(l.Looked, "memory", "memories") + " " + text
	if l.Model == "" && len(l.Skipped) > 0 {
		text += ", skipped: " + l.Skipped[0].Reason
	}
	if l.Merged > 0 {
		text += fmt.Sprintf(", %s merged, %d archived", count(l.Merged, "group", "groups"), l.Archived)
	}
	if l.Failed > 0 {
		text += fmt.Sprintf(", %d failed", l.Failed)
	}
	if l.Known > 0 {
		text += ", " + count(l.Known, "group says", "groups say") + " the same"
	}
	if l.Due {
		text += ": `manicule consolidate --apply`"
	}
	return text
}

// checkConsolidation reports when the memories were last searched for duplicates.
func (dc *doctorCommand) checkConsolidation(ctx context.Context, w *services.Workspace) []finding {
	l, err := lastConsolidated(ctx, w)
	switch {
	case err != nil:
		return []finding{{"consolidate", statusProblem, err.Error(), services.Hint(err)}}
	case l != nil && l.Due:
		return []finding{{"consolidate", statusNote, strings.TrimSuffix(l.text(dc.now()), ": `manicule consolidate --apply`"), "`manicule consolidate --apply` asks about each group."}}
	}
	return []finding{{Check: "consolidate", Status: statusOK, Text: l.text(dc.now())}}
}
