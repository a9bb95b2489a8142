package store

import (
	"context"
	"database/sql"
	"time"

	"manicule/memory/branch"
)

// Statements about branches.
const (
	qBranches  = `SELECT name, tip, ahead, state, how, renamed_to, looked, since_ms FROM branches WHERE root = ?1 ORDER BY name`
	qPutBranch = `INSERT INTO branches (root, name, tip, ahead, state, how, renamed_to, looked, since_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
		ON CONFLICT (root, name) DO UPDATE SET tip = ?3, ahead = ?4, state = ?5, how = ?6, renamed_to = ?7, looked = ?8, since_ms = ?9`
	qDropBranches = `DELETE FROM branches WHERE root = ?1 AND state <> 'live' AND since_ms < ?2`
)

// settledKept is how long a branch that is gone is remembered: what reaches the default branch later
// still counts.
const settledKept = 60 * 24 * time.Hour

// Branches lists the branches as last seen, by name.
func (s *State) Branches(ctx context.Context) ([]branch.Seen, error) {
	return list(ctx, s, qBranches, []any{s.root}, func(rows *sql.Rows, b *branch.Seen) error {
		var since int64
		err := rows.Scan(&b.Name, &b.Tip, &b.Ahead, &b.State, &b.How, &b.RenamedTo, &b.Looked, &since)
		b.Since = time.UnixMilli(since).UTC()
		return err
	})
}

// PutBranches stores how branches were seen, and drops those that have been gone for long.
func (s *State) PutBranches(ctx context.Context, list []branch.Seen) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		for _, b := range list {
			if err := exec(ctx, tx, "note a branch", qPutBranch, s.root, b.Name, b.Tip, b.Ahead, b.State, b.How, b.RenamedTo, b.Looked, b.Since.UnixMilli()); err != nil {
				return err
			}
		}
		return exec(ctx, tx, "drop branches that are gone", qDropBranches, s.root, s.now().Add(-settledKept).UnixMilli())
	})
}
