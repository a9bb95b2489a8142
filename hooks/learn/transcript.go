package learn

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/hooks/observe/wording"
	"manicule/hooks/transcript"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/memory/secret"
)

// Limits of reading transcripts for one session. The rest is read the next time.
const (
	maxTranscript  = 64 << 20 // bytes of one file
	maxTranscripts = 33       // files: the conversation's and its subagents'
	// transcriptTime bounds the time, because the hook at the end of a session has a
	// deadline and the report comes first.
	transcriptTime = 60 * time.Millisecond
)

// maxEnded is the maximum length of a call's error in bytes, as in the log.
const maxEnded = 480

// transcriptLines are the statements from a session's transcripts.
type transcriptLines struct {
	list []eventlog.Statement
	// whole is set if a transcript of the main conversation was read to its end. Only then
	// it is known that no untrusted text came in unseen.
	whole bool
	// more is set if lines are left for the next time.
	more bool
}

// Tainted reports whether an open session may have taken in untrusted text: its events
// show it, or its agent's hooks don't see everything. Then the transcript decides, if all of
// it can be read.
func Tainted(ctx context.Context, root string, records []eventlog.Record) bool {
	if len(records) == 0 {
		return false
	}
	var h transcriptLines
	if a, _ := agent.Lookup(records[0].Agent); a.Unseen && a.Transcript.Format.Known() {
		if path := transcriptPath("", a, records); path != "" {
			h = collect(ctx, transcriptTime, a, path, nil, func([]eventlog.Statement) {})
		}
	}
	return folded(root, records, h).Tainted
}

// readTranscripts reads the new lines of a session's transcripts, stores the relevant
// ones beside the session's log, and returns all stored lines. An error has the same
// effect as a missing transcript.
func (o learner) readTranscripts(ctx context.Context, name string, records []eventlog.Record) transcriptLines {
	stateDir := o.Workspace.Place().StateDir()
	kept, err := eventlog.ReadStatements(stateDir, name)
	if err != nil {
		kept = nil
	}
	a, _ := agent.Lookup(records[0].Agent)
	path := transcriptPath(o.Home, a, records)
	if path == "" || !a.Transcript.Format.Known() {
		return transcriptLines{list: kept}
	}
	return collect(ctx, o.part(transcriptTime), a, path, kept, func(fresh []eventlog.Statement) {
		if !o.Dry {
			_ = eventlog.AppendStatements(stateDir, name, fresh) // what can't be stored is read again
		}
	})
}

// collect reads the new lines of a conversation's transcripts after the kept ones, as many as there is time for, and hands
// them to keep.
func collect(ctx context.Context, most time.Duration, a spec.Agent, path string, kept []eventlog.Statement, keep func(fresh []eventlog.Statement)) transcriptLines {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	h := transcriptLines{list: kept}
	files := []string{path}
	if pattern := a.Transcript.Subagents; pattern != "" {
		subs := treefile.Glob(strings.TrimSuffix(path, ".jsonl"), pattern)
		files = append(files, subs[:min(len(subs), maxTranscripts-1)]...)
	}
	for i, file := range files {
		sub := ""
		if i > 0 {
			sub = subagent(a.Transcript.Subagents, file)
		}
		fresh, more, err := readTranscript(ctx, a.Transcript.Format, file, sub, kept)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			more = true // unreadable now; the next run retries
		}
		h.whole = h.whole || i == 0 && err == nil && !more
		h.more = h.more || more
		if len(fresh) == 0 {
			continue
		}
		if fresh[0].Kind == eventlog.StatementRestart {
			h.list = slices.DeleteFunc(slices.Clone(h.list), func(s eventlog.Statement) bool { return s.File == fresh[0].File })
		}
		h.list = append(h.list, fresh...)
		keep(fresh)
	}
	// A file without even the person's messages has an unknown format.
	main := eventlog.Digest(path)
	h.whole = h.whole && slices.ContainsFunc(h.list, func(s eventlog.Statement) bool {
		return s.File == main && s.Kind == eventlog.StatementMark && s.Turn > 0
	})
	return h
}

// readTranscript reads one transcript from its last position.
func readTranscript(ctx context.Context, format transcript.Format, path, sub string, kept []eventlog.Statement) (fresh []eventlog.Statement, more bool, err error) {
	file := eventlog.Digest(path)
	var from transcript.Mark
	// A growing record is written again: its stored parts are known.
	told := map[eventlog.Statement]bool{}
	for _, s := range kept {
		if s.File == file && s.Time > 0 {
			told[eventlog.Statement{Kind: s.Kind, Time: s.Time, From: s.From, Text: s.Text}] = true
		}
		if s.File == file && s.Kind == eventlog.StatementMark {
			from = transcript.Mark{Offset: s.At, Turn: s.Turn, Head: s.Head, HeadLen: s.Len}
		}
	}
	to, restarted, more, err := transcript.Read(ctx, format, path, from, maxTranscript, func(e transcript.Entry) {
		line := eventlog.Statement{Kind: string(e.Kind), File: file, Time: e.Time, Turn: e.Turn, From: cmp.Or(e.Agent, sub)}
		switch e.Kind {
		case transcript.Fetched:
			line.Text = e.Text
			fresh = append(fresh, line)
		case transcript.Ended:
			line.Call, line.Text = e.Call, event.ErrorSummary(secret.Mask(e.Text), maxEnded)
			fresh = append(fresh, line)
		case transcript.Said, transcript.Thought:
			for _, sentence := range wording.WeakSentences(e.Text) {
				line.Text = secret.Mask(sentence)
				fresh = append(fresh, line)
			}
		}
	})
	if err != nil || to == from && !restarted {
		return nil, more, err
	}
	if !restarted {
		fresh = slices.DeleteFunc(fresh, func(s eventlog.Statement) bool {
			return told[eventlog.Statement{Kind: s.Kind, Time: s.Time, From: s.From, Text: s.Text}]
		})
	} else {
		fresh = append([]eventlog.Statement{{Kind: eventlog.StatementRestart, File: file}}, fresh...)
	}
	return append(fresh, eventlog.Statement{Kind: eventlog.StatementMark, File: file, Turn: to.Turn, At: to.Offset, Head: to.Head, Len: to.HeadLen}), more, nil
}

// transcriptPath returns the agent's record of the conversation: the path that its hooks
// report, else the usual one below the home folder.
func transcriptPath(home string, a spec.Agent, records []eventlog.Record) string {
	for _, r := range slices.Backward(records) {
		if r.Transcript != "" && r.AgentID == "" && filepath.IsAbs(r.Transcript) {
			return r.Transcript
		}
	}
	session := records[0].Session
	if home == "" || session == "" || strings.ContainsAny(session, `/\`) || strings.Contains(session, "..") {
		return ""
	}
	if a.Transcript.Path == nil {
		return ""
	}
	return a.Transcript.Path(home, session)
}

// subagent returns the part of a file name that matches the star of a pattern.
func subagent(pattern, file string) string {
	before, after, _ := strings.Cut(path.Base(pattern), "*")
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), before), after)
}

// folded merges the events of a session and the statements of its transcripts in order of
// time. If a transcript has no times, a statement comes at the end of its turn, and
// untrusted text at its beginning, before anything that could rest on it.
func folded(root string, records []eventlog.Record, h transcriptLines) *observe.Fold {
	f := observe.New(root)
	if a, _ := agent.Lookup(records[0].Agent); a.Unseen && !h.whole {
		f.MarkUnseen()
	}
	results := map[string]string{} // of calls, by id: the error, "" for none
	for _, s := range h.list {
		if s.Kind == string(transcript.Ended) {
			results[s.Call] = s.Text
		}
	}
	m := newMerger(f, h.list)
	m.beginTurn()
	for _, r := range records {
		m.add(withResults(r, results))
	}
	m.end()
	if len(m.opens) == 0 {
		return f
	}
	// More turns than the hooks saw: their place is unknown.
	g := observe.New(root)
	g.MarkUnseen()
	for _, r := range records {
		g.Add(withResults(r, results))
	}
	return g
}

// merger adds the events of a session to a fold, and the statements of its transcripts where they belong.
type merger struct {
	fold          *observe.Fold
	timed         []eventlog.Statement         // in order of time, those that are left
	opens, closes map[int][]eventlog.Statement // without a time, of the beginning and the end of each turn
	turn          int
}

func newMerger(f *observe.Fold, list []eventlog.Statement) *merger {
	m := &merger{fold: f, opens: map[int][]eventlog.Statement{}, closes: map[int][]eventlog.Statement{}}
	for _, s := range list {
		switch {
		case s.Time > 0:
			m.timed = append(m.timed, s)
		case s.Kind == string(transcript.Fetched):
			m.opens[s.Turn] = append(m.opens[s.Turn], s)
		default:
			m.closes[s.Turn] = append(m.closes[s.Turn], s)
		}
	}
	sorting.StableFunc(m.timed, func(a, b eventlog.Statement) int { return cmp.Compare(a.Time, b.Time) })
	return m
}

// add adds an event, after the statements that come before it.
func (m *merger) add(r eventlog.Record) {
	for len(m.timed) > 0 && m.timed[0].Time <= r.Time {
		m.tell(m.timed[:1])
		m.timed = m.timed[1:]
	}
	if r.Kind != string(event.Prompt) || r.AgentID != "" {
		m.fold.Add(r)
		return
	}
	m.endTurn()
	m.turn++
	m.fold.Add(r)
	m.beginTurn()
}

func (m *merger) beginTurn() {
	m.tell(m.opens[m.turn])
	delete(m.opens, m.turn)
}

func (m *merger) endTurn() {
	m.tell(m.closes[m.turn])
	delete(m.closes, m.turn)
}

// end adds the statements after the last event.
func (m *merger) end() {
	m.tell(m.timed)
	m.endTurn()
	for _, t := range slices.Sorted(maps.Keys(m.closes)) {
		m.tell(m.closes[t])
	}
}

func (m *merger) tell(list []eventlog.Statement) {
	for _, s := range list {
		switch transcript.Kind(s.Kind) {
		case transcript.Fetched:
			m.fold.Taint()
		case transcript.Said, transcript.Thought:
			m.fold.AddStatement(s.From, s.Text)
		}
	}
}

// withResults adds the results of calls from the agent's own record to an event, by the
// calls' ids. The hooks of some agents are not told.
func withResults(r eventlog.Record, ended map[string]string) eventlog.Record {
	if len(ended) == 0 || r.Kind != string(event.PostTool) {
		return r
	}
	r.Calls = slices.Clone(r.Calls)
	for i, c := range r.Calls {
		if failed, ok := ended[c.ID]; ok && c.ID != "" {
			worked := failed == ""
			r.Calls[i].OK, r.Calls[i].Error = &worked, failed
		}
	}
	return r
}
