package main

import (
	"cmp"
	"context"
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
	title, intent, summary string
}

func newSessionSetCommand(shared *cli) *cobra.Command {
	sc := &sessionSetCommand{cli: shared}
	c := &cobra.Command{
		Use:   "set [ID]",
		Short: "Say what a session was for, or what came of it",
		Long: "Say what a session was for, or what came of it, in your words: for two weeks the next session is told.\n" +
			"Without an ID it is the latest one, for an agent its own. What is not given stays, an empty text clears it.",
		Example: "  manicule session set last --summary \"the retry waits for the clock now\"",
		Args:    cobra.MaximumNArgs(1),
		RunE:    sc.run,
	}
	f := c.Flags()
	f.StringVar(&sc.title, "title", "", "a name for it in lists, instead of what was asked for first")
	f.StringVar(&sc.intent, "intent", "", "what it is for")
	f.StringVar(&sc.summary, "summary", "", "what came of it")
	c.MarkFlagsOneRequired("title", "intent", "summary")
	return c
}

// sessionHeaderJSON is the shape "session_header".
type sessionHeaderJSON struct {
	Session string `json:"session"`
	record.SessionHeader
}

func (sc *sessionSetCommand) run(cmd *cobra.Command, args []string) error {
	var change record.HeaderChange
	for name, to := range map[string]struct {
		field **string
		text  *string
	}{"title": {&change.Title, &sc.title}, "intent": {&change.Intent, &sc.intent}, "summary": {&change.Summary, &sc.summary}} {
		if cmd.Flags().Changed(name) {
			*to.field = to.text
		}
	}
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		var as memory.Draft
		sc.draftForAgent(cmd.Context(), w, &as)
		id, err := sc.session(cmd.Context(), w, args, as)
		if err != nil {
			return err
		}
		author := ""
		if as.Agent {
			author = cmp.Or(as.Tool, "agent")
		}
		h, err := records.Of(w.Workspace).PutHeader(cmd.Context(), id, change, author, as.Tainted)
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

// session returns the id of the session that is meant. An agent writes of its own session alone.
func (sc *sessionSetCommand) session(ctx context.Context, w *services.Workspace, args []string, as memory.Draft) (string, error) {
	if as.Agent {
		switch {
		case as.Session == "":
			return "", &codeError{exitRefused, &memory.UserError{Msg: "which session is yours is not known, and that of another one is not yours to describe", Hint: "Leave a thread: `manicule thread add TEXT --context`."}}
		case len(args) > 0 && args[0] != as.Session:
			return "", &codeError{exitRefused, &memory.UserError{Msg: "session " + shortSession(args[0]) + " is not yours", Hint: "Leave the ID out: yours is known."}}
		}
		return as.Session, nil // it has no record yet
	}
	learnEnded(ctx, sc.cli, w)
	of := "last"
	if len(args) > 0 {
		of = args[0]
	}
	r, err := findSession(ctx, w, of)
	return r.Session, err
}
