// Package learn handles the end of a session. It decides when a session is over,
// folds its event log, looks up what earlier sessions have shown, and proposes
// candidates for review. Package observe defines the signals. The package must not
// know agents' formats or SQL.
package learn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/conversation"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/hooks/observe/signal"
	"manicule/indexer/clip"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/ledger"
	"manicule/memory/store"
	"manicule/memory/threads"
	"manicule/memory/units"
	"manicule/memory/work"
)

// Idle is the time without events after which a session counts as over.
const Idle = 30 * time.Minute

// maxCommand is the length of a stored command in bytes.
const maxCommand = 300

// Outcome is what was learned from one session.
type Outcome struct {
	Report     observe.Report
	Judgements []observe.Judgement
	Results    []memory.Result // of the candidates, in the order of the judgements that have one
	Bad        int             // unreadable lines of the log
	Procedures []memory.Result // of the procedures and lists that were proposed
}

// Session learns from one session by its id.
func Session(ctx context.Context, options Options, session string) (Outcome, error) {
	o := newLearner(options)
	out, err := o.fromLog(ctx, eventlog.SafeName(session))
	if err != nil || o.Dry {
		return out, err
	}
	return out, settle(ctx, o.Workspace.Place(), o.Workspace.State().Sessions())
}

// Pending learns from the finished sessions whose logs have grown since they were last
// read. A session is finished if it said so, or after [Idle]. Pending stops after limit
// sessions (0 for no limit), or when the context ends.
func Pending(ctx context.Context, options Options, limit int) ([]Outcome, error) {
	o := newLearner(options)
	names, err := waiting(ctx, o.Workspace.Place(), o.Now(), o.Workspace.State().Sessions())
	if err != nil {
		return nil, err
	}
	o.several = true
	out, err := o.inParts(ctx, names, limit)
	if len(out) > 0 && ctx.Err() == nil { // also of those before one that can't be learned from: it may stay so
		err = errors.Join(err, ledger.NoteWeights(ctx, o.Workspace))
	}
	if err != nil || limit > 0 || len(out) == 0 {
		return out, err
	}
	return out, o.Workspace.State().Sessions().DropReports(ctx, o.Now().Add(-keepReports))
}

// heldSessions is how many sessions are learned from with one connection to state.db: a new one reads it all again, and
// while one is held, nobody can repair a damaged database.
const heldSessions = 25

// inParts learns from sessions until there are limit outcomes, the context ends or one can't be learned from.
func (o learner) inParts(ctx context.Context, names []string, limit int) (out []Outcome, err error) {
	for part := range slices.Chunk(names, heldSessions) {
		if limit > 0 && len(out) == limit || ctx.Err() != nil {
			break
		}
		if out, err = o.pending(ctx, part, limit, out); err != nil {
			break
		}
	}
	return out, err
}

// pending learns from some of the sessions that wait.
func (o learner) pending(ctx context.Context, names []string, limit int, out []Outcome) (_ []Outcome, err error) {
	release := o.Workspace.State().Hold()
	defer func() { err = errors.Join(err, release()) }()
	texts, err := o.texts(ctx) // sessions write drafts, and no memories
	if err != nil {
		return out, err
	}
	o.texts = func(context.Context) ([]string, error) { return texts, nil }
	for _, name := range names {
		if limit > 0 && len(out) == limit || ctx.Err() != nil {
			break
		}
		x, err := o.fromLog(ctx, name)
		if err != nil {
			return out, err
		}
		if x.Report.Session == "" {
			continue // nothing in it can be read
		}
		out = append(out, x)
	}
	return out, nil
}

// keepReports is how long a session can still change; its log is pruned earlier.
const keepReports = 61 * 24 * time.Hour

// fromLog learns from the session of a log.
func (o learner) fromLog(ctx context.Context, name string) (out Outcome, err error) {
	w := o.Workspace
	stateDir := w.Place().StateDir()
	release := w.State().Hold() // it is asked a dozen times
	defer func() { err = errors.Join(err, release()) }()
	if !o.Dry {
		go func() {
			defer func() { _ = recover() }() // callers of the gate share its index
			w.Gate().Warm()                  // needed when the log is read and folded
		}()
	}
	if !o.Dry {
		hear(ctx, stateDir, name, o.Now())
	}
	// Read the size first: lines added during the read are read again next time.
	log, _ := eventlog.LogNamed(stateDir, name)
	size := log.Bytes
	records, bad, err := eventlog.ReadLog(stateDir, name)
	if err != nil {
		return Outcome{}, fmt.Errorf("read the log of a session: %w", err)
	}
	if len(records) == 0 {
		return Outcome{Bad: bad}, nil
	}
	h := o.readTranscripts(ctx, name, records)
	if h.more {
		size-- // so that it is read again with the rest of the transcript
	}
	out, err = o.finish(ctx, folded(w.Root(), records, h), name, size)
	out.Bad = bad
	return out, err
}

// hear logs the messages that came after the last event of a hook, of agents with a database of
// conversations. What can't be read is left out.
func hear(ctx context.Context, stateDir, name string, now time.Time) {
	first, _, ok := eventlog.FirstAndLast(stateDir, name)
	a, known := agent.Lookup(first.Agent)
	if !ok || !known || a.Database.File == "" {
		return
	}
	s := conversation.Session{ID: first.Session, Folder: first.CWD, Database: a.Database}
	dedupe := eventlog.Conversation{StateDir: stateDir, Session: s.ID}.Dedupe("learn")
	_ = conversation.Log(ctx, s, stateDir, dedupe, now, func(*event.Event) {})
}

// Finish judges a folded session and stores the result. log and size are of the log that
// it was read from.
func Finish(ctx context.Context, o Options, fold *observe.Fold, log string, size int64) (Outcome, error) {
	return newLearner(o).finish(ctx, fold, log, size)
}

func (o learner) finish(ctx context.Context, fold *observe.Fold, log string, size int64) (Outcome, error) {
	out := Outcome{Report: fold.Report()}
	if out.Report.Session == "" {
		return out, nil
	}
	obs := observation(out.Report, log, size)
	past, known, err := o.Workspace.Observer().PriorSessions(ctx, obs)
	if err != nil {
		return out, err
	}
	texts, err := o.texts(ctx)
	if err != nil {
		return out, err
	}
	h := history(past, slices.Concat(known, texts, o.Rules()))
	h.Exists, h.Declares, h.Commits = o.Exists, o.Declares, o.Commits
	out.Judgements = observe.Promote(out.Report, h)
	if obs.OnlyMemories = fold.OnlyMemories(); !obs.OnlyMemories {
		obs.Episode = episodeOf(fold, out.Report)
		obs.Episode.Work = ""
		if unit := o.unit(out.Report); unit != work.None {
			obs.Episode.Work = unit
		}
	}
	if o.Dry {
		return out, nil
	}
	var found []memory.Inferred
	for _, j := range out.Judgements {
		if j.Candidate != nil {
			found = append(found, o.inferred(out.Report, *j.Candidate))
		}
	}
	var procedures []memory.Inferred
	if o.midway {
		obs.Work = store.ObservedWork{Branch: obs.Work.Branch}
	} else if procedures, err = o.complete(ctx, &obs, fold, out.Report); err != nil {
		return out, err
	}
	results, err := o.Workspace.Observer().Observe(ctx, obs, slices.Concat(found, procedures))
	if err != nil {
		return out, err
	}
	out.Results, out.Procedures = results[:len(found)], results[len(found):]
	if !o.several {
		if err := ledger.NoteWeights(ctx, o.Workspace); err != nil {
			return out, err
		}
	}
	if obs.Episode.Work != "" {
		if err := units.Of(o.Workspace).Ended(ctx, obs.Episode.Work); err != nil {
			return out, err
		}
	}
	var trials []store.TrialRow
	for _, l := range obs.Shown {
		trials = append(trials, l.Trials...)
	}
	return out, ledger.ProposeHarmful(ctx, o.Workspace, trials)
}

// complete adds to an observation what other parts say of the session: the ledger, procedures, digests, threads. It returns
// the procedures and lists to propose, and settles the threads.
func (o learner) complete(ctx context.Context, obs *store.Observation, fold *observe.Fold, r observe.Report) (proposed []memory.Inferred, err error) {
	if obs.Shown, err = o.accountAtEnd(ctx, fold, r, obs.Log, obs.Bytes); err != nil {
		return nil, err
	}
	if obs.Uses, proposed, err = o.procedures(ctx, obs.Episode); err != nil {
		return nil, err
	}
	digested, err := o.digests(ctx, obs, r)
	if err != nil {
		return nil, err
	}
	vain := failed(obs.Episode)
	if len(vain) == 0 { // it may have gone on, and worked
		obs.Withdrawn = [2]string{failedKind, obs.Session}
	}
	if err := o.settle(ctx, r); err != nil {
		return nil, err
	}
	obs.Inherited, err = threads.Of(o.Workspace).Inherited(ctx, r.Inherited, time.UnixMilli(r.Started))
	return slices.Concat(proposed, digested, vain), err
}

// unit names the unit of work that a session was about: the one that its start told, else the one of the branch on
// which it ended.
func (o learner) unit(r observe.Report) string {
	if r.Work.Unit != "" {
		if _, ok := work.Parse(r.Work.Unit); ok {
			return r.Work.Unit
		}
	}
	if u := o.Workspace.Work().On(r.Work.Branch); u != nil {
		return u.Key()
	}
	return work.None
}

func (o learner) inferred(r observe.Report, c observe.Candidate) memory.Inferred {
	tags := []string{strings.ReplaceAll(string(c.Kind), "_", "-")}
	if c.Tainted {
		tags = append(tags, "after-web-content")
	}
	return memory.Inferred{
		Draft: memory.Draft{Type: c.Type, What: c.What, Why: c.Why, Scope: c.Scope, Tags: tags, Confidence: c.Confidence, Tainted: c.Tainted, Tool: r.Agent, Session: r.Session, Work: o.unit(r)},
		Kind:  string(c.Kind), Key: c.Key, Sessions: append([]string{r.Session}, c.Names...), Evidence: c.Evidence, Value: c.Value, Count: c.Sessions, For: c.For, Against: c.Against,
	}
}

// observation converts a report to the form of the store.
func observation(r observe.Report, log string, size int64) store.Observation {
	o := store.Observation{Session: r.Session, Log: log, Agent: r.Agent, Kind: string(r.Kind), Started: r.Started, Ended: r.Ended, Events: r.Events, Bytes: size, Steps: r.Steps, Tainted: r.Tainted}
	o.Work = store.ObservedWork{Branch: r.Work.Branch}
	if !r.Work.Tainted { // an agent is told of it
		o.Work.Task, o.Work.Cut, o.Work.Open, o.Work.Said = r.Work.Task, r.Work.Cut, r.Work.Open, r.Work.Said
		if o.Work.Said == "" && !o.Work.Cut && len(r.Work.Words) > 0 {
			o.Work.Said = r.Work.Words[0]
		}
		for _, b := range r.Work.Fails {
			o.Work.Fails = append(o.Work.Fails, store.ObservedBroken{Command: b.Command, Line: b.Line})
		}
	}
	for _, f := range r.Files {
		o.Files = append(o.Files, store.ObservedFile{Path: f.Path, Reads: f.Reads, Edits: f.Edits, At: f.First})
	}
	for _, p := range r.Pairs {
		o.Pairs = append(o.Pairs, store.ObservedPair{A: p.A, B: p.B, Delta: p.Delta, Edited: p.Edits, Near: p.Near})
	}
	for _, c := range r.Commands {
		o.Commands = append(o.Commands, store.ObservedCommand{Key: c.Key, Runs: c.Runs, Fails: c.Fails, Words: c.Words})
		for _, ms := range slices.Sorted(maps.Keys(c.Took)) {
			o.Took = append(o.Took, store.ObservedTime{Key: c.Key, Millis: ms, Runs: c.Took[ms]})
		}
	}
	for _, f := range r.Failures {
		how := store.Resolution(f.How)
		if f.Need != "" { // the name only: the working call may contain a value
			how, f.Fix = store.Lacked(string(f.Need)), f.Lacked
		}
		o.Errors = append(o.Errors, store.ObservedError{Tool: f.Tool, Subject: f.Key, Fingerprint: f.Print, Trigger: f.Trigger, Message: f.Line, Failed: clip.Bytes(f.Failed, maxCommand), Fix: clip.Bytes(f.Fix, maxCommand),
			How: how, Generic: f.Generic, Tainted: f.Taint, Count: f.Count})
	}
	for _, s := range r.Signals {
		o.Signals = append(o.Signals, store.ObservedSignal{Kind: string(s.Kind()), Key: s.Key, Count: s.N, Tainted: s.Tainted})
	}
	for _, q := range r.Requests {
		o.Requests = append(o.Requests, store.ObservedRequest{N: q.N, Folder: q.Folder, Calls: q.Calls, At: q.At})
	}
	return o
}

func history(p store.PriorSessions, known []string) observe.History {
	h := observe.History{Sessions: p.Sessions, Known: known, Signals: map[string]episode.PastSignal{}, Files: p.Files, Pairs: p.Pairs, Commands: p.Commands,
		Judged: map[signal.Kind]signal.Judged{}}
	for k, s := range p.Signals {
		h.Signals[signal.ID(signal.Kind(k[0]), k[1])] = s
	}
	for k, j := range p.Judged {
		h.Judged[signal.Kind(k)] = signal.Judged{Accepted: j[0], Rejected: j[1]}
	}
	return h
}
