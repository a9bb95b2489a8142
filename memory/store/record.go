package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"manicule/memory/record"
)

// Statements about records.
const (
	qRecordColumns = `SELECT lineage, version, kind, agent, name, parent, type, author, tags, content, tainted, at_ms FROM records AS r `
	qLatestRecord  = `version = (SELECT max(version) FROM records AS v WHERE v.lineage = r.lineage) `
	qRecords       = qRecordColumns + `WHERE root = ?1 AND kind = ?2 AND (?3 = '*' OR agent IN (?3, '')) AND ` + qLatestRecord + `ORDER BY agent, name, lineage`
	qRecordNamed   = qRecordColumns + `WHERE root = ?1 AND kind = ?2 AND agent = ?3 AND name = ?4 AND ` + qLatestRecord + `LIMIT 1`
	qRecordVersion = qRecordColumns + `WHERE (substr(lineage, 1, length(?1)) = ?1 OR substr(lineage, -length(?1)) = ?1 OR substr(lineage, -8, length(?1)) = ?1) AND root = ?2 ORDER BY lineage, version DESC LIMIT 200`
	qEntries       = qRecordColumns + `WHERE parent = ?1 ORDER BY at_ms, lineage`
	qPutRecord     = `INSERT INTO records (lineage, version, root, kind, agent, name, parent, type, author, tags, content, tainted, at_ms)
		VALUES (?1, 1 + coalesce((SELECT max(version) FROM records WHERE lineage = ?1), 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`
	qTalks = `SELECT r.lineage, count(e.lineage), coalesce(max(e.at_ms), r.at_ms) FROM records AS r LEFT JOIN records AS e ON e.parent = r.lineage
		WHERE r.root = ?1 AND r.kind = 'conversation' AND r.` + qLatestRecord + `GROUP BY r.lineage`
	// qAnyHeader is what most starts of a session read of headers: there is none.
	qAnyHeader    = `SELECT 1 FROM records WHERE root = ?1 AND kind = 'header' LIMIT 1`
	qEraseRecords = `DELETE FROM records`
)

// recordSchema is the first version of state.db with records.
const recordSchema = 17

// Records are what agents of a workspace keep beside memories: the table records.
type Records struct{ state *State }

// Records returns the records of the workspace.
func (s *State) Records() Records { return Records{s} }

// Put stores a record as the next version of its lineage.
func (s Records) Put(ctx context.Context, r record.Record) (record.Record, error) {
	r.At = s.state.now()
	err := s.state.db.do(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, &r) })
	return r, err
}

// Change stores what a function makes of everybody's record with a name, as its next version, in one transaction with reading it. The
// function gets a record with a kind and a name alone if there is none. What it leaves as it is gets no version.
func (s Records) Change(ctx context.Context, kind record.Kind, name string, change func(record.Record) (record.Record, error)) (r record.Record, err error) {
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		var found []record.Record
		if err := scan(ctx, tx, qRecordNamed, []any{s.state.root, string(kind), "", name}, func(rows *sql.Rows) error { return scanRecord(rows, &found) }); err != nil {
			return err
		}
		old := record.Record{Kind: kind, Name: name}
		if len(found) > 0 {
			old = found[0]
		}
		if r, err = change(old); err != nil || string(r.Content) == string(old.Content) {
			return err
		}
		r.At = s.state.now()
		return s.insert(ctx, tx, &r)
	})
	return r, err
}

// insert stores a record as the next version of its lineage, and sets the version.
func (s Records) insert(ctx context.Context, tx *sql.Tx, r *record.Record) error {
	tags, err := json.Marshal(append([]string{}, r.Tags...))
	if err != nil {
		return fmt.Errorf("encode the tags of a record: %w", err)
	}
	err = exec(ctx, tx, "store a record", qPutRecord, r.Lineage, s.state.root, string(r.Kind), r.Agent, r.Name, r.Parent, r.Type, r.Author, string(tags), string(r.Content), r.Tainted, r.At.UnixMilli())
	if err != nil {
		return err
	}
	return tx.QueryRowContext(ctx, `SELECT max(version) FROM records WHERE lineage = ?1`, r.Lineage).Scan(&r.Version)
}

// Latest lists the latest versions of the records of a kind: those of an agent and everybody's, or with "*" all.
func (s Records) Latest(ctx context.Context, kind record.Kind, agent string) ([]record.Record, error) {
	return s.list(ctx, qRecords, s.state.root, string(kind), agent)
}

// Named returns the latest version of the record with a name; ok is false if there is none.
func (s Records) Named(ctx context.Context, kind record.Kind, agent, name string) (r record.Record, ok bool, err error) {
	list, err := s.list(ctx, qRecordNamed, s.state.root, string(kind), agent, name)
	if len(list) == 1 {
		r, ok = list[0], true
	}
	return r, ok, err
}

// Versions lists the versions of the records whose lineage id is short for, newest first within
// a record.
func (s Records) Versions(ctx context.Context, id string) ([]record.Record, error) {
	return s.list(ctx, qRecordVersion, id, s.state.root)
}

// Entries lists the entries of a conversation, oldest first.
func (s Records) Entries(ctx context.Context, lineage string) ([]record.Record, error) {
	return s.list(ctx, qEntries, lineage)
}

// Talks lists the conversations with their number of entries, the latest active first.
func (s Records) Talks(ctx context.Context) ([]record.Talk, error) {
	list, err := s.Latest(ctx, record.Conversation, "*")
	if err != nil {
		return nil, err
	}
	counts, last := map[string]int{}, map[string]int64{}
	err = s.state.db.query(ctx, qTalks, []any{s.state.root}, func(rows *sql.Rows) error {
		var lineage string
		var n int
		var at int64
		err := rows.Scan(&lineage, &n, &at)
		counts[lineage], last[lineage] = n, at
		return err
	})
	var out []record.Talk
	for _, r := range list {
		out = append(out, record.Talk{Record: r, Entries: counts[r.Lineage], LastActive: time.UnixMilli(last[r.Lineage]).UTC()})
	}
	return out, err
}

func (s Records) list(ctx context.Context, query string, args ...any) (out []record.Record, err error) {
	err = s.state.db.query(ctx, query, args, func(rows *sql.Rows) error { return scanRecord(rows, &out) })
	return out, err
}

func scanRecord(rows *sql.Rows, out *[]record.Record) error {
	var r record.Record
	var tags, content string
	var at int64
	if err := rows.Scan(&r.Lineage, &r.Version, &r.Kind, &r.Agent, &r.Name, &r.Parent, &r.Type, &r.Author, &tags, &content, &r.Tainted, &at); err != nil {
		return err
	}
	r.Content, r.At = []byte(content), time.UnixMilli(at).UTC()
	if json.Unmarshal([]byte(tags), &r.Tags) != nil || !strings.HasPrefix(tags, "[") {
		r.Tags = nil // a damaged list hides no record
	}
	*out = append(*out, r)
	return nil
}

// Identity returns the identity slots of an agent, and those of every agent. Tainted ones are left out.
func (o *ObserverReader) Identity(ctx context.Context, agent string) (out []record.Record, err error) {
	if o.db == nil || o.schema < recordSchema {
		return nil, nil
	}
	var all []record.Record
	err = scan(ctx, o.db, qRecords, []any{o.root, string(record.Identity), agent}, func(rows *sql.Rows) error { return scanRecord(rows, &all) })
	for _, r := range all {
		if !r.Tainted {
			out = append(out, r)
		}
	}
	return out, err
}

// header returns what the agent of a session, or a person, says that it was for. A tainted one is left out.
func (o *ObserverReader) header(ctx context.Context, session string) (h record.SessionHeader, err error) {
	if o.db == nil || o.schema < recordSchema {
		return h, nil
	}
	var found []record.Record
	err = scan(ctx, o.db, qRecordNamed, []any{o.root, string(record.Header), "", session}, func(rows *sql.Rows) error { return scanRecord(rows, &found) })
	if len(found) == 1 && !found[0].Tainted {
		h = found[0].SessionHeader()
	}
	return h, err
}

// anyHeader reports whether any session has a header.
func (o *ObserverReader) anyHeader(ctx context.Context) (found bool, err error) {
	if o.db == nil || o.schema < recordSchema {
		return false, nil
	}
	err = scan(ctx, o.db, qAnyHeader, []any{o.root}, func(*sql.Rows) error {
		found = true
		return nil
	})
	return found, err
}
