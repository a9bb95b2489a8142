package store

import (
	"context"
	"database/sql"
	"time"

	"manicule/memory/life"
)

// sweepsKept is how many sweeps of a workspace the log keeps.
const sweepsKept = 100

// Statements about sweeps.
const (
	qStandings = `SELECT uuid, tier, since_ms FROM tiers WHERE root = ?1`
	qPutTier   = `INSERT INTO tiers (root, uuid, tier, since_ms, reason) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (root, uuid) DO UPDATE SET tier = ?3, since_ms = ?4, reason = ?5`
	qDropTier = `DELETE FROM tiers WHERE root = ?1 AND uuid = ?2`
	qScores   = `SELECT uuid, access_score FROM accesses`
	qPutScore = `UPDATE accesses SET composite_score = ?2 WHERE uuid = ?1`
	qPutSweep = `INSERT INTO sweeps (root, at_ms, trigger, looked, promoted, demoted, archived, waiting, returned, expired, took_ms)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`
	qOldSweeps = `DELETE FROM sweeps WHERE root = ?1 AND id NOT IN (SELECT id FROM sweeps WHERE root = ?1 ORDER BY id DESC LIMIT ?2)`
	qSweeps    = `SELECT at_ms, trigger, looked, promoted, demoted, archived, waiting, returned, expired, took_ms FROM sweeps
		WHERE root = ?1 ORDER BY id DESC LIMIT ?2` // not by at_ms: a clock may have been ahead
)

// Sweep is one run of a sweep with its counts.
type Sweep struct {
	At       time.Time     `json:"at"`
	Trigger  string        `json:"trigger"` // manual or schedule
	Looked   int           `json:"looked"`
	Promoted int           `json:"promoted"`
	Demoted  int           `json:"demoted"`
	Archived int           `json:"archived"`
	Waiting  int           `json:"waiting"`  // would be archived, if a person asked for it
	Returned int           `json:"returned"` // archived ones whose code is back
	Expired  int           `json:"expired"`  // tombstones that can't be restored any more
	Took     time.Duration `json:"-"`
}

// Sweeps are what sweeps did, and the tiers that they gave to memories: the tables sweeps and tiers.
type Sweeps struct{ state *State }

// Sweeps returns the sweeps of the workspace.
func (s *State) Sweeps() Sweeps { return Sweeps{s} }

// Standings returns the tiers of memories that a sweep moved, by uuid.
func (s Sweeps) Standings(ctx context.Context) (map[string]life.Standing, error) {
	return mapped(ctx, s.state, qStandings, []any{s.state.root}, func(rows *sql.Rows, uuid *string, st *life.Standing) error {
		var ms int64
		err := rows.Scan(uuid, &st.Tier, &ms)
		st.Since = time.UnixMilli(ms).UTC()
		return err
	})
}

// AccessScores returns the access scores by uuid, as of the last recall of each.
func (s Sweeps) AccessScores(ctx context.Context) (map[string]float64, error) {
	return mapped(ctx, s.state, qScores, nil, func(rows *sql.Rows, uuid *string, score *float64) error {
		return rows.Scan(uuid, score)
	})
}

// Chunk is what a sweep writes at once.
type Chunk struct {
	Moves      []life.Move
	Scores     map[string]float64 // composite scores, by uuid
	Tombstones []Tombstone        // of the archived

	// Unmirror lists the archived ones that are personal, whose copies for Worktree go.
	Unmirror []string
	Worktree string
}

// PutChunk writes the tiers, scores and tombstones of a part of a sweep.
func (s Sweeps) PutChunk(ctx context.Context, c Chunk) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) (err error) {
		prep := prepareOnce(tx)
		defer func() {
			if cerr := prep.close(); err == nil {
				err = cerr
			}
		}()
		now := s.state.now().UnixMilli()
		for _, t := range c.Tombstones {
			if err := s.state.Tombstones().put(ctx, prep, t, now); err != nil {
				return err
			}
		}
		for _, uuid := range c.Unmirror {
			if err := exec(ctx, prep, "drop a personal mirror", qDropMirror, c.Worktree, uuid); err != nil {
				return err
			}
		}
		for _, m := range c.Moves {
			if m.To == life.Archived {
				err = exec(ctx, prep, "drop a tier", qDropTier, s.state.root, m.UUID)
			} else {
				err = exec(ctx, prep, "note a tier", qPutTier, s.state.root, m.UUID, m.To, now, m.Reason)
			}
			if err != nil {
				return err
			}
		}
		for uuid, score := range c.Scores {
			if err := exec(ctx, prep, "note a score", qPutScore, uuid, score); err != nil {
				return err
			}
		}
		return nil
	})
}

// Note appends a sweep to the log and drops the oldest.
func (s Sweeps) Note(ctx context.Context, w Sweep) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		err := exec(ctx, tx, "note a sweep", qPutSweep, s.state.root, w.At.UnixMilli(), w.Trigger, w.Looked, w.Promoted, w.Demoted, w.Archived, w.Waiting, w.Returned, w.Expired, w.Took.Milliseconds())
		if err != nil {
			return err
		}
		return exec(ctx, tx, "drop old sweeps", qOldSweeps, s.state.root, sweepsKept)
	})
}

// Latest lists the last sweeps, newest first.
func (s Sweeps) Latest(ctx context.Context, limit int) ([]Sweep, error) {
	return list(ctx, s.state, qSweeps, []any{s.state.root, limit}, func(rows *sql.Rows, w *Sweep) error {
		var at, took int64
		err := rows.Scan(&at, &w.Trigger, &w.Looked, &w.Promoted, &w.Demoted, &w.Archived, &w.Waiting, &w.Returned, &w.Expired, &took)
		w.At, w.Took = time.UnixMilli(at).UTC(), time.Duration(took)*time.Millisecond
		return err
	})
}
