package main

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/record"
	"manicule/memory/records"
	"manicule/memory/services"
)

// sessionSetCommand is `manicule session set`.
type sessionSetCommand struct {
	*cli
	header record.SessionHeader
}

func newSessionSetCommand(shared *cli) *cobra.Command {
	sc := &sessionSetCommand{cli: shared}
	c := &cobra.Command{
		Use:   "set [ID]",
		Short: "Say what a session was for, or what came of it",
		Long: "Say what a session was for, or what came of it, in your words: the next session is told. Without an\n" +
			"ID it is the agent's own session, or the latest one. Every change is a version; what is not given stays.",
		Example: "  manicule session set last --summary \"the retry waits for the clock now\"",
		Args:    cobra.MaximumNArgs(1),
		RunE:    sc.run,
	}
	f := c.Flags()
	f.StringVar(&sc.header.Title, "title", "", "a name for it in lists, instead of what was asked for first")
	f.StringVar(&sc.header.Intent, "intent", "", "what it is for")
	f.StringVar(&sc.header.Summary, "summary", "", "what came of it")
	c.MarkFlagsOneRequired("title", "intent", "summary")
	return c
}

// sessionHeaderJSON is the shape "session_header".
type sessionHeaderJSON struct {
	Session string `json:"session"`
	record.SessionHeader
}

func (sc *sessionSetCommand) run(cmd *cobra.Command, args []string) error {
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		ctx := cmd.Context()
		id := ""
		if len(args) == 0 {
			id = sc.sessionID() // one that goes on has no record yet
		}
		if id == "" {
			learnEnded(ctx, sc.cli, w)
			of := "last"
			if len(args) > 0 {
				of = args[0]
			}
			r, err := findSession(ctx, w, of)
			if err != nil {
				return err
			}
			id = r.Session
		}
		var as memory.Draft
		sc.draftForAgent(ctx, w, &as)
		author := ""
		if as.Agent {
			author = cmp.Or(as.Tool, "agent")
		}
		h, err := records.Of(w.Workspace).PutHeader(ctx, id, sc.header, author, as.Tainted)
		if x, ok := errors.AsType[*gate.Rejection](err); ok {
			return &codeError{exitRefused, &memory.UserError{Msg: "not kept: " + x.Reason, Hint: x.Hint}}
		}
		if err != nil {
			return err
		}
		if sc.json {
			sc.printJSON("session_header", sessionHeaderJSON{id, h})
			return nil
		}
		sc.printf("☞ kept of session %s\n", shortSession(id))
		return nil
	})
}
