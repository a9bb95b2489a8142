package store

import (
	"context"
	"database/sql"
)

// Statements about mirrored memories.
const (
	qPutMirror = `INSERT INTO personal (worktree, uuid, path, json, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (worktree, uuid) DO UPDATE SET path = ?3, json = ?4, updated_ms = ?5`
	qMirrors    = `SELECT uuid, path, json FROM personal WHERE worktree = ?1 ORDER BY uuid`
	qDropMirror = `DELETE FROM personal WHERE worktree = ?1 AND uuid = ?2`
)

// Mirrors are the copies of memories that git does not have, by worktree: the table personal.
type Mirrors struct{ state *State }

// Mirrors returns the copies of memories that git does not have.
func (s *State) Mirrors() Mirrors { return Mirrors{s} }

// Put mirrors a worktree's personal memories.
func (s Mirrors) Put(ctx context.Context, worktree string, rows []Row) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, r := range rows {
			m, err := r.Memory()
			if err != nil {
				continue // reported as a problem
			}
			if err := exec(ctx, tx, "mirror a personal memory", qPutMirror, worktree, m.UUID, r.Path, r.JSON, s.state.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Of lists the mirrored memories of a worktree, in the form of the tombstones that they become if their files vanish.
func (s Mirrors) Of(ctx context.Context, worktree string) ([]Tombstone, error) {
	return list(ctx, s.state, qMirrors, []any{worktree}, func(rows *sql.Rows, t *Tombstone) error {
		return rows.Scan(&t.UUID, &t.Path, &t.JSON)
	})
}

// Drop removes the copy of a memory that was deliberately deleted, or that git has.
func (s Mirrors) Drop(ctx context.Context, worktree, uuid string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "drop a personal mirror", qDropMirror, worktree, uuid)
	})
}
