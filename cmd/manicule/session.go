package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/clip"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/gate"
	"manicule/memory/ledger"
	"manicule/memory/services"
	"manicule/memory/store"
)

// newSessionCommand is `manicule session`.
func newSessionCommand(shared *cli) *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "Show the records of agents' sessions, and what they left",
		Long: "Show the records of agents' sessions: what each was for, what it edited, which commands failed\n" +
			"at every run and what it left unfinished. They are made without a model when a session ends, or\n" +
			"when the next one starts if the end was missed, and stay on this machine.",
		Example: "  manicule session list\n  manicule session show 1f2e3d4c\n  manicule session set last --summary \"the retry waits for the clock now\"",
		Args:    noCommand,
		RunE:    onlyBelow(shared),
	}
	c.AddCommand(newSessionListCommand(shared), newSessionShowCommand(shared), newSessionSetCommand(shared), newSessionDigestCommand(shared))
	return c
}

// sessionListCommand is `manicule session list`.
type sessionListCommand struct {
	*cli
	limit   int
	outcome string
}

func newSessionListCommand(shared *cli) *cobra.Command {
	sc := &sessionListCommand{cli: shared}
	c := &cobra.Command{Use: "list", Short: "List the latest sessions", Args: cobra.NoArgs, RunE: sc.run}
	wholeVar(c.Flags(), &sc.limit, "limit", "n", 20, "how many are listed")
	c.Flags().StringVar(&sc.outcome, "outcome", "", "only those that ended so: success, partial or failure")
	return c
}

// maxLooked is how many sessions are looked through for those of one outcome.
const maxLooked = 2_000

func (sc *sessionListCommand) run(cmd *cobra.Command, _ []string) error {
	limit := max(1, sc.limit)
	switch episode.Outcome(sc.outcome) {
	case "":
	case episode.Success, episode.Partial, episode.Failure:
		limit = maxLooked
	default:
		return usageError(fmt.Sprintf("%q is no outcome", sc.outcome), "Use success, partial or failure.")
	}
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		learnEnded(cmd.Context(), sc.cli, w)
		list, err := w.State().Sessions().Records(cmd.Context(), limit)
		if err != nil {
			return fmt.Errorf("list the sessions: %w", err)
		}
		out := sessionsJSON{Sessions: []sessionJSON{}}
		if out.Counts, err = w.State().Episodes().Count(cmd.Context()); err != nil {
			return fmt.Errorf("count the sessions by outcome: %w", err)
		}
		for _, r := range list {
			if sc.outcome != "" && string(r.Outcome) != sc.outcome || len(out.Sessions) == max(1, sc.limit) {
				continue
			}
			if withheld(sc.cli, r) {
				out.Hidden++
				continue
			}
			out.Sessions = append(out.Sessions, sessionOf(r))
		}
		if sc.json {
			sc.printJSON("sessions", out)
			return nil
		}
		for _, r := range out.Sessions {
			sc.printf("%s  %s  %s  %s\n", sc.paint(faint, shortSession(r.Session)), r.Ended.Local().Format("2006-01-02 15:04"), sessionTitle(sc.cli, r), sc.paint(faint, r.leftLine()))
		}
		switch {
		case out.Hidden > 0:
			sc.printf("%s may have read text from outside: only a person is shown them\n", count(out.Hidden, "session", "sessions"))
		case len(list) == 0:
			sc.printf("no session of an agent has ended here yet\n")
		case len(out.Sessions) == 0:
			sc.printf("none of %s ended so\n", count(out.Counts.All, "session", "sessions"))
		case sc.outcome == "":
			n := out.Counts
			text := fmt.Sprintf("%s: %d success, %d partial, %d failure", count(n.All, "session", "sessions"), n.Success, n.Partial, n.Failure)
			if n.Fallbacks > 0 {
				text += fmt.Sprintf("; of %d the log told too little", n.Fallbacks)
			}
			sc.printf("%s\n", sc.paint(faint, text))
			if n.Checked > 0 {
				sc.printf("%s\n", sc.paint(faint, fmt.Sprintf("checks passed at once in %d of the %s that ran some", n.FirstPass, count(n.Checked, "session", "sessions"))))
			}
		}
		return nil
	})
}

// sessionShowCommand is `manicule session show`.
type sessionShowCommand struct {
	*cli
}

func newSessionShowCommand(shared *cli) *cobra.Command {
	sc := &sessionShowCommand{cli: shared}
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show what a session did and left",
		Long:  "Show what a session did and left. ID is its id or the beginning of it.",
		Args:  cobra.ExactArgs(1),
		RunE:  sc.run,

		ValidArgsFunction: sc.completeSession,
	}
}

// completeSession completes the id of one of the latest sessions, with what it was for.
func (sc *sessionShowCommand) completeSession(cmd *cobra.Command, args []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	w, err := sc.openQuietly()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = w.Close() }() // nothing was written
	list, err := w.State().Sessions().Records(cmd.Context(), maxCompleted)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, r := range list {
		if strings.HasPrefix(r.Session, prefix) && !withheld(sc.cli, r) {
			out = append(out, cobra.CompletionWithDesc(r.Session, plainLine(clip.MarkedChars(r.Title, maxConcluded))))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// maxCompleted is how many of the latest sessions a shell is offered.
const maxCompleted = 50

func (sc *sessionShowCommand) run(cmd *cobra.Command, args []string) error {
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		learnEnded(cmd.Context(), sc.cli, w)
		r, err := findSession(cmd.Context(), w, args[0])
		if err != nil {
			return err
		}
		if withheld(sc.cli, r) {
			return &memory.UserError{Msg: "session " + shortSession(r.Session) + " read text from outside, so only a person is shown it", Hint: "Leave it as it is."}
		}
		x := sessionOf(r)
		x.Episode = episodeOf(r.Episode)
		if x.Learned, err = learnedIn(cmd.Context(), w, r.Session); err != nil {
			return err
		}
		b, err := ledger.BalanceOf(cmd.Context(), w.State(), r.Session)
		if err != nil {
			return err
		}
		x.Balance = &b
		if sc.json {
			sc.printJSON("session", x)
			return nil
		}
		sc.session(x)
		return nil
	})
}

// findSession returns the session with an id, the only one whose id begins so, or the latest for "last".
func findSession(ctx context.Context, w *services.Workspace, id string) (store.SessionRecord, error) {
	if id == "last" {
		latest, err := w.State().Sessions().Records(ctx, 1)
		if err != nil {
			return store.SessionRecord{}, fmt.Errorf("look for the latest session: %w", err)
		}
		if len(latest) > 0 {
			return latest[0], nil
		}
	}
	if id == "" {
		return store.SessionRecord{}, &memory.UserError{Msg: "the id of the session is empty", Err: memory.ErrNotFound, Hint: "`manicule session list` lists them; `last` is the latest."}
	}
	list, err := w.State().Sessions().RecordsOf(ctx, id)
	switch {
	case err != nil:
		return store.SessionRecord{}, fmt.Errorf("look for a session: %w", err)
	case len(list) == 0:
		return store.SessionRecord{}, &memory.UserError{Msg: fmt.Sprintf("no session has an id that begins with %q", id), Err: memory.ErrNotFound, Hint: "`manicule session list` lists them; a record is made when a session ends."}
	case len(list) > 1 && list[0].Session != id:
		return store.SessionRecord{}, &memory.UserError{Msg: count(len(list), "session begins", "sessions begin") + " with " + id, Err: memory.ErrAmbiguous, Hint: "Write more of the id."}
	}
	return list[0], nil
}

// learnedIn counts what was learned in a session and waits for review.
func learnedIn(ctx context.Context, w *services.Workspace, session string) (n int, err error) {
	list, err := w.Drafts().Candidates(ctx)
	if err != nil {
		return 0, fmt.Errorf("count what was learned in session %s: %w", session, err)
	}
	for _, c := range list {
		if c.Session == session {
			n++
		}
	}
	return n, nil
}

// withheld reports whether the caller is an agent and the text may be a stranger's.
func withheld(c *cli, r store.SessionRecord) bool { return r.Tainted && c.caller().ID != "" }

// sessionTitle is what a session was for, in a line.
func sessionTitle(c *cli, r sessionJSON) string {
	if r.onlyMemories {
		return c.paint(faint, "(only memories were kept or looked up)")
	}
	if r.Title == "" {
		return c.paint(faint, "(the log does not tell what it was for)")
	}
	return plainLine(r.Title)
}

func (sc *sessionShowCommand) session(r sessionJSON) {
	sc.printf("%s\n", sessionTitle(sc.cli, r))
	sc.printf("%s of %s, %s to %s", sc.paint(faint, r.Session), r.Agent, r.Started.Local().Format("2006-01-02 15:04"), r.Ended.Local().Format("15:04"))
	for _, word := range []string{r.Kind, r.Outcome} {
		if word != "" {
			sc.printf(", %s", word)
		}
	}
	sc.printf("\n")
	for _, said := range [][2]string{{"for", r.Intent}, {"came to", r.Summary}} {
		if said[1] != "" {
			sc.printf("%s %s\n", sc.paint(faint, said[0]), plainLine(said[1]))
		}
	}
	if r.Tainted {
		took := "it may have read text from outside, which its agent's hooks don't tell" // as no transcript was there
		if r.Episode != nil && r.Episode.TaintedBy != "" {
			took = "it read text from outside (" + plainLine(r.Episode.TaintedBy) + ")"
		}
		sc.printf("%s\n", sc.paint(faint, took+": what it left is not repeated"))
	}
	if r.Learned > 0 {
		sc.printf("%s in `manicule review`\n", count(r.Learned, "draft of it waits", "drafts of it wait"))
	}
	if r.Balance != nil && r.Balance.Tokens > 0 {
		sc.printf("%s\n", r.Balance.Sentence())
	}
	if e := r.Episode; e != nil {
		if len(e.Evidence) > 0 {
			sc.printf("%s (%.2f)\n", plainLine(strings.Join(e.Evidence, "; ")), e.Confidence)
		}
		sc.lines("Then asked for", e.Further)
		sc.lines("Steps", stepLines(e.Approach))
		var problems []string
		for _, p := range e.Problems {
			problems = append(problems, p.What+": "+p.Line+" → "+p.Fix)
		}
		sc.lines("Problems that were solved", problems)
		sc.lines("Checks that failed and passed again", mendLines(e.Mends))
		sc.lines("Tools of MCP servers", serverLines(e.Servers))
		if e.Planned > 0 {
			sc.lines("Planned and took", []string{fmt.Sprintf("%s, %s, %s of work", count(e.Planned, "item", "items"), count(e.Calls(), "call", "calls"), time.Duration(e.Active*int64(time.Millisecond)).Round(time.Minute))})
		}

		sc.lines("Commits", e.Decisions)
		sc.lines("Subagents", partLines(e.Parts))
		if e.Work != "" {
			sc.lines("Work", []string{strings.Replace(e.Work, ":", " ", 1)})
		}
	} else {
		sc.lines("Edited", r.Edited)
	}
	sc.lines("Failed at every run", r.Failed)
	var failing []string
	for _, f := range r.Failing {
		if f.Line != "" {
			f.Command += ": " + f.Line
		}
		failing = append(failing, f.Command)
	}
	sc.lines("Fails at its end", failing)
	sc.lines("Open in its list", r.Todo)
	if r.Said != "" {
		sc.lines("Said last", []string{r.Said})
	}
	var told []string
	for _, t := range r.Inherited {
		line := t.ID + ": " + cmp.Or(t.State, "gone")
		if !t.Answered {
			line += ", and nobody answered it"
		}
		told = append(told, line)
	}
	sc.lines("Threads that it was told of", told)
	if r.Dropped {
		sc.printf("\n%s\n", sc.paint(faint, "its log is gone, and with it which commands failed and what it left"))
	}
}

// lines prints a list of texts under a heading, or nothing.
func (sc *sessionShowCommand) lines(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	sc.printf("\n%s\n", sc.paint(bold, title))
	for _, l := range lines {
		sc.printf("  %s\n", unbroken(gate.Printable(l)))
	}
}

// sessionsJSON is the shape "sessions".
type sessionsJSON struct {
	Counts   store.EpisodeCounts `json:"counts"`
	Sessions []sessionJSON       `json:"sessions"` // newest first
	Hidden   int                 `json:"hidden"`   // from outside, with an agent as the caller
}

// sessionJSON is the shape "session".
type sessionJSON struct {
	Session string                 `json:"session"`
	Agent   string                 `json:"agent"`
	Kind    string                 `json:"kind"`
	Started time.Time              `json:"started"`
	Ended   time.Time              `json:"ended"`
	Title   string                 `json:"title"`
	Intent  string                 `json:"intent,omitzero"`  // what its agent or a person says that it was for
	Summary string                 `json:"summary,omitzero"` // and what came of it
	Outcome string                 `json:"outcome,omitzero"`
	Branch  string                 `json:"branch,omitzero"`
	Edited  []string               `json:"edited"`
	Failed  []string               `json:"failed"`
	Failing []store.ObservedBroken `json:"failing"`
	Todo    []string               `json:"todo"`
	Said    string                 `json:"said,omitzero"`
	// Inherited are the threads of earlier sessions that it was told of, as it left them.
	Inherited []store.InheritedThread `json:"inherited"`
	Cut       bool                    `json:"cut,omitzero"`
	Tainted   bool                    `json:"tainted"`
	Dropped   bool                    `json:"dropped,omitzero"`
	Episode   *episodeJSON            `json:"episode,omitzero"` // not in a list
	// Learned counts what was learned in it and waits for review. Balance is what it was told and saved. Both are not in a list.
	Learned int             `json:"learned,omitzero"`
	Balance *ledger.Balance `json:"balance,omitzero"`

	onlyMemories bool // nothing but memories was kept or looked up
}

// episodeJSON is how a session went.
type episodeJSON struct {
	episode.Episode
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
}

func episodeOf(e episode.Episode) *episodeJSON {
	if e.Session == "" {
		return nil
	}
	return &episodeJSON{e, time.UnixMilli(e.Started).UTC(), time.UnixMilli(e.Ended).UTC()}
}

// shortSession is the part of a session's id that is enough to name it.
func shortSession(id string) string {
	return clip.Chars(id, 13)
}

func stepLines(steps []episode.Step) []string {
	var out []string
	for _, s := range steps {
		line := string(s.Act) + " " + s.What
		if s.Times > 1 {
			line += fmt.Sprintf(" ×%d", s.Times)
		}
		if s.Fails > 0 {
			line += fmt.Sprintf(" (%d failed)", s.Fails)
		}
		out = append(out, line)
	}
	return out
}

func partLines(parts []episode.Part) []string {
	var out []string
	for _, p := range parts {
		line := cmp.Or(p.Type, "subagent") + " " + p.Agent + ": " + count(p.Calls, "call", "calls")
		if len(p.Edited) > 0 {
			line += ", edited " + strings.Join(p.Edited, ", ")
		}
		if len(p.Failed) > 0 {
			line += ", left failing " + strings.Join(p.Failed, ", ")
		}
		out = append(out, line)
	}
	return out
}

func mendLines(mends []episode.Mend) []string {
	var out []string
	for _, m := range mends {
		line := m.Check + ": after changes of " + strings.Join(m.Files, ", ")
		if m.Commit != "" {
			line += " (" + m.Commit + ")"
		}
		out = append(out, line)
	}
	return out
}

func serverLines(calls []episode.Call) []string {
	var out []string
	for _, c := range calls {
		line := c.Tool + ": " + count(c.Calls, "call", "calls")
		if c.Fails > 0 {
			line += fmt.Sprintf(", %d failed: %s", c.Fails, c.Line)
		}
		out = append(out, line)
	}
	return out
}

func sessionOf(r store.SessionRecord) sessionJSON {
	return sessionJSON{r.Session, r.Agent, r.Kind, r.Started, r.Ended, r.Title, r.Intent, r.Summary, string(r.Outcome), r.Left.Branch, append([]string{}, r.Edited...), append([]string{}, r.Failed...),
		append([]store.ObservedBroken{}, r.Left.Fails...), append([]string{}, r.Left.Open...), r.Left.Said, append([]store.InheritedThread{}, r.Inherited...), r.Left.Cut, r.Tainted, r.Dropped, nil, 0, nil, r.OnlyMemories}
}

// leftLine says in a few words what a session left.
func (r sessionJSON) leftLine() string {
	switch {
	case r.Tainted:
		return "may repeat text from outside"
	case len(r.Failing) > 0:
		return "left " + count(len(r.Failing), "failing check", "failing checks")
	case len(r.Todo) > 0:
		return "left " + count(len(r.Todo), "open item", "open items")
	case r.Cut:
		return "ended in the middle of its work"
	}
	return r.Outcome
}
