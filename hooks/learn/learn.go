// Package learn handles the end of a session. It decides when a session is over,
// folds its event log, looks up what earlier sessions have shown, and proposes
// candidates for review. Package observe defines the signals. The package must not
// know agents' formats or SQL.
package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"manicule/hooks/agent"
	"manicule/hooks/conversation"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/hooks/observe/signal"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
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

// Options say how sessions are learned from. Workspace is required.
type Options struct {
	Workspace *memory.Workspace
	Now       func() time.Time
	// Rules are texts that need no candidate because agents know them: the project's rule
	// files. What the files of [RuleNames] say when nil.
	Rules func() []string
	// Exists reports whether a path below the root exists; on disk when nil.
	Exists func(path string) bool
	// Declares reports whether a file below the root may declare a name; on disk when nil.
	Declares func(path, name string) bool
	// Commits counts the commits that changed a file below the root, and those that also
	// changed another one; git's when nil.
	Commits func(a, b string) (both, n int)
	// Recipes returns what the repository's commits show to go together; git's when nil.
	Recipes func(ctx context.Context, sessions []episode.Episode) []episode.Procedure
	// RecipeTime bounds how long commits are read for recipes; what suits the end of a session when 0.
	RecipeTime time.Duration
	// Slowness is how many times longer than usual reading transcripts and commits may take; 0 is 1.
	Slowness float64
	// Home is the person's home folder, in which some agents keep transcripts that their
	// hooks don't name; "" disables that.
	Home string
	// Methodology tells the phases of work in which memories were shown; the usual one for "".
	Methodology string
	// Dry stores nothing.
	Dry bool
}

// learner learns by options that are complete.
type learner struct {
	Options
	prepare func(context.Context)                   // reads what Recipes needs ahead; nil for nothing
	midway  bool                                    // the session goes on: what it leaves, and what came of it, is not known
	several bool                                    // others follow, and weights are learned after the last
	texts   func(context.Context) ([]string, error) // of all memories
}

// Outcome is what was learned from one session.
type Outcome struct {
	Report     observe.Report
	Judgements []observe.Judgement
	Results    []memory.Result // of the candidates, in the order of the judgements that have one
	Bad        int             // unreadable lines of the log
	Procedures []memory.Result // of the procedures and lists that were proposed
}

// newLearner fills in what the options leave open.
func newLearner(options Options) learner {
	o := learner{Options: options}
	o.texts = o.Workspace.Observer().Texts
	if o.Now == nil {
		o.Now = o.Workspace.Now
	}
	root := o.Workspace.Root()
	if o.Rules == nil {
		o.Rules = func() []string { return ruleFiles(root) }
	}
	if o.Exists == nil {
		o.Exists = func(p string) bool {
			_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p)))
			return !errors.Is(err, fs.ErrNotExist)
		}
	}
	if o.Declares == nil {
		o.Declares = func(p, name string) bool { return declares(root, p, name) }
	}
	if o.Recipes == nil {
		most := cmp.Or(o.RecipeTime, o.part(recipeTime))
		o.Recipes = func(ctx context.Context, sessions []episode.Episode) []episode.Procedure {
			return recipesOf(ctx, o.Workspace.Place(), sessions, most)
		}
		o.prepare = func(ctx context.Context) { prepareRecipes(ctx, o.Workspace.Place(), most) }
	}
	if o.Commits == nil {
		o.Commits = func(a, b string) (both, n int) { return commitsOf(o.Workspace.Place(), o.part(historyTime), a, b) }
	}
	return o
}

// part returns the time for a part of the work that usually has so much.
func (o *Options) part(usual time.Duration) time.Duration {
	return time.Duration(float64(usual) * max(1, o.Slowness))
}

// declares reports whether a file has a name right after a declaring word, which is good
// enough to tell a declaration from a use in any language.
func declares(root, path, name string) bool {
	data, err := treefile.ReadWithin(root, path, maxRules*4)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		words := strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		at := slices.Index(words, name)
		for i := range max(0, at) {
			switch words[i] {
			case "func", "type", "class", "def", "interface", "struct", "function", "enum", "trait", "fn", "const", "var", "let", "impl":
				return true
			}
		}
	}
	return false
}

// Session learns from one session by its id.
func Session(ctx context.Context, o Options, session string) (Outcome, error) {
	return newLearner(o).fromLog(ctx, eventlog.SafeName(session))
}

// Pending learns from the finished sessions whose logs have grown since they were last
// read. A session is finished if it said so, or after [Idle]. Pending stops after limit
// sessions (0 for no limit), or when the context ends.
func Pending(ctx context.Context, options Options, limit int) ([]Outcome, error) {
	o := newLearner(options)
	names, err := waiting(ctx, o.Workspace.Place(), o.Now(), o.Workspace.State().Sessions(), 0)
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

// Waiting reports whether [Pending] would find a session to learn from. It only reads.
func Waiting(ctx context.Context, p *workspace.Workspace, now time.Time, state Observed) (bool, error) {
	names, err := waiting(ctx, p, now, state, 1)
	return len(names) > 0, err
}

// Observed returns the logs that were learned from, with their sizes at that time.
type Observed interface {
	Logs(ctx context.Context) (map[string]int64, error)
}

// logsOf returns the logs of a workspace's sessions, and how many bytes of each were learned from.
func logsOf(ctx context.Context, p *workspace.Workspace, state Observed) (logs []eventlog.Log, done map[string]int64, err error) {
	logs, err = eventlog.Logs(p.StateDir())
	if err != nil || len(logs) == 0 {
		return nil, nil, err
	}
	if done, err = state.Logs(ctx); err != nil {
		return nil, nil, fmt.Errorf("look up the sessions that were observed: %w", err)
	}
	return logs, done, nil
}

// waiting names the logs that wait, oldest first, at most limit unless limit is 0.
func waiting(ctx context.Context, p *workspace.Workspace, now time.Time, state Observed, limit int) ([]string, error) {
	logs, done, err := logsOf(ctx, p, state)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range logs {
		if have, ok := done[l.Name]; ok && have == l.Bytes {
			continue
		}
		if ctx.Err() != nil || limit > 0 && len(out) == limit {
			break // the rest waits for the next run
		}
		rests := now.Sub(l.Written) >= Idle
		if !rests {
			if last, ok := eventlog.Last(p.StateDir(), l.Name); !ok || last.Kind != string(event.SessionEnd) {
				continue // it goes on, or may be just being written
			}
		}
		first, last, ok := eventlog.FirstAndLast(p.StateDir(), l.Name)
		if !ok && !rests {
			continue // it may be just being written
		}
		if !ok || first.CWD == "" { // the records between must tell
			records, _, err := eventlog.ReadLog(p.StateDir(), l.Name)
			if err != nil {
				return nil, fmt.Errorf("look whose session %s is: %w", l.Name, err)
			}
			if len(records) == 0 {
				continue
			}
			first, last = firstLocated(records), records[len(records)-1]
		}
		if first.Session != "" && startedBelow(first, p.Root) && (rests || last.Kind == string(event.SessionEnd)) {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

// firstLocated returns the first record of a log that locates its session, and the session's id.
// The location is its folder, else the first absolute path of a call.
func firstLocated(records []eventlog.Record) eventlog.Record {
	first := records[0]
	for _, r := range records {
		if r.CWD != "" {
			first.CWD = r.CWD
			return first
		}
	}
	for _, r := range records {
		for _, c := range r.Calls {
			for _, p := range c.Paths {
				if filepath.IsAbs(p) {
					first.CWD = filepath.Dir(p)
					return first
				}
			}
		}
	}
	return first
}

// startedBelow reports whether a session began below a root. Worktrees of a repository share
// their logs, but paths have a meaning in only one of them.
func startedBelow(first eventlog.Record, root string) bool {
	if first.CWD == "" {
		return true // no record locates the session
	}
	dir := workspace.RealPath(first.CWD)
	return dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))
}

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
	size := int64(0)
	logs, err := eventlog.Logs(stateDir)
	if err != nil {
		return Outcome{}, err
	}
	if i := slices.IndexFunc(logs, func(l eventlog.Log) bool { return l.Name == name }); i >= 0 {
		size = logs[i].Bytes
	}
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
		o.Errors = append(o.Errors, store.ObservedError{Tool: f.Tool, Subject: f.Key, Fingerprint: f.Print, Trigger: f.Trigger, Message: f.Line, Failed: clip(f.Failed), Fix: clip(f.Fix),
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

// clip bounds a stored command.
func clip(s string) string {
	if len(s) > 300 {
		return strings.ToValidUTF8(s[:300], "")
	}
	return s
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

// maxRules bounds the size of a rule file in bytes.
const maxRules = 256 << 10

// ruleFiles reads the rules at a workspace root that agents load by themselves, one line
// each.
func ruleFiles(root string) []string {
	var out []string
	for _, name := range RuleNames() {
		data, err := treefile.ReadWithin(root, name, maxRules)
		if err != nil {
			continue
		}
		out = append(out, RuleLines(string(data))...)
	}
	return out
}

// RuleNames are the files below a root in which agents find rules.
func RuleNames() []string {
	return []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md", "CONTRIBUTING.md"}
}

// RuleLines splits a rule file into texts to compare candidates with: its lines, and each
// three consecutive lines, because a list spreads a rule over several.
func RuleLines(text string) []string {
	var lines, out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) > 8 {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		out = append(out, line)
		if i+2 < len(lines) {
			out = append(out, line+" "+lines[i+1]+" "+lines[i+2])
		}
	}
	return out
}

// Explanation is one session with the reasons for all its results.
type Explanation struct {
	Outcome
	Records []eventlog.Record // by event number, from 1
}

// Find names the logs of the sessions whose id begins with a text. "last" is the newest.
func Find(stateDir, session string) ([]string, error) {
	logs, err := eventlog.Logs(stateDir)
	if err != nil {
		return nil, err
	}
	if session == "last" && len(logs) > 0 {
		return []string{logs[len(logs)-1].Name}, nil
	}
	exact := eventlog.SafeName(session)
	var out []string
	for _, l := range logs {
		if l.Name == exact {
			return []string{exact}, nil
		}
		if len(session) >= 4 && strings.HasPrefix(l.Name, "s-"+session) {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

// Explain judges a log as if its session ended now, and stores nothing.
func Explain(ctx context.Context, o Options, name string) (Explanation, error) {
	o.Dry = true
	var e Explanation
	var err error
	if e.Outcome, err = newLearner(o).fromLog(ctx, name); err != nil {
		return e, err
	}
	e.Records, _, err = eventlog.ReadLog(o.Workspace.Place().StateDir(), name)
	return e, err
}
