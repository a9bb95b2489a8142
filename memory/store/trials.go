package store

import (
	"context"
	"database/sql"
)

// Statements about trials.
const (
	qDropTrials     = `DELETE FROM trials WHERE root = ?1 AND session = ?2`
	qPutTrial       = `INSERT INTO trials (root, uuid, session, held) VALUES (?1, ?2, ?3, ?4)`
	qTrials         = `SELECT uuid, session, held FROM trials WHERE root = ?1 ORDER BY uuid, session`
	qTrialsCompared = `SELECT uuid FROM trials WHERE root = ?1 GROUP BY uuid HAVING sum(held) >= ?2 AND sum(1 - held) >= ?2 ORDER BY uuid`
)

// TrialRow is a session in which a memory was quoted unasked, or held out where it would have been. The rows of a session
// are judged anew with its events, and stay when these are gone.
type TrialRow struct {
	UUID    string
	Session string
	Held    bool
}

// putTrials replaces the trials of a session.
func (s Shown) putTrials(ctx context.Context, tx runner, session string, trials []TrialRow) error {
	if err := exec(ctx, tx, "replace the trials of a session", qDropTrials, s.state.root, session); err != nil {
		return err
	}
	for _, t := range trials {
		if err := exec(ctx, tx, "keep what was held out", qPutTrial, s.state.root, t.UUID, session, t.Held); err != nil {
			return err
		}
	}
	return nil
}

// Trials lists the trials of the workspace's memories, by memory.
func (s Shown) Trials(ctx context.Context) ([]TrialRow, error) {
	return list(ctx, s.state, qTrials, []any{s.state.root}, func(rows *sql.Rows, t *TrialRow) error {
		return rows.Scan(&t.UUID, &t.Session, &t.Held)
	})
}

// Compared lists the memories that were told in at least so many sessions, and held out in as many.
func (s Shown) Compared(ctx context.Context, least int) ([]string, error) {
	return list(ctx, s.state, qTrialsCompared, []any{s.state.root, least}, func(rows *sql.Rows, uuid *string) error { return rows.Scan(uuid) })
}
