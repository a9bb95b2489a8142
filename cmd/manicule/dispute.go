package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/steward"
)

// disputeCommand is `manicule dispute`.
type disputeCommand struct {
	*cli
	withdraw bool
}

func newDisputeCommand(shared *cli) *cobra.Command {
	dc := &disputeCommand{cli: shared}
	c := &cobra.Command{
		Use:   "dispute ID [\"OTHER VIEW\"]",
		Short: "Say that a memory is wrong, and what is true instead",
		Long: "Record another view beside a memory, which keeps its text: both are shown with their authors\n" +
			"until the steward decides. The steward is who owns the code by CODEOWNERS, else the author of\n" +
			"the memory. `manicule edit ID --confirm` settles the dispute for the memory, `--correct`\n" +
			"replaces its text. An agent's dispute is a draft.",
		Example:           "  manicule dispute 5b0d9a12 \"The pool is closed by the server since v3\"\n  manicule dispute 5b0d9a12 --withdraw",
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: dc.completeID,
		RunE:              dc.run,
	}
	c.Flags().BoolVar(&dc.withdraw, "withdraw", false, "take your view back")
	return c
}

func (dc *disputeCommand) run(cmd *cobra.Command, args []string) error {
	view := strings.TrimSpace(strings.Join(args[1:], ""))
	switch {
	case dc.withdraw && len(args) > 1:
		return usage(cmd, errors.New("--withdraw takes no view"))
	case !dc.withdraw && view == "":
		return usage(cmd, errors.New("say what is true instead"))
	}
	return dc.with(cmd.Context(), func(w *services.Workspace) error {
		if dc.withdraw {
			if err := dc.requirePerson("settle disputes about"); err != nil {
				return err
			}
			r, err := w.Edits().WithdrawDispute(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return dc.report(cmd.Context(), w, r, "withdrawn")
		}
		r, err := dc.dispute(cmd.Context(), w, args[0], view)
		if err != nil {
			return err
		}
		if err := dc.report(cmd.Context(), w, r, "disputed"); err != nil || dc.json || r.Draft {
			return err
		}
		printViews(dc.console, r.Memory)
		printSteward(dc.console, w, r.Memory)
		return nil
	})
}

// dispute records a person's view, or an agent's as a draft.
func (dc *disputeCommand) dispute(ctx context.Context, w *services.Workspace, id, view string) (memory.Result, error) {
	if dc.agent() == "" {
		return w.Edits().Dispute(ctx, id, view)
	}
	var d memory.Draft
	dc.draftForAgent(ctx, w, &d)
	return w.Drafts().Propose(ctx, memory.Change{Act: memory.ActDispute, Memory: id, Reason: view, Tool: d.Tool, Session: d.Session, Tainted: d.Tainted})
}

// printViews prints the other views of a disputed memory with their authors.
func printViews(c *console, m *file.Memory) {
	for _, d := range m.Trust.Views() {
		by := cmp.Or(d.By, "somebody")
		if d.Agent != "" {
			by += " with " + d.Agent
		}
		if !d.At.IsZero() {
			by += ", " + humanize.RelTime(d.At.Time, c.now(), "ago", "from now")
		}
		printField(c, "disputed", "by "+by+note(d.Says))
	}
}

// printSteward prints who decides about a disputed memory.
func printSteward(c *console, w *services.Workspace, m *file.Memory) {
	if name := decides(w, m); name != "" {
		c.printf("  %-10s %s (`manicule edit %s --confirm`, or `--correct`)\n", "decides", plainLine(name), m.ShortID())
	}
}

// decides returns the steward of a disputed memory, "" for another.
func decides(w *services.Workspace, m *file.Memory) string {
	if !m.Trust.Disputed() {
		return ""
	}
	name, _ := steward.Name(w.Root(), m) // without a readable file the author decides
	return name
}
