package learn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/judge"
	"manicule/hooks/observe"
	"manicule/hooks/observe/fold"
	"manicule/hooks/phase"
	"manicule/indexer/sorting"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// callTolerance is the maximum distance between a call of Manicule and a showing without a
// session. Their times come from two processes.
const callTolerance = 2 * time.Second

// Account updates the ledger with everything shown so far, including open sessions. It
// skips unchanged logs.
func Account(ctx context.Context, options Options) error {
	o := newLearner(options)
	w := o.Workspace
	stateDir := w.Place().StateDir()
	shown, err := ledger.Logs(stateDir)
	if err != nil {
		return err
	}
	known, err := w.State().Shown().Logs(ctx)
	if err != nil {
		return fmt.Errorf("look up what was shown: %w", err)
	}
	events := map[string]eventlog.Log{}
	list, err := eventlog.Logs(stateDir)
	if err != nil {
		return err
	}
	for _, l := range list {
		events[l.Name] = l
	}
	var logs []store.ShownLog
	sorting.StableFunc(shown, func(a, b ledger.Log) int { return file.TrueFirst(a.Day, b.Day) }) // sessions know more than a day's file
	for _, l := range shown {
		e, ok := events[l.Name]
		state := store.ShownState{Bytes: l.Bytes + e.Bytes, Over: !ok}
		if ok {
			first, last, readable := eventlog.FirstAndLast(stateDir, l.Name)
			if readable && !startedBelow(first, w.Root()) {
				continue // of another worktree
			}
			state.Over = o.Now().Sub(e.Written) >= Idle || readable && last.Kind == string(event.SessionEnd)
		}
		if known[l.Name] == state {
			continue
		}
		x, err := o.accountLog(ctx, l, state, known[l.Name].Bytes)
		if err != nil {
			return err
		}
		logs = append(logs, x...)
	}
	if len(logs) > 0 {
		err = w.State().Shown().Put(ctx, logs)
	}
	return errors.Join(err, w.State().Shown().Settle(ctx, o.Now().Add(-ledger.KeepEntries)), ledger.Prune(stateDir, o.Now().Add(-ledger.Keep)))
}

// accountLog updates the ledger from one file of showings. done is how much of it the ledger has.
func (o learner) accountLog(ctx context.Context, l ledger.Log, state store.ShownState, done int64) ([]store.ShownLog, error) {
	w := o.Workspace
	stateDir := w.Place().StateDir()
	records, _, err := eventlog.ReadLog(stateDir, l.Name)
	if err != nil {
		return nil, fmt.Errorf("read the log of a session: %w", err)
	}
	if len(records) > 0 {
		fold := observe.New(w.Root())
		for _, r := range records {
			fold.Add(r)
		}
		return o.account(ctx, fold, fold.Report(), l.Name, state)
	}
	if !l.Day {
		done = 0 // it was judged by the session's events, which are gone
	}
	entries, _, err := ledger.ReadFrom(stateDir, l.Name, w.Place().GitPrefix(), done)
	if err != nil {
		return nil, err
	}
	memories, err := o.memories(ctx, entries)
	if err != nil {
		return nil, err
	}
	return []store.ShownLog{{Name: l.Name, ShownState: state, Rows: rows(l.Name, judge.Entries(judge.Session{Over: true}, entries, memories), false)}}, nil
}

// account judges what a session was shown: the entries of its own file, and the entries
// without a session that were written while it was calling Manicule.
func (o learner) account(ctx context.Context, fold *observe.Fold, report observe.Report, log string, state store.ShownState) ([]store.ShownLog, error) {
	w := o.Workspace
	stateDir, below := w.Place().StateDir(), w.Place().GitPrefix()
	s := judge.Session{ID: report.Session, Calls: fold.Calls(), Corrections: fold.Corrections(), Turns: fold.Turns, Over: state.Over}
	entries, sum, err := ledger.Read(stateDir, log, below)
	if err != nil {
		return nil, err
	}
	from := slices.Repeat([]string{log}, len(entries))
	for _, day := range days(report, s.Calls) {
		loose, _, err := ledger.Read(stateDir, day, below)
		if err != nil {
			return nil, err
		}
		for _, e := range loose {
			if agent, ok := caller(s.Calls, e); ok && e.Agent == report.Agent {
				e.Session, e.AgentID = report.Session, agent
				entries, from = append(entries, e), append(from, day)
				sum.Count++
				sum.Tokens += e.Tokens
			}
		}
	}
	memories, err := o.memories(ctx, entries)
	if err != nil {
		return nil, err
	}
	judged := judge.Entries(s, entries, memories)
	Phases(phase.Named(o.Methodology), s, judged)
	out := []store.ShownLog{{Name: log, ShownState: state, Session: figures(report, s, sum, judged, memories), Applied: ledger.AppliedRows(judged)}}
	if report.Arm == string(ledger.Full) {
		out[0].Trials = ledger.Trials(filepath.Base(stateDir), report.Session, entries, sum.HeldOut)
	}
	for i, j := range judged {
		r := j.Row(from[i], true)
		if from[i] != log {
			r.AgentID = "" // as in the day's file: the row is the same
		}
		out[0].Rows = append(out[0].Rows, r)
	}
	return out, nil
}

// memories returns the existing memories of the entries, by uuid.
func (o learner) memories(ctx context.Context, entries []ledger.Entry) (map[string]*file.Memory, error) {
	out := map[string]*file.Memory{}
	var uuids []string
	for _, e := range entries {
		uuids = append(uuids, e.UUID)
	}
	slices.Sort(uuids)
	rows, err := o.Workspace.Store().Of(ctx, slices.Compact(uuids))
	if err != nil {
		return nil, fmt.Errorf("read the memories that were shown: %w", err)
	}
	for _, r := range rows {
		if m, err := r.Memory(); err == nil {
			out[m.UUID] = m
		}
	}
	return out, nil
}

func rows(log string, judged []ledger.Judged, known bool) []store.ShownRow {
	var out []store.ShownRow
	for _, j := range judged {
		out = append(out, j.Row(log, known))
	}
	return out
}

// ownCall reports whether a call is Manicule's, by an MCP tool or by its command.
func ownCall(c fold.Call) bool {
	return strings.Contains(strings.ToLower(c.Tool), "manicule") || c.Class == event.Shell && strings.Contains(c.Command, "manicule")
}

// maxDays bounds the days of a session whose files are read.
const maxDays = 14

// days returns the files of the days on which a session called Manicule.
func days(r observe.Report, calls []fold.Call) []string {
	if !slices.ContainsFunc(calls, ownCall) {
		return nil
	}
	var out []string
	for at := time.UnixMilli(r.Started).Add(-callTolerance); len(out) < maxDays && !at.After(time.UnixMilli(r.Ended).Add(callTolerance+24*time.Hour)); at = at.Add(24 * time.Hour) {
		out = append(out, ledger.DayLog(at))
	}
	return out
}

// caller returns the agent of the session that was calling Manicule when an entry without
// a session was written.
func caller(calls []fold.Call, e ledger.Entry) (agentID string, ok bool) {
	if e.Session != "" || e.Agent == "" {
		return "", false
	}
	for _, c := range calls {
		if !ownCall(c) {
			continue
		}
		began := time.UnixMilli(c.At)
		ended := began.Add(time.Duration(c.Took) * time.Millisecond)
		if !e.At.Before(began.Add(-callTolerance)) && !e.At.After(ended.Add(callTolerance)) {
			return c.Agent, true
		}
	}
	return "", false
}

// figures sums what a session was shown and did.
func figures(r observe.Report, s judge.Session, sum ledger.Answers, judged []ledger.Judged, memories map[string]*file.Memory) *store.ShownSession {
	x := &store.ShownSession{Session: r.Session, Agent: r.Agent, Arm: r.Arm, Started: r.Started, Over: s.Over, Answers: sum.Count, Tokens: sum.Tokens, Calls: r.Steps,
		Prompts: len(s.Turns), Corrections: len(s.Corrections)}
	for _, c := range s.Calls {
		if c.Repeated {
			x.Rereads++
		}
		if c.Failed() {
			x.Failed++
			x.Retry += retrieve.Tokens(c.Command) + (max(c.Bytes, len(c.Line))+3)/4
		}
	}
	for _, j := range judged {
		m := memories[j.UUID]
		if m == nil || !judge.Warns(m.Type) {
			continue
		}
		switch j.Verdict {
		case ledger.Followed:
			x.Heeded++
		case ledger.Overridden:
			x.Reentered++
		default: // neither saves nor costs a call
		}
	}
	return x
}

// accountAtEnd updates the ledger for a finished session whose events are folded. size is
// that of its log.
func (o learner) accountAtEnd(ctx context.Context, fold *observe.Fold, report observe.Report, log string, size int64) ([]store.ShownLog, error) {
	shown, err := ledger.Size(o.Workspace.Place().StateDir(), log)
	if err != nil {
		return nil, err
	}
	return o.account(ctx, fold, report, log, store.ShownState{Bytes: size + shown, Over: true})
}
