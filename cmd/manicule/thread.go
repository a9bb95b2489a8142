package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// newThreadCommand is `manicule thread`.
func newThreadCommand(shared *cli) *cobra.Command {
	list := newThreadListCommand(shared)
	c := &cobra.Command{
		Use:   "thread",
		Short: "Leave open threads and next steps for the next session",
		Long: "Leave open threads, next steps, decisions and key context for the next session, yours or an\nagent's. " +
			"They stay on this machine and belong to the branch that is checked out; those of the default\n" +
			"branch concern the whole project. `manicule wake` shows what an agent is told of them. Without a\nsubcommand it lists them.",
		Example: "  manicule thread add \"The retry test fails since the timeout went up\" --at queue/retry.go#Retry\n" +
			"  manicule thread add \"Split the parser\" --next --owner ahmed\n  manicule thread done 1f2e3d4c --why \"fixed by the new clock\"",
		Args: noCommand,
		RunE: list.RunE,
	}
	for _, sub := range []*cobra.Command{
		newThreadAddCommand(shared), list, newThreadShowCommand(shared), newThreadEditCommand(shared),
		newThreadStateCommand(shared, "done", "Close a thread; with --why it counts as resolved", thread.StateDone),
		newThreadStateCommand(shared, "park", "Leave a thread for later: no session is told of it", thread.StateParked),
		newThreadStateCommand(shared, "reopen", "Open a thread again", thread.StateOpen),
		newThreadShareCommand(shared),
	} {
		c.AddCommand(sub)
	}
	return c
}

// threadAddCommand is `manicule thread add`.
type threadAddCommand struct {
	*cli
	draft                   threads.Draft
	next, decision, context bool
}

func newThreadAddCommand(shared *cli) *cobra.Command {
	tc := &threadAddCommand{cli: shared}
	c := &cobra.Command{
		Use:   "add TEXT",
		Short: "Leave an open thread, a next step, a decision or something to know",
		Args:  cobra.ExactArgs(1),
		RunE:  tc.run,
	}
	f := c.Flags()
	f.StringVar(&tc.draft.At, "at", "", "the place that it is about: FILE, FILE:LINE, FILE#Symbol or the bare name of a symbol")
	f.BoolVar(&tc.next, "next", false, "it is a next step")
	f.BoolVar(&tc.decision, "decision", false, "it is a decision")
	f.BoolVar(&tc.context, "context", false, "it is something to know, and not to do")
	f.StringSliceVar(&tc.draft.Tags, "tag", nil, "a word by which threads can be listed")
	f.StringVar(&tc.draft.Why, "why", "", "the reason")
	f.StringVar(&tc.draft.Owner, "owner", "", "who is to go on with it")
	f.StringVar(&tc.draft.Under, "under", "", "the id of the thread that it is a part of")
	f.BoolVar(&tc.draft.Share, "share", false, "share it with the team, as a file that git carries")
	c.MarkFlagsMutuallyExclusive("next", "decision", "context")
	return c
}

func (tc *threadAddCommand) run(cmd *cobra.Command, args []string) error {
	if tc.draft.Share {
		if err := requirePersonToShare(tc.shell); err != nil {
			return err
		}
	}
	return tc.with(cmd.Context(), func(w *services.Workspace) error {
		d := tc.draft
		d.Text, d.Kind = args[0], thread.Open
		switch {
		case tc.next:
			d.Kind = thread.NextStep
		case tc.decision:
			d.Kind = thread.Decision
		case tc.context:
			d.Kind = thread.Context
		}
		if d.At != "" {
			var err error
			if d.At, err = placeOf(cmd.Context(), tc.cli, w, d.At); err != nil {
				return err
			}
		}
		var as memory.Draft
		tc.draftForAgent(cmd.Context(), w, &as)
		d.Agent, d.Tool, d.Session, d.Tainted = as.Agent, as.Tool, as.Session, as.Tainted
		r, err := threads.Of(w.Workspace).Add(cmd.Context(), d)
		if err := tc.reportThread(r, err, "left for the next session"); err != nil {
			return err
		}
		if t := &r.Thread; !tc.json && tc.caller().ID == "" && !t.Shared && !threads.Of(w.Workspace).From("").IsFor(t) {
			tc.printf("  it stays on this machine, and every session here is told of it: `manicule thread share %s` leaves it to %s alone\n", t.Memory.ShortID(), plainLine(t.Owner))
		}
		return nil
	})
}

// threadListCommand is `manicule thread list`.
type threadListCommand struct {
	*cli
	all, branch bool
	tags        []string
	limit       int
}

func newThreadListCommand(shared *cli) *cobra.Command {
	tc := &threadListCommand{cli: shared}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the threads that wait",
		Long:  "List the open and parked threads of this branch and of the whole project.",
		Args:  cobra.NoArgs,
		RunE:  tc.run,
	}
	c.Flags().BoolVar(&tc.all, "all", false, "also closed ones, and those of other branches")
	limitFlag(c, &tc.limit)
	c.Flags().BoolVar(&tc.branch, "branch", false, "only those of this branch")
	c.Flags().StringSliceVar(&tc.tags, "tag", nil, "only those with all of these tags")
	c.MarkFlagsMutuallyExclusive("all", "branch")
	return c
}

func (tc *threadListCommand) run(cmd *cobra.Command, _ []string) error {
	return tc.with(cmd.Context(), func(w *services.Workspace) error {
		learnEnded(cmd.Context(), tc.cli, w)
		list, err := threads.Of(w.Workspace).All(cmd.Context())
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(t thread.Thread) bool { return !t.HasTags(tc.tags) })
		from := threads.Of(w.Workspace).From(tc.here("."))
		from.Rank(list)
		from.Mark(list)
		var rows []thread.Thread
		elsewhere, hidden := 0, 0
		agent := tc.caller().ID != ""
		for i := range list {
			t := &list[i]
			switch {
			case agent && t.Memory.Trust.Tainted:
				hidden++
			case tc.all || !t.State.Closed() && from.Concerns(t) && (!tc.branch || t.Branch == from.Branch):
				rows = append(rows, *t)
			case !t.State.Closed():
				elsewhere++
			}
		}
		told, err := w.State().Threads().Unanswered(cmd.Context())
		if err != nil {
			return fmt.Errorf("count the sessions that were told: %w", err)
		}
		if tc.json {
			rows = rows[:room(asJSON(cmd, tc.limit), len(rows))]
			out := threadsJSON{Threads: threadsOf(rows), Elsewhere: elsewhere, Hidden: hidden}
			for i := range rows {
				out.Threads[i].Unanswered = told[rows[i].Memory.ShortID()]
			}
			tc.printJSON("threads", out)
			return nil
		}
		rows, depth := thread.Nest(rows)
		shown := room(tc.limit, len(rows))
		for i := range rows[:shown] {
			tc.printf("%s", strings.Repeat("  ", depth[i]))
			tc.thread(&rows[i])
			if n := told[rows[i].Memory.ShortID()]; n > 0 && rows[i].State == thread.StateOpen {
				tc.printf("          %s\n", tc.paint(faint, count(n, "session was", "sessions were")+" told and left it so"))
			}
		}
		moreLeft(tc.cli, len(rows)-shown, "thread list")
		if hidden > 0 {
			tc.printf("%s may come from outside: only a person is shown them\n", count(hidden, "thread", "threads"))
		}
		switch {
		case elsewhere > 0:
			tc.printf("%s\n", tc.paint(faint, count(elsewhere, "more of other branches", "more of other branches or the project")+": `manicule thread list --all`"))
		case len(rows) == 0 && hidden == 0:
			tc.printf("no threads; `manicule thread add` leaves one\n")
		}
		return nil
	})
}

// threadStateCommand is `manicule thread done`, `park` and `reopen`.
type threadStateCommand struct {
	*cli
	state thread.State
	why   string
}

func newThreadStateCommand(shared *cli, name, short string, state thread.State) *cobra.Command {
	tc := &threadStateCommand{cli: shared, state: state}
	c := &cobra.Command{Use: name + " ID", Short: short, Args: cobra.ExactArgs(1), RunE: tc.run}
	c.ValidArgsFunction = tc.completeThreads(func(now thread.State) bool { return now != state && (!state.Closed() || !now.Closed()) })
	c.Flags().StringVar(&tc.why, "why", "", "how it was settled, or the reason")
	return c
}

func (tc *threadStateCommand) run(cmd *cobra.Command, args []string) error {
	return tc.with(cmd.Context(), func(w *services.Workspace) error {
		state := tc.state
		if state == thread.StateDone && strings.TrimSpace(tc.why) != "" {
			state = thread.StateResolved
		}
		change := threads.Change{State: state, Resolution: tc.why}
		if caller := tc.caller(); caller.ID != "" {
			var as memory.Draft
			tc.draftForAgent(cmd.Context(), w, &as)
			change.Tainted, change.Allowed = as.Tainted, decidableByAgent
		}
		r, err := threads.Of(w.Workspace).Change(cmd.Context(), args[0], change)
		if err := tc.reportThread(r, err, map[thread.State]string{thread.StateOpen: "open again"}[state]); err != nil || tc.json || !state.Closed() {
			return err
		}
		parts, err := threads.Of(w.Workspace).Parts(cmd.Context(), &r.Thread)
		if len(parts) > 0 {
			tc.printf("%s\n", tc.paint(faint, count(len(parts), "part of it is", "parts of it are")+" still open: `manicule thread list`"))
		}
		return err
	})
}

// newThreadShareCommand is `manicule thread share`.
func newThreadShareCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "share ID",
		Short: "Share a thread with the team, as a file that git carries",
		Long: "Share a thread with the team: it becomes a file in .manicule/sessions, which is on the branches that have\n" +
			"the file and is merged member by member. Its text is told to every session of the team there.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: shared.completeThreads(func(now thread.State) bool { return !now.Closed() }),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requirePersonToShare(shared.shell); err != nil {
				return err
			}
			return shared.with(cmd.Context(), func(w *services.Workspace) error {
				r, err := threads.Of(w.Workspace).Share(cmd.Context(), args[0])
				return shared.reportThread(r, err, "shared once it is committed")
			})
		},
	}
}

// completeThreads completes the id of a thread in a state of which a command makes something else in shells.
func (c *workspaces) completeThreads(takes func(thread.State) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.completeFrom(args, prefix, func(w *services.Workspace) (all []*file.Memory, err error) {
			list, err := threads.Of(w.Workspace).All(cmd.Context())
			for i := range list {
				if takes(list[i].State) {
					all = append(all, list[i].Memory)
				}
			}
			return all, err
		})
	}
}

// decidableByAgent refuses to let an agent decide about text that may come from outside.
func decidableByAgent(t thread.Thread) error {
	if t.Memory.Trust.Tainted {
		return &memory.UserError{Msg: "thread " + t.Memory.ShortID() + " may come from outside, so a person decides about it", Hint: "Leave it as it is."}
	}
	return nil
}

// reportThread prints the result of a write; verb is the thread's state when empty.
func (c *cli) reportThread(r threads.Result, err error, verb string) error {
	switch {
	case err != nil:
		return err
	case c.json:
		out := threadResultJSON{Accepted: r.Accepted, Same: r.Same, Code: r.Code, Reason: r.Reason}
		if r.Accepted {
			t := threadOf(&r.Thread)
			out.Thread = &t
		}
		c.printJSON("thread", out)
		if !r.Accepted {
			return &codeError{exitRefused, errSilent}
		}
		return nil
	case !r.Accepted:
		return notDone("not left: ", memory.Result{Code: r.Code, Reason: strings.TrimPrefix(r.Reason, "no memory: ")})
	case r.Same:
		verb = "already there"
	case verb == "":
		verb = string(r.Thread.State)
	}
	c.printf("☞ %s: ", verb)
	c.thread(&r.Thread)
	return nil
}

// thread prints a thread on a line.
func (c *cli) thread(t *thread.Thread) {
	m := t.Memory
	var notes []string
	add := func(name, value string) {
		if value != "" {
			notes = append(notes, name+nudge.Clean(value))
		}
	}
	if t.State != thread.StateOpen {
		add("", string(t.State))
	}
	add("", t.Resolution)
	add("at ", t.Place())
	if t.Gone {
		add("", "which is not there any more")
	}
	if len(m.Tags) > 0 {
		add("#", strings.Join(m.Tags, " #"))
	}
	if r := m.Work(); r != nil && r.Kind != thread.PartKind {
		add("of ", r.Name())
	}
	add("for ", t.Owner)
	add("by ", t.By())
	add("on ", t.Branch)
	if t.Shared {
		add("", "shared")
	}
	add("", m.Undecided())
	if m.Trust.Tainted {
		notes = append(notes, "may come from outside: no agent is told")
	}
	c.printf("%s  %s: %s  %s\n", c.paint(faint, m.ShortID()), nudge.ThreadKind(t.Kind), firstLine(m.What), c.paint(faint, strings.Join(notes, ", ")))
}

// threadJSON is a thread as it is printed.
type threadJSON struct {
	UUID       string   `json:"uuid"`
	Kind       string   `json:"kind"`
	State      string   `json:"state"`
	Text       string   `json:"text"`
	Why        string   `json:"why,omitempty"`
	Resolution string   `json:"resolution,omitempty"`
	Place      string   `json:"place,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Owner      string   `json:"owner,omitempty"`
	Branch     string   `json:"branch,omitempty"`
	By         string   `json:"by,omitempty"`
	Agent      bool     `json:"agent"`
	Session    string   `json:"session,omitempty"`
	Tainted    bool     `json:"tainted"`
	Version    int      `json:"version"`
	Created    string   `json:"created_at"`
	Updated    string   `json:"updated_at"`
	Unanswered int      `json:"unanswered,omitzero"` // sessions that were told and left it so
	Shared     bool     `json:"shared,omitzero"`     // as a file
	Parent     string   `json:"parent,omitzero"`     // the thread that it is a part of
	Work       string   `json:"work,omitzero"`       // the unit of work, as KIND:ID
}

type threadsJSON struct {
	Threads   []threadJSON `json:"threads"`
	Elsewhere int          `json:"elsewhere"`
	Hidden    int          `json:"hidden"` // from outside, with an agent as the caller
}

type threadResultJSON struct {
	Accepted bool        `json:"accepted"`
	Same     bool        `json:"same"`
	Thread   *threadJSON `json:"thread,omitempty"`
	Code     string      `json:"code,omitempty"`
	Reason   string      `json:"reason,omitempty"`
}

func threadOf(t *thread.Thread) threadJSON {
	m := t.Memory
	return threadJSON{m.UUID, string(t.Kind), string(t.State), m.What, m.Why, t.Resolution, t.Place(), m.Tags, t.Owner, t.Branch, t.By(), t.Agent != "",
		t.Session, m.Trust.Tainted, t.Version, t.Created.UTC().Format(time.RFC3339), t.Updated.UTC().Format(time.RFC3339), 0, t.Shared, t.Parent(), t.Unit()}
}

func threadsOf(list []thread.Thread) []threadJSON {
	out := make([]threadJSON, len(list))
	for i := range list {
		out[i] = threadOf(&list[i])
	}
	return out
}
