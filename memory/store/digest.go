package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"manicule/memory/episode"
)

// Statements about what the sessions of a module have in common.
const (
	qPutModule = `INSERT INTO module_sessions (root, module, session, ended_ms, files) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (root, session) DO UPDATE SET module = ?2, ended_ms = ?4, files = ?5`
	qOldModules   = `DELETE FROM module_sessions WHERE root = ?1 AND ended_ms < ?2`
	qModuleCount  = `SELECT count(*) FROM module_sessions WHERE root = ?1 AND module = ?2 AND session <> ?3`
	qModuleVisits = `SELECT e.json, m.files FROM module_sessions AS m JOIN episodes AS e ON e.root = ?1 AND e.session = m.session
		WHERE m.root = ?1 AND m.module = ?2 ORDER BY m.ended_ms DESC, m.session DESC LIMIT ?3`
	qSinceDigest = `SELECT count(*) FROM episodes WHERE root = ?1 AND ended_ms > coalesce((SELECT max(at_ms) FROM digests WHERE root = ?1 AND module = ''), 0)`
	qHasDigest   = `SELECT count(*) FROM digests WHERE root = ?1 AND module = ?2 AND mark = ?3`
	qPutDigest   = `INSERT INTO digests (root, module, mark, at_ms, sessions, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (root, module, mark) DO NOTHING`
	qDigests     = `SELECT module, mark, at_ms, sessions, json FROM digests WHERE root = ?1 ORDER BY at_ms DESC, module LIMIT ?2`
)

// Digest is what the sessions of a module had in common at one time.
type Digest struct {
	Module   string            `json:"module"`   // "" for all modules
	Mark     int               `json:"mark"`     // the number of sessions; of all modules the year and week
	At       time.Time         `json:"at"`       // when it was made
	Sessions int               `json:"sessions"` // that it was made from
	Findings []episode.Finding `json:"findings"`
}

// CountModule counts the other sessions than one that made most of their changes in a module.
func (s *State) CountModule(ctx context.Context, module, session string) (n int, err error) {
	err = s.query(ctx, qModuleCount, []any{s.root, module, session}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// ModuleVisits returns the latest sessions of a module, at most limit, in the order of time.
func (s *State) ModuleVisits(ctx context.Context, module string, limit int) ([]episode.Visit, error) {
	var out []episode.Visit
	err := s.query(ctx, qModuleVisits, []any{s.root, module, limit}, func(rows *sql.Rows) error {
		var data, files []byte
		if err := rows.Scan(&data, &files); err != nil {
			return err
		}
		var v episode.Visit
		if err := json.Unmarshal(data, &v.Episode); err != nil {
			return fmt.Errorf("decode an episode: %w", err)
		}
		if err := json.Unmarshal(files, &v.Files); err != nil {
			return fmt.Errorf("decode the files of a session: %w", err)
		}
		out = append([]episode.Visit{v}, out...)
		return nil
	})
	return out, err
}

// SinceDigest counts the sessions that ended since the last digest of all modules.
func (s *State) SinceDigest(ctx context.Context) (n int, err error) {
	err = s.query(ctx, qSinceDigest, []any{s.root}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// HasDigest reports whether a digest was made.
func (s *State) HasDigest(ctx context.Context, module string, mark int) (bool, error) {
	n := 0
	err := s.query(ctx, qHasDigest, []any{s.root, module, mark}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n > 0, err
}

// FileSessions returns in how many sessions each of some files was read or changed.
func (s *State) FileSessions(ctx context.Context, files []string) (map[string]int, error) {
	out := map[string]int{}
	err := s.query(ctx, qPastFiles, []any{s.root, jsonList(files)}, func(rows *sql.Rows) error {
		var path string
		var sessions, edited int
		err := rows.Scan(&path, &sessions, &edited)
		out[path] = sessions
		return err
	})
	return out, err
}

// Digests lists the digests, newest first.
func (s *State) Digests(ctx context.Context, limit int) ([]Digest, error) {
	var out []Digest
	err := s.query(ctx, qDigests, []any{s.root, limit}, func(rows *sql.Rows) error {
		var d Digest
		var at int64
		var data []byte
		if err := rows.Scan(&d.Module, &d.Mark, &at, &d.Sessions, &data); err != nil {
			return err
		}
		d.At = time.UnixMilli(at).UTC()
		if err := json.Unmarshal(data, &d.Findings); err != nil {
			return fmt.Errorf("decode a digest: %w", err)
		}
		out = append(out, d)
		return nil
	})
	return out, err
}

// putModule stores which module a session was about, and the digests that were made at its end.
func (s *State) putModule(ctx context.Context, tx *sql.Tx, o Observation) error {
	if o.Module != "" {
		files, err := json.Marshal(o.Touched)
		if err != nil {
			return fmt.Errorf("encode the files of a session: %w", err)
		}
		if err := exec(ctx, tx, "note the module of a session", qPutModule, s.root, o.Module, o.Session, o.Ended, files); err != nil {
			return err
		}
		if err := exec(ctx, tx, "drop old sessions of modules", qOldModules, s.root, s.now().Add(-episodeKept).UnixMilli()); err != nil {
			return err
		}
	}
	for _, d := range o.Digests {
		data, err := json.Marshal(append([]episode.Finding{}, d.Findings...))
		if err != nil {
			return fmt.Errorf("encode a digest: %w", err)
		}
		if err := exec(ctx, tx, "log a digest", qPutDigest, s.root, d.Module, d.Mark, s.now().UnixMilli(), d.Sessions, data); err != nil {
			return err
		}
	}
	return nil
}
