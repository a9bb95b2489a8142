package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"manicule/memory/file"
	"manicule/memory/thread"
)

// Statements about threads.
const (
	qThreadColumns = `SELECT uuid, kind, state, resolution, owner, branch, agent, session, version, json, created_ms, updated_ms FROM threads `
	qOpenThreads   = qThreadColumns + `WHERE root = ?1 AND state = 'open' ORDER BY updated_ms DESC, uuid DESC LIMIT ?2`
	qThreads       = qThreadColumns + `WHERE root = ?1 ORDER BY updated_ms DESC, uuid`
	qThread        = qThreadColumns + `WHERE (substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1) AND root = ?2 ORDER BY uuid LIMIT 10`
	qSameThread    = qThreadColumns + `WHERE root = ?1 AND dedupe_key = ?2 AND kind = ?3 AND state IN ('open', 'parked') ORDER BY uuid LIMIT 1`
	qPutThread     = `INSERT INTO threads (uuid, root, kind, state, resolution, owner, branch, agent, session, dedupe_key, version, json, created_ms, updated_ms)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?12, ?12)`
	qKeepThread = `INSERT OR IGNORE INTO thread_versions (uuid, version, state, resolution, owner, json, updated_ms)
		SELECT uuid, version, state, resolution, owner, json, updated_ms FROM threads WHERE uuid = ?1 AND version = ?2`
	qSetThread = `UPDATE threads SET state = ?3, resolution = ?4, owner = ?5, dedupe_key = ?6, json = ?7, version = version + 1, updated_ms = ?8
		WHERE uuid = ?1 AND version = ?2`
	qThreadVersions = `SELECT v.uuid, t.kind, v.state, v.resolution, v.owner, t.branch, t.agent, t.session, v.version, v.json, t.created_ms, v.updated_ms
		FROM thread_versions AS v JOIN threads AS t ON t.uuid = v.uuid WHERE v.uuid = ?1 ORDER BY v.version`
	qLastSession = `SELECT report FROM observer_sessions WHERE root = ?1 AND session <> ?2 AND tainted = 0 AND report IS NOT NULL ORDER BY ended_ms DESC, session DESC LIMIT 1`
)

// threadSchema is the first version of state.db with threads.
const threadSchema = 12

// ErrThreadChanged is returned if a thread was changed since it was read.
var ErrThreadChanged = errors.New("the thread was changed meanwhile")

// PutThread stores a new thread. If one that is not closed says the same, it is left as it is and
// returned with true.
func (s *State) PutThread(ctx context.Context, t thread.Thread) (now thread.Thread, same bool, err error) {
	data, err := t.Memory.Marshal()
	if err != nil {
		return t, false, err
	}
	at, key := s.now(), t.Memory.DedupeKey()
	t.Version, t.Created, t.Updated = 1, at, at
	err = s.do(ctx, func(tx *sql.Tx) error {
		var known []thread.Thread
		err := each(ctx, tx, "look for the same thread", qSameThread, []any{s.root, key, t.Kind}, func(rows *sql.Rows) error { return scanThread(rows, &known) })
		if err != nil {
			return err
		}
		if len(known) > 0 {
			t, same = known[0], true
			return nil
		}
		return exec(ctx, tx, "store a thread", qPutThread, t.Memory.UUID, s.root, t.Kind, t.State, t.Resolution, t.Owner, t.Branch, t.Agent, t.Session, key, data, at.UnixMilli())
	})
	return t, same, err
}

// SetThread stores the next version of a thread and keeps the one before it.
func (s *State) SetThread(ctx context.Context, t thread.Thread) (thread.Thread, error) {
	data, err := t.Memory.Marshal()
	if err != nil {
		return t, err
	}
	at := s.now()
	err = s.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "keep a thread's version", qKeepThread, t.Memory.UUID, t.Version); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, qSetThread, t.Memory.UUID, t.Version, t.State, t.Resolution, t.Owner, t.Memory.DedupeKey(), data, at.UnixMilli())
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

// Threads lists all threads, the latest change first.
func (s *State) Threads(ctx context.Context) ([]thread.Thread, error) {
	return s.threads(ctx, qThreads, s.root)
}

// OpenThreads lists the open threads, the latest change first.
func (s *State) OpenThreads(ctx context.Context) ([]thread.Thread, error) {
	return s.threads(ctx, qOpenThreads, s.root, maxOpenThreads)
}

// Thread returns the threads whose uuid is, starts with or ends with id, at most ten.
func (s *State) Thread(ctx context.Context, id string) ([]thread.Thread, error) {
	return s.threads(ctx, qThread, id, s.root)
}

// ThreadVersions lists the versions of a thread before the present one, oldest first.
func (s *State) ThreadVersions(ctx context.Context, uuid string) ([]thread.Thread, error) {
	return s.threads(ctx, qThreadVersions, uuid)
}

func (s *State) threads(ctx context.Context, query string, args ...any) (out []thread.Thread, err error) {
	err = s.query(ctx, query, args, func(rows *sql.Rows) error { return scanThread(rows, &out) })
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
	var f *thread.From
	var list []thread.Thread
	read := map[bool]int{} // by whether it is of the branch
	err = scan(ctx, o.db, qOpenThreads, []any{o.root, maxOpenThreads}, func(rows *sql.Rows) error {
		t, text, err := scanThreadRow(rows)
		if err != nil {
			return err
		}
		if f == nil {
			now := from()
			f = &now
		}
		own := t.Branch != "" && t.Branch == f.Branch
		switch {
		case !f.Concerns(&t):
		case read[own] >= maxWoken:
			out.More++
		case text.into(&t):
			read[own]++
			list = append(list, t)
		}
		return nil
	})
	if f != nil {
		out.Threads = f.Waiting(list)
	}
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
	if o.db == nil || o.schema < threadSchema {
		return last, false, nil
	}
	err = scan(ctx, o.db, qLastSession, []any{o.root, but}, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		last, ok = lastSession(data)
		return nil
	})
	return last, ok, err
}

// lastSession sums up a report; false for a damaged one.
func lastSession(report []byte) (thread.LastSession, bool) {
	var o Observation
	if err := json.Unmarshal(report, &o); err != nil {
		return thread.LastSession{}, false
	}
	out := thread.LastSession{Session: o.Session, Agent: o.Agent, Ended: time.UnixMilli(o.Ended).UTC()}
	slices.SortFunc(o.Files, func(a, b ObservedFile) int { return cmp.Or(cmp.Compare(b.Edits, a.Edits), cmp.Compare(a.Path, b.Path)) })
	for _, f := range o.Files {
		if f.Edits > 0 && len(out.Edited) < maxLastFiles {
			out.Edited = append(out.Edited, f.Path)
		}
	}
	slices.SortFunc(o.Commands, func(a, b ObservedCommand) int {
		return cmp.Or(cmp.Compare(b.Fails, a.Fails), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range o.Commands {
		if c.Fails > 0 && c.Fails == c.Runs && len(out.Failed) < maxLastCommands {
			out.Failed = append(out.Failed, c.Key)
		}
	}
	return out, true
}

// Wake returns what a new session is told. from is called only if a thread waits, since it reads
// git. but is the new session's id. Without an open thread the last session is read only if always.
func (o *ObserverReader) Wake(ctx context.Context, from func() thread.From, but string, always bool) (thread.Bundle, error) {
	out, err := o.waiting(ctx, from)
	if err != nil {
		return out, err
	}
	if len(out.Threads) == 0 && !always {
		return out, nil
	}
	last, ok, err := o.LastSession(ctx, but)
	if ok {
		out.Last = &last
	}
	return out, err
}
