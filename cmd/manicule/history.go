package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

func newHistoryCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "history ID",
		Short: "List the versions of a memory, from this machine and from git",
		Long: "List the versions of a memory, newest first: those that this machine has seen, and those that\n" +
			"git's commits hold, each once. It works for a forgotten memory and for a damaged file, too.",
		Example:           "  manicule history 5b0d9a12",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: shared.completeID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return shared.with(cmd.Context(), func(w *services.Workspace) error {
				line, err := timeline(cmd.Context(), shared, w, args[0])
				if err != nil {
					return err
				}
				if shared.json {
					shared.printJSON("history", struct {
						Versions []memory.Past `json:"versions"`
						Shallow  bool          `json:"shallow,omitzero"` // git may have had more
					}{line, w.Git().Shallow()})
					return nil
				}
				printTimeline(shared, line)
				if w.Git().Shallow() {
					shared.printf("☞ this clone is shallow, and may lack earlier versions: %s\n", unshallow)
				}
				if d, ok, err := w.History().Damaged(cmd.Context(), args[0]); err == nil && ok {
					shared.printf("☞ its file can't be read: %s\n  %s\n", relative(w.Root(), d.Path), d.Remedy(w.Root()))
				}
				return nil
			})
		},
	}
}

// historyGrowth is how far the heap grows between collections, in percent. Of a folder of 100,000 files git's history is read
// in pieces of 7 MB, which hold no pointers: to collect more often costs nothing, and the heap would double.
const historyGrowth = 25

// timeline returns the versions of a memory, for an agent without those that would be in quarantine.
func timeline(ctx context.Context, c *cli, w *services.Workspace, id string) ([]memory.Past, error) {
	if c.getenv("GOGC") == "" {
		debug.SetGCPercent(historyGrowth)
	}
	line, err := w.History().Timeline(ctx, id)
	if err != nil {
		return nil, err
	}
	told, held, err := tellable(ctx, c, w, line)
	if err == nil && held > 0 && len(told) == 0 {
		err = c.requirePerson("read quarantined")
	} else if err == nil {
		warnHeld(c, held)
	}
	return told, err
}

// tellable returns the versions that whoever asks may be told, and how many others there are: an agent is not told those that would be
// in quarantine.
func tellable(ctx context.Context, c *cli, w *services.Workspace, line []memory.Past) (told []memory.Past, held int, err error) {
	if c.agent() == "" {
		return line, 0, nil
	}
	return w.Quarantine().Tellable(ctx, line)
}

// warnHeld says how many versions an agent is not told.
func warnHeld(c *cli, held int) {
	if held > 0 {
		c.warn("%s in quarantine and not shown to agents", count(held, "version is", "versions are"))
	}
}

// printTimeline prints versions, each with what it changed of the one that it was made from.
func printTimeline(c *cli, line []memory.Past) {
	kinds := 8 // the width of their column
	for _, p := range line {
		kinds = max(kinds, len(p.Memory.Lineage.ChangeKind))
	}
	for i, p := range line {
		before, ok := memory.Before(line, i)
		c.past(p, kinds, ok, before)
	}
}

// past prints a version with what it changed.
func (c *cli) past(p memory.Past, kinds int, hasBefore bool, before memory.Past) {
	m := p.Memory
	from := "this machine"
	if p.Commit != "" {
		from = fmt.Sprintf("commit %.8s by %s: %s", p.Commit, p.Author, plainLine(p.Subject))
		if !p.Here {
			from += " (git only)"
		}
	}
	mark := " "
	if p.Current {
		mark = "*"
	}
	by := m.Lineage.By
	if by == "" {
		by = m.Contributor
	}
	c.printf("%s v%-3d %.8s  %s  %-*s %s\n", mark, m.Lineage.Version, strings.TrimPrefix(p.Hash, "sha256:"), m.VersionAt().Format("2006-01-02 15:04"), kinds, plainLine(m.Lineage.ChangeKind), plainLine(m.What))
	c.printf("       %s\n", c.paint(faint, plainLine(by+note(m.Lineage.ChangeNote))+" — "+plainLine(from)))
	if !hasBefore {
		return
	}
	for _, f := range memory.Changes(before.Memory, m) {
		if f.Name != "what" {
			c.printf("       %s\n", c.paint(faint, fmt.Sprintf("%s: %s → %s", f.Name, blank(f.Old), blank(f.New))))
		}
	}
}

// blank names a value that may be empty.
func blank(s string) string {
	if s == "" {
		return "none"
	}
	return plainLine(s)
}

func newDiffCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID [VERSION [VERSION]]",
		Short: "Show what changed between versions of a memory",
		Long: "Show what changed between two versions of a memory: between the one before and the current\n" +
			"one, between VERSION and the current one, or between two. A VERSION is a number, or the\n" +
			"beginning of a hash or of a commit, as `manicule history` shows them.",
		Example:           "  manicule diff 5b0d9a12\n  manicule diff 5b0d9a12 1\n  manicule diff 5b0d9a12 1 3",
		Args:              cobra.RangeArgs(1, 3),
		ValidArgsFunction: shared.completeID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return shared.with(cmd.Context(), func(w *services.Workspace) error {
				return shared.diff(cmd, w, args)
			})
		},
	}
}

func (c *cli) diff(cmd *cobra.Command, w *services.Workspace, args []string) error {
	line, err := timeline(cmd.Context(), c, w, args[0])
	if err != nil {
		return err
	}
	args = append(args, "", "")
	old, err := memory.Version(line, args[1])
	if err != nil {
		return err
	}
	now := line[0]
	if args[2] != "" {
		if now, err = memory.Version(line, args[2]); err != nil {
			return err
		}
	}
	changes := memory.Changes(old.Memory, now.Memory)
	if c.json {
		c.printJSON("diff", struct {
			From    int            `json:"from"`
			To      int            `json:"to"`
			Changes []memory.Field `json:"changes"`
		}{old.Memory.Lineage.Version, now.Memory.Lineage.Version, append([]memory.Field{}, changes...)})
		return nil
	}
	c.printf("version %d → %d\n", old.Memory.Lineage.Version, now.Memory.Lineage.Version)
	for _, f := range changes {
		c.printf("  %s\n    - %s\n    + %s\n", f.Name, blank(f.Old), blank(f.New))
	}
	if len(changes) == 0 {
		c.printf("  nothing that is shown changed\n")
	}
	return nil
}

// printAnchorsGone tells which code of a memory is not what it was any more, as that of an earlier version.
func printAnchorsGone(ctx context.Context, c *cli, w *services.Workspace, m *file.Memory) error {
	if len(m.Anchors) == 0 {
		return nil
	}
	if _, err := w.Tracker().Refresh(ctx); err != nil {
		c.warn("whether its code is still there is not known: %v", err)
		return nil // it was reverted
	}
	for _, p := range w.Tracker().Of(m.UUID) {
		if !p.Doubtful() {
			continue
		}
		at := p.Anchor.Path
		if p.Anchor.Symbol != "" {
			at += "#" + p.Anchor.Symbol
		}
		c.printf("  %s %s: %s (`manicule verify %s --anchor PLACE` gives it another place)\n", c.paint(yellow, string(p.State)), plainLine(at), plainLine(p.Reason), m.ShortID())
		if w.Git().Shallow() {
			c.printf("  this clone is shallow, and may lack where its code was: %s\n", unshallow)
		}
	}
	return nil
}

func newRevertCommand(shared *cli) *cobra.Command {
	to, anyway := "", false
	c := &cobra.Command{
		Use:   "revert ID",
		Short: "Give a memory the content of an earlier version",
		Long: "Give a memory the content of an earlier version, as its next version: a revert can be\n" +
			"reverted. Without --to it is the version before the current one. Who sees the memory stays,\n" +
			"and what people said about it. A file that can't be read is replaced, without --to by the newest\n" +
			"version.",
		Example:           "  manicule revert 5b0d9a12 --to 1\n  manicule revert 5b0d9a12",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: shared.completeID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := shared.requirePerson("change"); err != nil {
				return err
			}
			return shared.with(cmd.Context(), func(w *services.Workspace) error {
				r, err := w.Edits().Revert(cmd.Context(), args[0], to, anyway)
				if err != nil {
					return err
				}
				if err := shared.report(cmd.Context(), w, r, "reverted"); err != nil {
					return err
				}
				if shared.json {
					return nil
				}
				if r.Reason != "" {
					shared.printf("  %s\n", r.Reason)
				}
				if r.Memory != nil && r.Memory.Trust.Deprecated != nil {
					shared.printf("  it is deprecated still, as what people said of it stays: `manicule edit %s --undeprecate` ends that\n", r.Memory.ShortID())
				}
				return printAnchorsGone(cmd.Context(), shared, w, r.Memory)
			})
		},
	}
	c.Flags().BoolVar(&anyway, "anyway", false, "keep it although it reads like orders to an agent")
	c.Flags().StringVar(&to, "to", "", "the version: its number, or the beginning of its hash or commit")
	return c
}
