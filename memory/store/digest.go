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

// Digests are what sessions of a module had in common, and which sessions were about which: the tables digests and
// module_sessions.
type Digests struct{ state *State }

// Digests returns the digests of the workspace.
func (s *State) Digests() Digests { return Digests{s} }

// Visited counts the other sessions than one that made most of their changes in a module.
func (s Digests) Visited(ctx context.Context, module, session string) (int, error) {
	return value[int](ctx, s.state, qModuleCount, s.state.root, module, session)
}

// Visits returns the latest sessions of a module, at most limit, in the order of time.
func (s Digests) Visits(ctx context.Context, module string, limit int) ([]episode.Visit, error) {
	var out []episode.Visit
	err := s.state.db.query(ctx, qModuleVisits, []any{s.state.root, module, limit}, func(rows *sql.Rows) error {
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

// SinceLast counts the sessions that ended since the last digest of all modules.
func (s Digests) SinceLast(ctx context.Context) (int, error) {
	return value[int](ctx, s.state, qSinceDigest, s.state.root)
}

// Made reports whether a digest was made.
func (s Digests) Made(ctx context.Context, module string, mark int) (bool, error) {
	n, err := value[int](ctx, s.state, qHasDigest, s.state.root, module, mark)
	return n > 0, err
}

// FileSessions returns in how many sessions each of some files was read or changed.
func (s Digests) FileSessions(ctx context.Context, files []string) (map[string]int, error) {
	return mapped(ctx, s.state, qPastFiles, []any{s.state.root, jsonList(files)}, func(rows *sql.Rows, path *string, sessions *int) error {
		var edited int
		return rows.Scan(path, sessions, &edited)
	})
}

// Latest lists the digests, newest first.
func (s Digests) Latest(ctx context.Context, limit int) ([]Digest, error) {
	return list(ctx, s.state, qDigests, []any{s.state.root, limit}, func(rows *sql.Rows, d *Digest) error {
		var at int64
		var data []byte
		if err := rows.Scan(&d.Module, &d.Mark, &at, &d.Sessions, &data); err != nil {
			return err
		}
		d.At = time.UnixMilli(at).UTC()
		if err := json.Unmarshal(data, &d.Findings); err != nil {
			return fmt.Errorf("decode a digest: %w", err)
		}
		return nil
	})
}

// put stores which module a session was about, and the digests that were made at its end.
func (s Digests) put(ctx context.Context, tx *sql.Tx, o Observation) error {
	if o.Module != "" {
		files, err := json.Marshal(o.Touched)
		if err != nil {
			return fmt.Errorf("encode the files of a session: %w", err)
		}
		if err := exec(ctx, tx, "note the module of a session", qPutModule, s.state.root, o.Module, o.Session, o.Ended, files); err != nil {
			return err
		}
		if err := exec(ctx, tx, "drop old sessions of modules", qOldModules, s.state.root, s.state.now().Add(-episodeKept).UnixMilli()); err != nil {
			return err
		}
	}
	for _, d := range o.Digests {
		data, err := json.Marshal(append([]episode.Finding{}, d.Findings...))
		if err != nil {
			return fmt.Errorf("encode a digest: %w", err)
		}
		if err := exec(ctx, tx, "log a digest", qPutDigest, s.state.root, d.Module, d.Mark, s.state.now().UnixMilli(), d.Sessions, data); err != nil {
			return err
		}
	}
	return nil
}
