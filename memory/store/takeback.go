package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Statements that undo a decision about a draft.
const (
	qWaitAgain = `UPDATE drafts SET status = ?2, reason = ?3, updated_ms = ?4 WHERE uuid = ?1 AND status = 'rejected'`
	qPutBack   = `INSERT OR IGNORE INTO drafts (uuid, status, reason, tool, session, observations, dedupe_key, json, created_ms, updated_ms, root)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`
)

// TakeBackRejection has a rejected draft wait again, as it did before. It reports whether the draft
// was rejected.
func (s Drafts) TakeBackRejection(ctx context.Context, d DraftRow) (done bool, err error) {
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, qWaitAgain, d.Memory.UUID, d.Status, d.Reason, s.state.now().UnixMilli())
		if err != nil {
			return fmt.Errorf("take a rejection back: %w", err)
		}
		n, err := r.RowsAffected()
		if done = n > 0; err != nil || !done {
			return err
		}
		return s.unjudge(ctx, tx, d.Memory.UUID, UseRejected)
	})
	return done && err == nil, err
}

// TakeBackAcceptance puts back a draft that had become a memory, whose file is gone again, and drops
// the memory's tombstone.
func (s Drafts) TakeBackAcceptance(ctx context.Context, d DraftRow) error {
	data, err := d.Memory.Marshal()
	if err != nil {
		return err
	}
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "put a draft back", qPutBack, d.Memory.UUID, d.Status, d.Reason, d.Tool, d.Session, d.Observations, cmp.Or(d.Key, d.Memory.DedupeKey()),
			data, d.Memory.CreatedAt.UnixMilli(), s.state.now().UnixMilli(), s.state.root); err != nil {
			return err
		}
		if err := exec(ctx, tx, "remove a tombstone", qDropTombstone, d.Memory.UUID); err != nil {
			return err
		}
		return s.unjudge(ctx, tx, d.Memory.UUID, UseAccepted)
	})
}

// unjudge takes back what a decision said about who proposed a draft.
func (s Drafts) unjudge(ctx context.Context, tx *sql.Tx, uuid, counted string) error {
	if err := exec(ctx, tx, "take a judgement back", qJudge, uuid, ""); err != nil {
		return err
	}
	return exec(ctx, tx, "count a use less", qUse, s.state.now().UTC().Format(time.DateOnly), counted, -1)
}
