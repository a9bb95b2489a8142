package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

func (a *app) reviewCommand() *cobra.Command {
	var accept, reject []string
	var reason string
	c := &cobra.Command{
		Use:   "review",
		Short: "Review what agents want remembered, what was learned from them, and what is in quarantine",
		Long: "Review the drafts and candidates: what agents want remembered, and what watching them\n" +
			"suggests. On a terminal each is shown in turn; elsewhere they are listed. What is not\n" +
			"accepted is never shown to an agent. What is rejected is not proposed again. Memories in\n" +
			"quarantine come first: those whose files, as git or a hand left them, hold a secret or\n" +
			"read like orders to an agent.",
		Example: "  manicule review\n  manicule review accept 0198f0c2\n  manicule review --accept 0198f0c2 --reject 0198f0c3 --reason \"not true since v2\"",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(w *memory.Workspace) error {
				if len(accept)+len(reject) > 0 {
					if err := a.onlyPeople("judge"); err != nil {
						return err
					}
					return a.decide(cmd, w, accept, reject, reason)
				}
				return a.review(cmd, w, true)
			})
		},
	}
	c.Flags().StringSliceVar(&accept, "accept", nil, "ids to accept")
	c.Flags().StringSliceVar(&reject, "reject", nil, "ids to reject")
	c.Flags().StringVar(&reason, "reason", "", "why they are rejected")
	c.AddCommand(a.reviewListCommand(), a.reviewAcceptCommand(), a.reviewRejectCommand(), a.reviewEditCommand(), a.reviewReleaseCommand())
	return c
}

func (a *app) reviewListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what waits",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(w *memory.Workspace) error { return a.review(cmd, w, false) })
		},
	}
}

func (a *app) reviewAcceptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "accept ID...",
		Short: "Make drafts memories: you answer for them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.onlyPeople("judge"); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(w *memory.Workspace) error { return a.decide(cmd, w, args, nil, "") })
		},
	}
}

func (a *app) reviewRejectCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "reject ID...",
		Short: "Reject drafts: the same is not proposed again",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.onlyPeople("judge"); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(w *memory.Workspace) error { return a.decide(cmd, w, nil, args, reason) })
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why they are rejected")
	return c
}

func (a *app) reviewEditCommand() *cobra.Command {
	var e edits
	c := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a draft before it is judged",
		Long:  "Change a draft before it is judged. Without flags your editor opens its text.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.onlyPeople("change"); err != nil {
				return err
			}
			return a.with(cmd.Context(), func(w *memory.Workspace) error {
				r, err := a.editDraft(cmd, w, args[0], e)
				if err != nil {
					return err
				}
				return a.report(w, r, "changed")
			})
		},
	}
	f := c.Flags()
	f.StringVar(&e.what, "what", "", "the new text")
	f.StringVar(&e.why, "why", "", "the new reason")
	f.StringVar(&e.kind, "type", "", "another type")
	f.StringArrayVar(&e.scope, "scope", nil, "other globs; \"project\" for the whole project")
	a.complete(c, "type", toStrings(file.Types()))
	return c
}

func (a *app) editDraft(cmd *cobra.Command, w *memory.Workspace, id string, e edits) (memory.Result, error) {
	flags := cmd.Flags()
	return w.EditDraft(cmd.Context(), id, func(m *file.Memory) error {
		if len(flagsGiven(cmd)) == 0 {
			if !a.hasEditor() {
				return a.usage(cmd, errors.New("nothing says what to change, and there is no terminal for an editor"))
			}
			text, err := a.editText(cmd.Context(), "draft-*.txt", m.What)
			if err != nil {
				return err
			}
			m.What = strings.TrimSpace(text)
			return nil
		}
		if flags.Changed("what") {
			m.What = e.what
		}
		if flags.Changed("why") {
			m.Why = e.why
		}
		if flags.Changed("scope") {
			m.Scope = e.scope
		}
		if flags.Changed("type") {
			m.Type = file.Type(e.kind)
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		return nil
	})
}

// review shows what waits; on a terminal it asks about each, if it may.
func (a *app) review(cmd *cobra.Command, w *memory.Workspace, ask bool) error {
	drafts, err := w.Waiting(cmd.Context())
	if err != nil {
		return err
	}
	held, err := w.Held(cmd.Context())
	if err != nil {
		return err
	}
	switch {
	case a.json:
		out := struct {
			Drafts []waitingItem `json:"drafts"`
			Held   []heldJSON    `json:"quarantined"`
		}{[]waitingItem{}, a.heldJSON(w.Root(), held)}
		for _, d := range drafts {
			out.Drafts = append(out.Drafts, waitingItem{DraftRow: d.DraftRow, Act: actName(d.Act), Target: d.TargetID, TargetMemory: d.Target, Because: d.Why, Changes: d.Fields, For: d.For, Against: d.Against})
		}
		a.printJSON("review", out)
	case len(drafts)+len(held) == 0:
		a.printf("nothing to review\n")
	case ask && a.tty && a.inputTTY:
		return a.interview(cmd, w, held, drafts)
	default:
		for _, h := range held {
			a.heldLine(w.Root(), h)
		}
		for _, d := range drafts {
			a.waiting(d)
		}
	}
	return nil
}

// waitingItem is a draft with what its acceptance would do.
type waitingItem struct {
	store.DraftRow
	Act          string         `json:"act"` // new, changes, forget, confirm
	Target       string         `json:"target,omitzero"`
	TargetMemory *file.Memory   `json:"target_memory,omitzero"`
	Because      string         `json:"because,omitzero"`
	Changes      []memory.Field `json:"changes,omitzero"`
	For          string         `json:"for,omitzero"`
	Against      string         `json:"against,omitzero"`
}

// actName is what accepting a draft does, in a word.
func actName(act memory.Act) string {
	switch act {
	case "":
		return "new"
	case memory.ActEdit:
		return "changes"
	case memory.ActForget, memory.ActConfirm:
	}
	return string(act)
}

// waiting prints a draft: what accepting it does, and to which memory.
func (a *app) waiting(d memory.Waiting) {
	m := d.Memory
	if d.Act == "" {
		a.printf("%s  %-7s  %s  %s%s\n", a.paint(faint, m.ShortID()), actName(d.Act), a.paint(typeColour(m.Type), fmt.Sprintf("%-10s", m.Type.Label())), plainLine(m.What),
			a.paint(faint, where(memory.Hit{Memory: m})))
	} else {
		a.printf("%s  %-7s  ", a.paint(faint, m.ShortID()), actName(d.Act))
		a.target(d)
	}
	a.evidence(d)
	a.fromOutside(d)
}

// evidence says what the whole history says for a candidate and against it.
func (a *app) evidence(d memory.Waiting) {
	if d.For != "" {
		a.printf("          for it: %s\n", plainLine(d.For))
	}
	if d.Against != "" {
		a.printf("          against it: %s\n", plainLine(d.Against))
	}
}

// fromOutside says of a draft that its text may be a stranger's.
func (a *app) fromOutside(d memory.Waiting) {
	if d.Memory.Trust.Tainted {
		a.printf("          tainted: it may repeat text from outside\n")
	}
}

// target prints what a proposal is about and what it says.
func (a *app) target(d memory.Waiting) {
	if d.Target == nil {
		a.printf("%s, which is gone\n", d.TargetID[max(0, len(d.TargetID)-8):])
	} else {
		a.line(d.Target)
	}
	for _, f := range d.Fields {
		a.printf("          %s: %s → %s\n", f.Name, side(f.Old), side(f.New))
	}
	if d.Why != "" {
		a.printf("          because: %s\n", plainLine(d.Why))
	}
}

// side is one side of a change.
func side(text string) string {
	if text == "" {
		return "(none)"
	}
	return plainLine(text)
}

// plainLine is a text without control characters, in one line.
func plainLine(text string) string { return strings.Join(strings.Fields(gate.Clean(text)), " ") }

// doneVerb is what became of the memory that a person accepted a draft about.
func doneVerb(act memory.Act) string {
	switch act {
	case memory.ActEdit:
		return "changed"
	case memory.ActForget:
		return "forgotten"
	case memory.ActConfirm:
		return "confirmed"
	}
	return "accepted"
}

func (a *app) decide(cmd *cobra.Command, w *memory.Workspace, accept, reject []string, reason string) error {
	for _, id := range accept {
		r, err := w.Accept(cmd.Context(), id)
		if err != nil {
			return err
		}
		if err := a.report(w, r, doneVerb(r.Act)); err != nil {
			return err
		}
	}
	for _, id := range reject {
		if err := w.Reject(cmd.Context(), id, reason); err != nil {
			return err
		}
		if a.json {
			a.printJSON("rejected", struct {
				ID     string `json:"id"`
				Reason string `json:"reason"`
			}{id, reason})
			continue
		}
		a.printf("☞ rejected: %s\n", id)
	}
	return nil
}

// interview asks about each draft in turn.
func (a *app) interview(cmd *cobra.Command, w *memory.Workspace, held []memory.Held, drafts []memory.Waiting) error {
	in := bufio.NewReader(a.in)
	if more, err := a.askHeld(cmd, w, held, in); err != nil || !more {
		return err
	}
	for i, d := range drafts {
		a.printf("\n%d of %d, %s by %s, seen %s\n", i+1, len(drafts), d.Status, d.Tool, count(d.Observations, "time", "times"))
		if d.Act == "" {
			a.card(memory.Hit{Memory: d.Memory}, a.now(), w.Root())
		} else {
			a.printf("%s  ", actName(d.Act))
			a.target(d)
			a.fromOutside(d)
		}
		if d.Act == "" {
			a.evidence(d)
		}
		if d.Status == store.StatusCandidate && d.Session != "" {
			a.printf("  %-10s `manicule observe --explain %s`\n", "evidence", d.Session)
		}
		for asking := true; asking; {
			a.printf("  [a]ccept, [e]dit, [r]eject, [s]kip, [q]uit? ")
			line, err := in.ReadString('\n')
			if errors.Is(err, context.Canceled) {
				a.printf("\n")
				return err // what was decided is kept
			}
			if err != nil && (!errors.Is(err, io.EOF) || line == "") {
				return nil // the terminal is gone: what was decided is kept
			}
			asking = false
			switch strings.ToLower(strings.TrimSpace(line)) {
			case "a":
				err = a.decide(cmd, w, []string{d.Memory.UUID}, nil, "")
			case "e":
				err = a.editAsked(cmd, w, d.Memory, in)
				asking = err == nil
			case "r":
				err = a.decide(cmd, w, nil, []string{d.Memory.UUID}, "")
			case "s":
			case "q":
				return nil
			default:
				asking = true
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("review %s: %w", d.Memory.UUID, err)
			}
		}
	}
	return nil
}

// editAsked asks for another text of a draft, and shows it. An empty one keeps
// the text as it is.
func (a *app) editAsked(cmd *cobra.Command, w *memory.Workspace, m *file.Memory, in *bufio.Reader) error {
	a.printf("  text (empty to keep it): ")
	line, err := in.ReadString('\n')
	if errors.Is(err, context.Canceled) {
		a.printf("\n")
		return err // half a line is no text
	}
	if line = strings.TrimSpace(line); line == "" {
		return err
	}
	r, err := w.EditDraft(cmd.Context(), m.UUID, func(d *file.Memory) error {
		d.What = line
		return nil
	})
	if err != nil {
		return err
	}
	if !r.Accepted {
		a.printf("  %s\n", r.Reason)
		return nil
	}
	*m = *r.Memory
	a.printf("  %s\n", a.paint(bold, plainLine(m.What)))
	return nil
}
