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

// Branches are the branches of a workspace as they were last seen. It is safe for concurrent use.
type Branches struct{ state *State }

// Branches returns the branches that this database keeps.
func (s *State) Branches() Branches { return Branches{s} }

// All lists them, by name.
func (b Branches) All(ctx context.Context) ([]branch.Seen, error) {
	return list(ctx, b.state, qBranches, []any{b.state.root}, func(rows *sql.Rows, x *branch.Seen) error {
		var since int64
		err := rows.Scan(&x.Name, &x.Tip, &x.Ahead, &x.State, &x.How, &x.RenamedTo, &x.Looked, &since)
		x.Since = time.UnixMilli(since).UTC()
		return err
	})
}

// Put stores how branches were seen, and drops those that have been gone for long.
func (b Branches) Put(ctx context.Context, list []branch.Seen) error {
	return b.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, x := range list {
			if err := exec(ctx, tx, "note a branch", qPutBranch, b.state.root, x.Name, x.Tip, x.Ahead, x.State, x.How, x.RenamedTo, x.Looked, x.Since.UnixMilli()); err != nil {
				return err
			}
		}
		return exec(ctx, tx, "drop branches that are gone", qDropBranches, b.state.root, b.state.now().Add(-settledKept).UnixMilli())
	})
}
