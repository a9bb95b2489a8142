package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/observe"
	"manicule/indexer/clip"
	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/services"
	"manicule/memory/store"
)

// sessionsShown is the number of sessions in a list.
const sessionsShown = 10

// observeJSON is the shape "observe".
type observeJSON struct {
	Learned    []string           `json:"learned"`    // new sessions
	Candidates []observeCandidate `json:"candidates"` // candidates from them
	Sessions   []store.SessionRow `json:"sessions"`
	Waiting    int                `json:"waiting"` // drafts to review
	// Model is the result of asking a model for sentences. It is absent if none was asked.
	Model *learn.Reworded `json:"model,omitzero"`
}

type observeCandidate struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Kind    string `json:"kind"`
	What    string `json:"what"`
}

// explainJSON is a session with its signals.
type explainJSON struct {
	Session string          `json:"session"`
	Agent   string          `json:"agent"`
	Kind    string          `json:"kind"`
	Started time.Time       `json:"started"`
	Ended   time.Time       `json:"ended"`
	Events  int             `json:"events"`
	Calls   int             `json:"calls"`
	Bad     int             `json:"unreadable"` // lines of the log
	Tainted bool            `json:"tainted"`
	Blind   bool            `json:"blind"` // it is unknown whether it took in untrusted text
	Signals []explainSignal `json:"signals"`
	Errors  []explainError  `json:"errors"`
}

type explainSignal struct {
	Kind       string         `json:"kind"`
	About      string         `json:"about"`
	Verdict    string         `json:"verdict"`
	Value      float64        `json:"value"`
	Sessions   int            `json:"sessions"`
	Need       int            `json:"need"`
	Tainted    bool           `json:"tainted"`
	Primary    bool           `json:"primary"` // a session of this kind is there to give such signals
	Evidence   []explainEvent `json:"evidence"`
	What       string         `json:"what,omitzero"`
	Against    string         `json:"against,omitzero"` // contradicting evidence from all sessions
	Confidence float64        `json:"confidence,omitzero"`
}

type explainEvent struct {
	N    int       `json:"n"`
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

type explainError struct {
	N           int    `json:"n"`
	Subject     string `json:"subject"`
	Fingerprint string `json:"fingerprint"`
	Resolved    string `json:"resolved"` // changed, edited, again, or ""
	Fix         string `json:"fix,omitzero"`
	Count       int    `json:"count"`
}

// observeCommand is `manicule observe`.
type observeCommand struct {
	*cli
	session string
}

func newObserveCommand(shared *cli) *cobra.Command {
	oc := &observeCommand{cli: shared}
	c := &cobra.Command{
		Use:   "observe",
		Short: "Learn from the sessions of agents, and show why",
		Long: "Learn from agents' sessions that ended and were not processed yet. What several of them agree\n" +
			"on becomes a candidate for `manicule review`. Hooks do the same when a session ends. With\n" +
			"--explain, show every signal of one session with its events and its outcome, and store\n" +
			"nothing.",
		Example: "  manicule observe\n  manicule observe --explain last",
		Args:    cobra.NoArgs,
		RunE:    oc.run,
	}
	c.Flags().StringVar(&oc.session, "explain", "", "the id of a session or its beginning, or \"last\"")
	return c
}

func (oc *observeCommand) run(cmd *cobra.Command, _ []string) error {
	return oc.with(cmd.Context(), func(w *services.Workspace) error {
		if oc.session != "" {
			return oc.explain(cmd, w, oc.session)
		}
		return oc.observe(cmd, w)
	})
}

func (oc *observeCommand) observe(cmd *cobra.Command, w *services.Workspace) error {
	ctx := cmd.Context()
	out := observeJSON{Learned: []string{}, Candidates: []observeCandidate{}, Sessions: []store.SessionRow{}}
	if w.Config.Bool("observer.enabled") {
		if _, err := indexSkills(ctx, w); err != nil { // what a skill says is not proposed
			return err
		}
		learned, err := learn.Pending(ctx, learning(oc.cli, w), 0)
		if err != nil {
			return err
		}
		for _, x := range learned {
			if x.Report.Session == "" {
				continue
			}
			out.Learned = append(out.Learned, x.Report.Session)
			out.Candidates = append(out.Candidates, candidates(x)...)
		}
		if out.Model, err = reword(ctx, w); err != nil {
			oc.warn("candidates keep the sentences of their templates: %v", err)
		}
	}
	rows, err := w.State().Sessions().Latest(ctx, sessionsShown)
	if err != nil {
		return err
	}
	out.Sessions = append(out.Sessions, rows...)
	if out.Waiting, err = w.State().Drafts().Count(ctx); err != nil {
		return err
	}
	if oc.json {
		oc.printJSON("observe", out)
		return nil
	}
	if len(out.Sessions) == 0 {
		oc.printf("no session of an agent has ended here yet\n")
		return nil
	}
	oc.printf("%s learned from\n", count(len(out.Learned), "new session", "new sessions"))
	for _, c := range out.Candidates {
		oc.printf("  ☞ %s %s\n", oc.paint(faint, strings.ReplaceAll(c.Kind, "_", " ")+":"), plainLine(c.What))
	}
	if m := out.Model; m != nil && m.Calls > 0 {
		oc.printf("%s asked for sentences: %d of %s changed\n", count(m.Calls, "time a model was", "times a model was"), m.Changed, count(m.Changed+m.Kept, "candidate", "candidates"))
	}
	for _, r := range out.Sessions {
		note := ""
		if r.Candidates > 0 {
			note = ", " + count(r.Candidates, "candidate", "candidates")
		}
		if r.Tainted {
			note += ", may repeat text from outside"
		}
		oc.printf("  %s  %-12s %-13s %s%s\n", r.Started.Format("2006-01-02 15:04"), r.Agent, r.Kind, count(r.Steps, "call", "calls"), note)
		oc.printf("    %s\n", oc.paint(faint, r.Session))
	}
	if out.Waiting > 0 {
		oc.printf("%s: `manicule review`\n", count(out.Waiting, "draft waits for you", "drafts wait for you"))
	}
	return nil
}

// reword asks the configured chat model for better sentences. It returns nil if the
// settings disable it.
func reword(ctx context.Context, w *services.Workspace) (*learn.Reworded, error) {
	if w.Config.String("observer.sentences") != "model" {
		return nil, nil
	}
	chat, err := w.Chat()
	if err != nil {
		return nil, err
	}
	defer chat.Close()
	out, err := learn.Reword(ctx, learn.Options{Workspace: w.Workspace}, learn.Ask{Model: chat.Model(), Complete: func(ctx context.Context, system, user string, maxTokens int) (string, error) {
		answer, err := chat.Complete(ctx, system, user, maxTokens)
		return answer.Text, err
	}})
	return &out, err
}

// candidates returns the new candidates of a session.
func candidates(x learn.Outcome) []observeCandidate {
	var out []observeCandidate
	i := 0
	for _, j := range x.Judgements {
		if j.Candidate == nil {
			continue
		}
		if r := x.Results[i]; r.Accepted && r.Draft && !r.Deduped {
			out = append(out, observeCandidate{r.Memory.UUID, x.Report.Session, string(j.Candidate.Kind), j.Candidate.What})
		}
		i++
	}
	for _, r := range x.Procedures {
		if r.Accepted && r.Draft && !r.Deduped {
			out = append(out, observeCandidate{r.Memory.UUID, x.Report.Session, "procedure", r.Memory.What})
		}
	}
	return out
}

func (oc *observeCommand) explain(cmd *cobra.Command, w *services.Workspace, session string) error {
	names, err := learn.Find(w.Place().StateDir(), session)
	if err != nil {
		return err
	}
	switch len(names) {
	case 0:
		if session == "last" {
			return &memory.UserError{Msg: "no session of an agent has ended here yet", Err: memory.ErrNotFound, Hint: "`manicule init --agent NAME` installs the hooks that log sessions."}
		}
		return &memory.UserError{Msg: fmt.Sprintf("no log of a session has the id %q", session), Err: memory.ErrNotFound, Hint: "`manicule observe` lists sessions; logs are kept for 60 days."}
	case 1:
	default:
		return &memory.UserError{Msg: fmt.Sprintf("%d sessions have an id that begins with %q", len(names), session), Err: memory.ErrAmbiguous, Hint: "Give more of it."}
	}
	e, err := learn.Explain(cmd.Context(), learn.Options{Workspace: w.Workspace, Home: oc.getenv("HOME")}, names[0])
	if err != nil {
		return err
	}
	out := explanation(e)
	if oc.json {
		oc.printJSON("explanation", out)
		return nil
	}
	oc.printExplanation(out)
	return nil
}

func explanation(e learn.Explanation) explainJSON {
	r := e.Report
	out := explainJSON{Session: r.Session, Agent: r.Agent, Kind: string(r.Kind), Started: time.UnixMilli(r.Started).UTC(), Ended: time.UnixMilli(r.Ended).UTC(), Events: r.Events, Calls: r.Steps,
		Bad: e.Bad, Tainted: r.Tainted, Blind: r.Blind, Signals: []explainSignal{}, Errors: []explainError{}}
	for _, j := range e.Judgements {
		s := explainSignal{Kind: string(j.Signal.Kind()), About: j.Signal.Subject(), Verdict: j.Verdict, Value: j.Value, Sessions: j.Sessions, Need: j.Need, Tainted: j.Signal.Tainted, Primary: j.Primary, Evidence: []explainEvent{}}
		s.Against = j.Against
		if j.Candidate != nil {
			s.What, s.Confidence = j.Candidate.What, j.Candidate.Confidence
		}
		for _, n := range j.Signal.Evidence {
			if n >= 1 && n <= len(e.Records) {
				rec := e.Records[n-1]
				s.Evidence = append(s.Evidence, explainEvent{n, time.UnixMilli(rec.Time).UTC(), eventText(rec)})
			}
		}
		out.Signals = append(out.Signals, s)
	}
	for _, f := range r.Failures {
		out.Errors = append(out.Errors, explainError{f.N, f.Key, f.Print, f.How, f.Fix, f.Count})
	}
	return out
}

// eventText summarizes an event.
func eventText(r eventlog.Record) string {
	if len(r.Calls) == 0 {
		return strings.Join(strings.Fields(r.Kind+" "+cut(r.Prompt, 80)), " ")
	}
	c := r.Calls[0]
	what := c.Command
	for _, s := range []string{c.Query, c.URL, strings.Join(c.Paths, " ")} {
		if what == "" {
			what = s
		}
	}
	text := c.Tool + " " + cut(what, 100)
	if c.OK != nil && !*c.OK {
		text += " failed: " + cut(c.Error, 80)
	}
	return strings.Join(strings.Fields(text), " ")
}

func cut(s string, limit int) string {
	return clip.MarkedChars(gate.Clean(strings.Join(strings.Fields(s), " ")), limit)
}

func (oc *observeCommand) printExplanation(x explainJSON) {
	oc.printf("%s %s, %s, %s, %s\n", oc.paint(bold, "☞ session "+x.Session), x.Agent, x.Kind, x.Started.Format("2006-01-02 15:04"), count(x.Calls, "call", "calls"))
	if x.Blind {
		oc.printf("  it is unknown whether it took in text from outside: all of it is marked\n")
	} else if x.Tainted {
		oc.printf("  it took in text from outside: what followed is marked\n")
	}
	for _, s := range x.Signals {
		mark := ""
		if s.Primary {
			mark = ", what such a session is for"
		}
		if s.Tainted {
			mark += ", after text from outside"
		}
		oc.printf("%s %s\n", oc.paint(bold, strings.ReplaceAll(s.Kind, "_", " ")), cut(s.About, 120))
		sessions := count(s.Sessions, "session", "sessions")
		if s.Sessions < s.Need {
			sessions = fmt.Sprintf("%d of the %s that it needs", s.Sessions, count(s.Need, "session", "sessions"))
		}
		oc.printf("  %s, value %.2f, %s%s\n", verdictText(s.Verdict), s.Value, sessions, mark)
		if s.Against != "" {
			oc.printf("  against it: %s\n", plainLine(s.Against))
		}
		if s.What != "" {
			oc.printf("  %s %s\n", oc.paint(green, "☞"), plainLine(s.What))
		}
		for _, e := range s.Evidence {
			oc.printf("    %s %s\n", oc.paint(faint, fmt.Sprintf("%5d %s", e.N, e.Time.Format("15:04:05"))), e.Text)
		}
	}
	if len(x.Signals) == 0 {
		oc.printf("  it shows nothing that other sessions could confirm\n")
	}
}

// verdictText describes the outcome of a signal.
func verdictText(v string) string {
	switch v {
	case observe.Promoted:
		return "a candidate"
	case observe.HeldFrequency:
		return "waits for other sessions that agree"
	case observe.HeldValue:
		return "too weak, or its kind is mostly rejected"
	case observe.HeldInvalid:
		return "not valid: what it is about is gone, or nobody should learn it"
	case observe.HeldKnown:
		return "said already"
	case observe.HeldProposed:
		return "was proposed before"
	case observe.HeldHistory:
		return "contradicted by what all sessions and git show"
	case observe.HeldCap:
		return "others of this session are stronger"
	}
	return "not clear enough for a sentence"
}
