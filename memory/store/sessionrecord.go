package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"manicule/memory/episode"
	"manicule/memory/record"
)

// Statements about the records of sessions: what was observed of each, with its episode. An episode
// is kept longer than the report, so that the task outlives the rest.
const (
	qSessionColumns = `SELECT o.session, o.agent, o.kind, o.started_ms, o.ended_ms, o.tainted, coalesce(o.report, x''),
		coalesce((SELECT e.json FROM episodes AS e WHERE e.root = ?1 AND e.session = o.session), x''),
		coalesce((SELECT r.content FROM records AS r WHERE r.root = ?1 AND r.kind = 'header' AND r.agent = '' AND r.name = o.session AND r.tainted = 0 ORDER BY r.version DESC LIMIT 1), '') FROM observer_sessions AS o `
	qSessionRecords  = qSessionColumns + `WHERE o.root = ?1 ORDER BY o.ended_ms DESC, o.session DESC LIMIT ?2`
	qSessionRecordOf = qSessionColumns + `WHERE o.root = ?1 AND substr(o.session, 1, length(?2)) = ?2 ORDER BY o.session = ?2 DESC, o.ended_ms DESC, o.session DESC LIMIT ?3`
	qSessionsOfWork  = `SELECT session FROM episodes WHERE root = ?1 AND json_extract(json, '$.work') = ?2 ORDER BY ended_ms DESC, session DESC LIMIT 100`
)

// OfWork lists the latest sessions that were about a unit of work, newest first.
func (s Sessions) OfWork(ctx context.Context, key string) ([]string, error) {
	out := []string{}
	err := s.state.db.query(ctx, qSessionsOfWork, []any{s.state.root, key}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// maxSameBeginning bounds the sessions whose ids begin alike.
const maxSameBeginning = 10

// SessionRecord is what is kept of an agent's session for the sessions after it.
type SessionRecord struct {
	Session, Agent, Kind string
	Started, Ended       time.Time
	// Tainted is set if the session read text from outside, so that every text here may be a stranger's.
	Tainted bool
	Title   string // what it was for, "" if the log does not tell
	// Intent and Summary are what its agent or a person says that it was for and what came of it, "" for nothing.
	Intent, Summary string
	Outcome         episode.Outcome
	Edited          []string // files
	Failed          []string // commands that failed at every run
	// Left is what it left unfinished. It is empty if the session was tainted.
	Left ObservedWork
	// Inherited are the threads that it was told of, as it left them.
	Inherited []InheritedThread
	// Episode is how the session went, empty if none is kept.
	Episode episode.Episode
	// OnlyMemories is set if nothing happened but that memories were kept, looked up or forgotten.
	OnlyMemories bool
	// Dropped is set if the report is gone with its log: Failed and Left are not known any more.
	Dropped bool
}

// Records returns the records of the latest sessions, newest first.
func (s Sessions) Records(ctx context.Context, limit int) ([]SessionRecord, error) {
	return s.records(ctx, qSessionRecords, s.state.root, limit)
}

// RecordsOf returns the records of the sessions whose id begins with a text, at most 10. One
// with this very id is the first.
func (s Sessions) RecordsOf(ctx context.Context, session string) ([]SessionRecord, error) {
	return s.records(ctx, qSessionRecordOf, s.state.root, session, maxSameBeginning)
}

func (s Sessions) records(ctx context.Context, query string, args ...any) ([]SessionRecord, error) {
	return list(ctx, s.state, query, args, func(rows *sql.Rows, r *SessionRecord) error {
		var started, ended int64
		var report, episode []byte
		var header string
		if err := rows.Scan(&r.Session, &r.Agent, &r.Kind, &started, &ended, &r.Tainted, &report, &episode, &header); err != nil {
			return err
		}
		r.Started, r.Ended = time.UnixMilli(started).UTC(), time.UnixMilli(ended).UTC()
		r.fromEpisode(episode)
		r.fromReport(report)
		h := (&record.Record{Kind: record.Header, Content: []byte(header)}).SessionHeader()
		r.Title, r.Intent, r.Summary = cmp.Or(h.Title, r.Title), h.Intent, h.Summary
		return nil
	})
}

// fromEpisode fills in what the episode tells. A damaged one must not hide the other sessions.
func (r *SessionRecord) fromEpisode(data []byte) {
	var e episode.Episode
	if len(data) == 0 || json.Unmarshal(data, &e) != nil {
		return
	}
	r.Title, r.Outcome, r.Edited, r.Episode = e.Task, e.Outcome, e.Edited, e
	r.Tainted = r.Tainted || e.Tainted
}

// fromReport fills in what only the report tells.
func (r *SessionRecord) fromReport(data []byte) {
	var o Observation
	if len(data) == 0 || json.Unmarshal(data, &o) != nil {
		r.Dropped = true
		return
	}
	r.Tainted = r.Tainted || o.Tainted
	for _, c := range o.Commands {
		if c.Fails > 0 && c.Fails == c.Runs {
			r.Failed = append(r.Failed, c.Key)
		}
	}
	if !r.Tainted {
		r.Left = o.Work
	}
	r.Inherited, r.OnlyMemories = o.Inherited, o.OnlyMemories
	if r.Title != "" {
		return
	}
	for _, f := range o.Files { // a session from before there were episodes
		if f.Edits > 0 {
			r.Edited = append(r.Edited, f.Path)
		}
	}
}
