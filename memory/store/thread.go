package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// Statements about threads.
const (
	qThreadColumns = `SELECT uuid, kind, state, resolution, owner, branch, agent, session, version, json, created_ms, updated_ms FROM threads `
	qOpenThreads   = qThreadColumns + `WHERE root = ?1 AND state = 'open' ORDER BY updated_ms DESC, uuid DESC LIMIT ?2`
	qAnyWaits      = `SELECT 1 FROM threads WHERE root = ?1 AND state = 'open' AND tainted = 0 LIMIT 1`
	qWaiting       = qThreadColumns + `WHERE root = ?1 AND state = 'open' AND tainted = 0 AND branch IN ('', ?2, ?3)
		ORDER BY updated_ms DESC, uuid DESC LIMIT ?4`
	qThreads = qThreadColumns + `WHERE root = ?1 ORDER BY updated_ms DESC, uuid`
	// What nobody wrote is of a session, and says so in its text: parsing the others takes longer than all else at the end of a
	// session. The rows are read as they lie (+root): most are of this root, and an index leads to them in another order.
	qObservedOrOf = qThreadColumns + `WHERE +root = ?1 AND session <> '' AND instr(json, '"observer_inferred"') > 0 AND (state = 'open' OR session = ?2) ORDER BY uuid`
	// The ids are looked through in their index, without the rows, which an index of roots (+root) would lead to.
	qThread     = qThreadColumns + `WHERE uuid IN (SELECT uuid FROM threads WHERE substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1) AND +root = ?2 ORDER BY uuid LIMIT 10`
	qSameThread = qThreadColumns + `WHERE root = ?1 AND dedupe_key = ?2 AND kind = ?3 AND branch = ?4 AND tainted <= ?5 AND state = 'open'
		ORDER BY tainted, uuid LIMIT 1`
	qCountOfAgents = `SELECT count(*) FROM threads WHERE root = ?1 AND state = 'open' AND branch = ?2 AND agent <> ''`
	qDropVersions  = `DELETE FROM thread_versions WHERE uuid IN (SELECT uuid FROM threads WHERE root = ?1 AND state IN ('resolved', 'done') AND updated_ms < ?2)`
	qDropClosed    = `DELETE FROM threads WHERE root = ?1 AND state IN ('resolved', 'done') AND updated_ms < ?2`
	qPutThread     = `INSERT INTO threads (uuid, root, kind, state, resolution, owner, branch, agent, session, tainted, dedupe_key, version, json, created_ms, updated_ms)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 1, ?12, ?13, ?13)`
	qKeepThread = `INSERT OR IGNORE INTO thread_versions (uuid, version, state, resolution, owner, json, updated_ms)
		SELECT uuid, version, state, resolution, owner, json, updated_ms FROM threads WHERE uuid = ?1 AND version = ?2`
	qSetThread = `UPDATE threads SET state = ?3, resolution = ?4, owner = ?5, tainted = ?6, dedupe_key = ?7, json = ?8, version = version + 1, updated_ms = ?9, branch = ?10, agent = ?11
		WHERE uuid = ?1 AND version = ?2`
	qThreadVersions = `SELECT v.uuid, t.kind, v.state, v.resolution, v.owner, t.branch, t.agent, t.session, v.version, v.json, t.created_ms, v.updated_ms
		FROM thread_versions AS v JOIN threads AS t ON t.uuid = v.uuid WHERE v.uuid = ?1 ORDER BY v.version`
	qInherited   = `SELECT report FROM observer_sessions WHERE root = ?1 AND session <> ?3 AND report IS NOT NULL ORDER BY ended_ms DESC, session DESC LIMIT ?2`
	qLastSession = `SELECT report, coalesce((SELECT json FROM episodes AS e WHERE e.root = ?1 AND e.session = o.session), x'7b7d') FROM observer_sessions AS o WHERE root = ?1 AND session <> ?2 AND tainted = 0 AND report IS NOT NULL ORDER BY ended_ms DESC, session DESC LIMIT 1`
)

// threadSchema is the first version of state.db with threads.
const threadSchema = 12

// episodeSchema is the first version of state.db with episodes.
const episodeSchema = 14

// ErrThreadChanged is returned if a thread was changed since it was read.
var ErrThreadChanged = errors.New("the thread was changed meanwhile")

// ErrTooManyThreads is returned if agents have left as many open threads on a branch as they may.
var ErrTooManyThreads = errors.New("agents have left too many open threads on this branch")

// maxOfAgents is how many open threads agents may leave on a branch. A list that nobody reads helps
// no session.
const maxOfAgents = 60

// closedKept is how long a closed thread is kept.
const closedKept = 180 * 24 * time.Hour

// Threads are what sessions of a workspace left for the next ones: the tables threads and thread_versions.
type Threads struct{ state *State }

// Threads returns the threads of the workspace.
func (s *State) Threads() Threads { return Threads{s} }

// Put stores a new thread. If an open one of its branch says the same, it is left as it is
// and returned with true; one that may come from strangers stands only for another such. It drops
// threads that have been closed for closedKept.
func (s Threads) Put(ctx context.Context, t thread.Thread) (now thread.Thread, same bool, err error) {
	data, err := t.Memory.Marshal()
	if err != nil {
		return t, false, err
	}
	at, key := s.state.now(), t.Memory.DedupeKey()
	t.Version, t.Created, t.Updated = 1, at, at
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		var known []thread.Thread
		err := each(ctx, tx, "look for the same thread", qSameThread, []any{s.state.root, key, t.Kind, t.Branch, t.Memory.Trust.Tainted}, func(rows *sql.Rows) error { return scanThread(rows, &known) })
		if err != nil {
			return err
		}
		if len(known) > 0 {
			t, same = known[0], true
			return nil
		}
		if t.Agent != "" {
			var n int
			if err := tx.QueryRowContext(ctx, qCountOfAgents, s.state.root, t.Branch).Scan(&n); err != nil {
				return fmt.Errorf("count the threads of agents: %w", err)
			}
			if n >= maxOfAgents {
				return ErrTooManyThreads
			}
		}
		old := at.Add(-closedKept).UnixMilli()
		if err := exec(ctx, tx, "drop versions of old threads", qDropVersions, s.state.root, old); err != nil {
			return err
		}
		if err := exec(ctx, tx, "drop old threads", qDropClosed, s.state.root, old); err != nil {
			return err
		}
		return exec(ctx, tx, "store a thread", qPutThread, t.Memory.UUID, s.state.root, t.Kind, t.State, t.Resolution, t.Owner, t.Branch, t.Agent, t.Session, t.Memory.Trust.Tainted, key, data, at.UnixMilli())
	})
	return t, same, err
}

// Set stores the next version of a thread and keeps the one before it.
func (s Threads) Set(ctx context.Context, t thread.Thread) (thread.Thread, error) {
	data, err := t.Memory.Marshal()
	if err != nil {
		return t, err
	}
	at := s.state.now()
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "keep a thread's version", qKeepThread, t.Memory.UUID, t.Version); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, qSetThread, t.Memory.UUID, t.Version, t.State, t.Resolution, t.Owner, t.Memory.Trust.Tainted, t.Memory.DedupeKey(), data, at.UnixMilli(), t.Branch, t.Agent)
		if err != nil {
			return fmt.Errorf("change a thread: %w", err)
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrThreadChanged)
		}
		return nil
	})
	t.Version, t.Updated = t.Version+1, at
	return t, err
}

// All lists all threads, the latest change first.
func (s Threads) All(ctx context.Context) ([]thread.Thread, error) {
	return s.list(ctx, qThreads, s.state.root)
}

// Open lists the open threads, the latest change first.
func (s Threads) Open(ctx context.Context) ([]thread.Thread, error) {
	return s.list(ctx, qOpenThreads, s.state.root, maxListedThreads)
}

// Observed lists the threads that nobody wrote: those that are open, and all that a session left.
func (s Threads) Observed(ctx context.Context, session string) ([]thread.Thread, error) {
	return s.list(ctx, qObservedOrOf, s.state.root, session)
}

// Find returns the threads that id is short for, at most ten.
func (s Threads) Find(ctx context.Context, id string) ([]thread.Thread, error) {
	return s.list(ctx, qThread, id, s.state.root)
}

// maxTold is how many of the latest sessions are asked what they were told.
const maxTold = 200

// Unanswered counts, by the short ids of threads, the latest sessions that were told of one and left
// it without a word.
func (s Threads) Unanswered(ctx context.Context) (map[string]int, error) {
	return s.left(ctx, "", func([]InheritedThread) bool { return true })
}

// PassedOver is Unanswered without the sessions that settled another of the threads that they were told of, and went on with that
// list, and without the one whose id is beside.
func (s Threads) PassedOver(ctx context.Context, beside string) (map[string]int, error) {
	return s.left(ctx, beside, func(told []InheritedThread) bool {
		return !slices.ContainsFunc(told, func(t InheritedThread) bool {
			return t.Answered && (t.State == string(thread.StateDone) || t.State == string(thread.StateResolved))
		})
	})
}

// left counts, by the short ids of threads, the latest sessions that left one without a word, of those whose threads count.
func (s Threads) left(ctx context.Context, beside string, counts func(told []InheritedThread) bool) (map[string]int, error) {
	out := map[string]int{}
	err := s.state.db.query(ctx, qInherited, []any{s.state.root, maxTold, beside}, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		var o struct {
			Inherited []InheritedThread `json:"inherited"`
		}
		if json.Unmarshal(data, &o) != nil || !counts(o.Inherited) {
			return nil // a damaged report counts nothing
		}
		for _, t := range o.Inherited {
			if !t.Answered {
				out[t.ID]++
			}
		}
		return nil
	})
	return out, err
}

// Versions lists the versions of a thread before the present one, oldest first.
func (s Threads) Versions(ctx context.Context, uuid string) ([]thread.Thread, error) {
	return s.list(ctx, qThreadVersions, uuid)
}

func (s Threads) list(ctx context.Context, query string, args ...any) (out []thread.Thread, err error) {
	err = s.state.db.query(ctx, query, args, func(rows *sql.Rows) error { return scanThread(rows, &out) })
	return out, err
}

// scanThread appends a row to a list. It skips a damaged text.
func scanThread(rows *sql.Rows, out *[]thread.Thread) error {
	t, text, err := scanThreadRow(rows)
	if err == nil && text.into(&t) {
		*out = append(*out, t)
	}
	return err
}

// threadText is the text of a thread, which takes the longest to read.
type threadText struct {
	uuid string
	json []byte
}

// into sets the text of a thread; false for a damaged one, which must not hide the others.
func (x threadText) into(t *thread.Thread) bool {
	m, err := file.Parse(x.json)
	t.Memory = m
	return err == nil && m.UUID == x.uuid
}

// scanThreadRow reads a row without its text.
func scanThreadRow(rows *sql.Rows) (t thread.Thread, x threadText, err error) {
	var created, updated int64
	err = rows.Scan(&x.uuid, &t.Kind, &t.State, &t.Resolution, &t.Owner, &t.Branch, &t.Agent, &t.Session, &t.Version, &x.json, &created, &updated)
	t.Created, t.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	return t, x, err
}

// maxListedThreads bounds the open threads that an editor shows, of all branches.
const maxListedThreads = 2000

// maxOpenThreads bounds the threads that a session's start reads.
const maxOpenThreads = 200

// maxWoken bounds the threads of the branch, and those of the project, whose texts a session's start
// reads. More don't fit what it is told.
const maxWoken = 12

// waiting returns the open threads that concern a session, the latest of them with their texts.
func (o *ObserverReader) waiting(ctx context.Context, from func() thread.From) (out thread.Bundle, err error) {
	if o.db == nil || o.schema < threadSchema {
		return out, nil
	}
	waits := false
	err = scan(ctx, o.db, qAnyWaits, []any{o.root}, func(*sql.Rows) error { waits = true; return nil })
	if err != nil || !waits {
		return out, err
	}
	f := from()
	var list []thread.Thread
	read := map[bool]int{} // by whether it is of the branch
	err = scan(ctx, o.db, qWaiting, []any{o.root, f.Branch, f.Default, maxOpenThreads}, func(rows *sql.Rows) error {
		t, text, err := scanThreadRow(rows)
		if err != nil {
			return err
		}
		own := t.Branch != "" && t.Branch == f.Branch
		switch {
		case read[own] >= maxWoken:
			out.More++
		case text.into(&t):
			read[own]++
			list = append(list, t)
		}
		return nil
	})
	out.Threads = f.Waiting(list)
	return out, err
}

// The lists of a last session are short: they are read in a line.
const (
	maxLastFiles    = 4
	maxLastCommands = 2
)

// LastSession returns what the latest session but one did. Sessions that followed untrusted text
// are left out. ok is false if there is none, or its report is gone.
func (o *ObserverReader) LastSession(ctx context.Context, but string) (last thread.LastSession, ok bool, err error) {
	if o.db == nil || o.schema < episodeSchema {
		return last, false, nil
	}
	err = scan(ctx, o.db, qLastSession, []any{o.root, but}, func(rows *sql.Rows) error {
		var data, record []byte
		if err := rows.Scan(&data, &record); err != nil {
			return err
		}
		if last, ok = lastSession(data); ok {
			var e episode.Episode
			if json.Unmarshal(record, &e) == nil && !e.Fallback {
				last.Task, last.Outcome, last.Evidence = e.Task, e.Outcome, strings.Join(e.Evidence, "; ")
			}
		}
		return nil
	})
	if err != nil || !ok {
		return last, ok, err
	}
	h, err := o.header(ctx, last.Session)
	last.Task, last.Summary = cmp.Or(h.Intent, h.Title, last.Task), h.Summary
	return last, ok, err
}

// lastSession sums up a report; false for a damaged one.
func lastSession(report []byte) (thread.LastSession, bool) {
	var o Observation
	if err := json.Unmarshal(report, &o); err != nil {
		return thread.LastSession{}, false
	}
	out := thread.LastSession{Session: o.Session, Agent: o.Agent, Branch: o.Work.Branch, Ended: time.UnixMilli(o.Ended).UTC()}
	sorting.Func(o.Files, func(a, b ObservedFile) int { return cmp.Or(cmp.Compare(b.Edits, a.Edits), cmp.Compare(a.Path, b.Path)) })
	for _, f := range o.Files {
		if f.Edits > 0 && len(out.Edited) < maxLastFiles {
			out.Edited = append(out.Edited, f.Path)
		}
	}
	sorting.Func(o.Commands, func(a, b ObservedCommand) int {
		return cmp.Or(cmp.Compare(b.Fails, a.Fails), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range o.Commands {
		// What Manicule refused is no state of the work.
		if c.Fails > 0 && c.Fails == c.Runs && len(out.Failed) < maxLastCommands && c.Key != "manicule" && !strings.HasPrefix(c.Key, "manicule ") {
			out.Failed = append(out.Failed, c.Key)
		}
	}
	return out, true
}

// Wake returns what a new session is told. from is called only if a thread waits or the last session is read, since it reads
// git. but is the new session's id, shared are the threads that files share. Without an open thread the last session is told only if
// always, or if somebody wrote what came of it.
func (o *ObserverReader) Wake(ctx context.Context, from func() thread.From, but string, shared []thread.Thread, always bool) (thread.Bundle, error) {
	from = sync.OnceValue(from)
	out, err := o.waiting(ctx, from)
	if err != nil {
		return out, err
	}
	if len(shared) > 0 {
		out.Threads = from().Waiting(thread.WithShared(out.Threads, shared))
	}
	if len(out.Threads) == 0 && !always {
		if found, err := o.anyHeader(ctx); !found || err != nil {
			return out, err
		}
	}
	last, ok, err := o.LastSession(ctx, but)
	if ok && (always || len(out.Threads) > 0 || last.Summary != "") {
		if last.Branch == from().Branch { // elsewhere is worth saying: what it edited is not here
			last.Branch = ""
		}
		out.Last = &last
	}
	return out, err
}
