// Package activity reports agents' sessions in a workspace, past and live: what an
// agent was shown, what the observer learned, and when a session ended. It reads the
// files that hooks write and writes nothing. It must not know agents' formats,
// editors or SQL.
package activity

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/store"
)

// The kinds of an Entry.
const (
	Shown   = "shown"
	Learned = "learned"
	Written = "written"
	Ended   = "ended"
)

// Entry is one thing that happened in a session.
type Entry struct {
	At      time.Time
	Session string
	Agent   string
	Memory  string // uuid, or ""
	What    string
	Kind    string
}

// Summary summarizes a session.
type Summary struct {
	Session, Agent string
	Started, Ended time.Time // Ended is the time of the last event if the session has not reported its end
	Used           []string  // uuids of the memories that it was shown, in that order
	Learned        []string  // uuids of its pending candidates, best first
	Balance        ledger.Balance
}

// Sessions are those of one workspace. It is safe for concurrent use.
type Sessions struct {
	memories *memory.Workspace
	options  Options
	tail     *tail // used by Watch
}

// Options say how sessions are followed. A zero field selects its default.
type Options struct {
	// LearnWithin bounds the wait until an ended session is learned from, LookEvery is the
	// interval of the checks.
	LearnWithin, LookEvery time.Duration
}

// New returns the sessions of a workspace. Watch reports everything that is appended to
// their logs from now on.
func New(w *memory.Workspace, o Options) *Sessions {
	if o.LearnWithin <= 0 {
		o.LearnWithin = 3 * time.Second
	}
	if o.LookEvery <= 0 {
		o.LookEvery = 100 * time.Millisecond
	}
	s := &Sessions{memories: w, options: o}
	s.tail = &tail{sessions: s, at: map[string]int64{}, begun: map[string]bool{}}
	s.tail.start()
	return s
}

// dir returns the folder of the logs.
func (s *Sessions) dir() string { return s.memories.Place().StateDir() }

// here reports whether a session began below the workspace. Worktrees of a repository
// share their logs.
func (s *Sessions) here(first eventlog.Record) bool {
	if first.CWD == "" {
		return true // the agent doesn't report it
	}
	dir, root := workspace.RealPath(first.CWD), s.memories.Root()
	return dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))
}

// session is one log, reduced to its first and last record.
type session struct {
	log         eventlog.Log
	first, last eventlog.Record
}

// id returns the session's own id.
func (s session) id() string { return cmp.Or(s.first.Session, s.last.Session) }

// sessions lists the logs of the workspace, newest first.
func (s *Sessions) sessions() ([]session, error) {
	logs, err := eventlog.Logs(s.dir())
	if err != nil {
		return nil, err
	}
	var out []session
	for _, l := range slices.Backward(logs) {
		first, last, ok := eventlog.FirstAndLast(s.dir(), l.Name)
		if ok && cmp.Or(first.Session, last.Session) != "" && s.here(first) {
			out = append(out, session{l, first, last})
		}
	}
	return out, nil
}

// Log lists the entries of all sessions in the workspace, newest first, at most limit.
func (s *Sessions) Log(ctx context.Context, limit int) ([]Entry, error) {
	list, err := s.sessions()
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	known := s.digests()
	var out []Entry
	agents := map[string]string{}
	for _, x := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		agents[x.id()] = x.first.Agent
		if len(out) >= limit && x.log.Written.Before(oldest(out, limit)) {
			continue // none of its entries can be among the newest
		}
		if x.last.Kind == string(event.SessionEnd) {
			out = append(out, Entry{At: at(x.last), Session: x.id(), Agent: x.first.Agent, What: "the session ended", Kind: Ended})
		}
		told, err := s.shownEntries(x, known)
		if err != nil {
			return nil, err
		}
		out = append(out, told...)
	}
	made, err := s.learnedEntries(ctx, agents)
	if err != nil {
		return nil, err
	}
	out = append(out, made...)
	sorting.StableFunc(out, func(a, b Entry) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Memory, b.Memory))
	})
	return out[:min(limit, len(out))], nil
}

// oldest returns the time of the last entry within the limit.
func oldest(list []Entry, limit int) time.Time {
	times := make([]time.Time, len(list))
	for i, e := range list {
		times[i] = e.At
	}
	sorting.Func(times, func(a, b time.Time) int { return b.Compare(a) })
	return times[limit-1]
}

func at(r eventlog.Record) time.Time { return time.UnixMilli(r.Time).UTC() }

// digestedMemory is a memory that a dedupe file may refer to.
type digestedMemory struct {
	memory *file.Memory
	full   bool // quoted in full, not only counted
}

// digests returns the workspace's memories by the digests of their dedupe keys.
func (s *Sessions) digests() map[string]digestedMemory {
	all := s.memories.View().All()
	out := make(map[string]digestedMemory, 2*len(all))
	for _, h := range all {
		out[eventlog.Digest(h.Memory.UUID)] = digestedMemory{h.Memory, false}
		out[eventlog.Digest(eventlog.QuotedKey(h.Memory.UUID))] = digestedMemory{h.Memory, true}
	}
	return out
}

// shownEntries returns the memories that were shown to a session's agents, one entry for each
// memory and time. Memories forgotten since are left out.
func (s *Sessions) shownEntries(x session, known map[string]digestedMemory) ([]Entry, error) {
	list, err := eventlog.ClaimsIn(s.dir(), x.log.Name)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, t := range list {
		for _, k := range t.Keys {
			d, ok := known[k]
			if !ok {
				continue
			}
			e := Entry{At: t.Time, Session: x.id(), Agent: x.first.Agent, Memory: d.memory.UUID, What: d.memory.What, Kind: Shown}
			same := func(o Entry) bool { return o.Memory == e.Memory && o.At.Equal(e.At) }
			if !slices.ContainsFunc(out, same) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// learnedEntries returns the memories and candidates that came from sessions.
func (s *Sessions) learnedEntries(ctx context.Context, agents map[string]string) ([]Entry, error) {
	waiting, err := s.memories.Drafts().Candidates(ctx)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, c := range waiting {
		if c.Session == "" {
			continue
		}
		e := Entry{At: c.Memory.CreatedAt.UTC(), Session: c.Session, Agent: cmp.Or(agents[c.Session], c.Tool), Memory: c.Memory.UUID, What: c.Memory.What, Kind: Written}
		if c.Status == store.StatusCandidate {
			e.Kind = Learned
		}
		out = append(out, e)
	}
	for _, h := range s.memories.View().All() {
		p := h.Memory.Provenance
		if p == nil || p.Session == nil || *p.Session == "" {
			continue
		}
		e := Entry{At: h.Memory.CreatedAt.UTC(), Session: *p.Session, Agent: agents[*p.Session], Memory: h.Memory.UUID, What: h.Memory.What, Kind: Written}
		if h.Memory.Trust.Origin == file.ObserverInferred {
			e.Kind = Learned
		}
		out = append(out, e)
	}
	return out, nil
}

// Summary summarizes a session. It is false if there is no log of it.
func (s *Sessions) Summary(ctx context.Context, id string) (Summary, bool, error) {
	name := eventlog.SafeName(id)
	first, last, ok := eventlog.FirstAndLast(s.dir(), name)
	if !ok || !s.here(first) {
		return Summary{}, false, nil
	}
	x := session{eventlog.Log{Name: name}, first, last}
	out := Summary{Session: x.id(), Agent: first.Agent, Started: at(first), Ended: at(last)}
	known := s.digests()
	list, err := eventlog.ClaimsIn(s.dir(), name)
	if err != nil {
		return out, false, err
	}
	counted, quoted := map[string]bool{}, 0
	for _, t := range list {
		for _, k := range t.Keys {
			d, ok := known[k]
			if !ok {
				continue
			}
			if d.full && !counted[d.memory.UUID] {
				counted[d.memory.UUID] = true
				quoted += tokens(d.memory.What) + tokens(d.memory.Why)
			}
			if !slices.Contains(out.Used, d.memory.UUID) {
				out.Used = append(out.Used, d.memory.UUID)
			}
		}
	}
	if out.Balance, err = s.balance(ctx, name, out.Session, quoted); err != nil {
		return out, false, err
	}
	waiting, err := s.memories.Drafts().Candidates(ctx)
	if err != nil {
		return out, false, err
	}
	for _, c := range waiting {
		if c.Session == out.Session {
			out.Learned = append(out.Learned, c.Memory.UUID)
		}
	}
	return out, true, nil
}

// balance returns what a session was told and saved. The tokens come from the ledger's file, because a session that goes on is not
// in its tables yet, and a nudge that counts memories quotes none; older versions kept none, so they are at least those of what was quoted.
func (s *Sessions) balance(ctx context.Context, log, session string, quoted int) (ledger.Balance, error) {
	place := s.memories.Place()
	_, answers, err := ledger.Read(place.StateDir(), log, place.GitPrefix())
	if err != nil {
		return ledger.Balance{}, fmt.Errorf("read what session %s was shown: %w", session, err)
	}
	b, err := ledger.BalanceOf(ctx, s.memories.State(), session)
	b.Tokens = max(b.Tokens, answers.Tokens, quoted)
	return b, err
}

// tokens estimates the number of tokens of a text: a quarter of its characters, rounded
// up.
func tokens(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }
