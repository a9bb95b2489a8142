package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/store"
)

func (a *app) reviewCommand() *cobra.Command {
	var accept, reject []string
	var reason string
	c := &cobra.Command{
		Use:   "review",
		Short: "Review what agents want remembered: accept or reject",
		Long: "Review the drafts and candidates. On a terminal each is shown in turn; elsewhere they\n" +
			"are listed. What is not accepted is never shown to an agent.",
		Example: "  manicule review\n  manicule review --accept 0198f0c2 --reject 0198f0c3 --reason \"not true since v2\"",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(w *memory.Workspace) error {
				if len(accept)+len(reject) > 0 {
					if err := a.onlyPeople("judge"); err != nil {
						return err
					}
					return a.decide(cmd, w, accept, reject, reason)
				}
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
				case a.tty && a.inputTTY:
					return a.interview(cmd, w, drafts)
				default:
					for _, d := range drafts {
						a.line(d.Memory)
					}
				}
				return nil
			})
		},
	}
	c.Flags().StringSliceVar(&accept, "accept", nil, "ids to accept")
	c.Flags().StringSliceVar(&reject, "reject", nil, "ids to reject")
	c.Flags().StringVar(&reason, "reason", "", "why they are rejected")
	return c
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
		for asking := true; asking; {
			a.printf("  [a]ccept, [r]eject, [s]kip, [q]uit? ")
			line, err := in.ReadString('\n')
			if err != nil && (!errors.Is(err, io.EOF) || line == "") {
				return nil // the terminal is gone: what was decided is kept
			}
			asking = false
			switch strings.ToLower(strings.TrimSpace(line)) {
			case "a":
				err = a.decide(cmd, w, []string{d.Memory.UUID}, nil, "")
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
