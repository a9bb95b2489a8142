package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

func (a *app) reviewCommand() *cobra.Command {
	var accept, reject []string
	var reason string
	c := &cobra.Command{
		Use:   "review",
		Short: "Review what agents want remembered, and what was learned from them",
		Long: "Review the drafts and candidates: what agents want remembered, and what watching them\n" +
			"suggests. On a terminal each is shown in turn; elsewhere they are listed. What is not\n" +
			"accepted is never shown to an agent. What is rejected is not proposed again.",
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
	c.AddCommand(a.reviewListCommand(), a.reviewAcceptCommand(), a.reviewRejectCommand(), a.reviewEditCommand())
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
	drafts, err := w.State().Drafts(cmd.Context())
	if err != nil {
		return err
	}
	switch {
	case a.json:
		if drafts == nil {
			drafts = []store.DraftRow{}
		}
		a.printJSON("review", struct {
			Drafts []store.DraftRow `json:"drafts"`
		}{drafts})
	case len(drafts) == 0:
		a.printf("nothing to review\n")
	case ask && a.tty && a.inputTTY:
		return a.interview(cmd, w, drafts)
	default:
		for _, d := range drafts {
			a.line(d.Memory)
		}
	}
	return nil
}

func (a *app) decide(cmd *cobra.Command, w *memory.Workspace, accept, reject []string, reason string) error {
	for _, id := range accept {
		r, err := w.Accept(cmd.Context(), id)
		if err != nil {
			return err
		}
		if err := a.report(w, r, "accepted"); err != nil {
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
func (a *app) interview(cmd *cobra.Command, w *memory.Workspace, drafts []store.DraftRow) error {
	in := bufio.NewReader(a.in)
	for i, d := range drafts {
		a.printf("\n%d of %d, %s by %s, seen %s\n", i+1, len(drafts), d.Status, d.Tool, count(d.Observations, "time", "times"))
		a.card(memory.Hit{Memory: d.Memory}, a.now(), w.Root())
		if d.Status == store.StatusCandidate && d.Session != "" {
			a.printf("  %-10s `manicule observe --explain %s`\n", "evidence", d.Session)
		}
		for asking := true; asking; {
			a.printf("  [a]ccept, [e]dit, [r]eject, [s]kip, [q]uit? ")
			line, err := in.ReadString('\n')
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
	a.printf("  %s\n", a.paint(bold, m.What))
	return nil
}
