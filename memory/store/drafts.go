package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"manicule/memory/file"
)

// Statements on drafts.
const (
	qPutDraft = `INSERT INTO drafts (uuid, status, reason, tool, session, dedupe_key, json, created_ms, updated_ms, root)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)
		ON CONFLICT (uuid) DO UPDATE SET status = ?2, reason = ?3, dedupe_key = ?6, json = ?7, updated_ms = ?8`
	qSameDraft   = `SELECT uuid, status, json FROM drafts WHERE dedupe_key = ?1 AND root = ?2 ORDER BY status, uuid LIMIT 1`
	qSeenAgain   = `UPDATE drafts SET observations = observations + 1, updated_ms = ?2 WHERE uuid = ?1`
	qDrafts      = `SELECT uuid, status, reason, tool, session, observations, json, created_ms FROM drafts WHERE status <> 'rejected' AND root = ?1 ORDER BY created_ms, uuid`
	qDraft       = `SELECT uuid, status, reason, tool, session, observations, json, created_ms FROM drafts WHERE (substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1) AND status <> 'rejected' AND root = ?2 ORDER BY uuid LIMIT 10`
	qReject      = `UPDATE drafts SET status = 'rejected', reason = ?2, updated_ms = ?3 WHERE uuid = ?1 AND status <> 'rejected'`
	qChangeDraft = `UPDATE drafts SET json = ?3, updated_ms = ?4 WHERE uuid = ?1 AND json = ?2 AND status <> 'rejected'`
	qDeleteDraft = `DELETE FROM drafts WHERE uuid = ?1`
	qCountDrafts = `SELECT count(*) FROM drafts WHERE status <> 'rejected' AND root = ?1`
)

// Drafts are the memories that wait for a person or were rejected: the table drafts.
type Drafts struct{ state *State }

// Drafts returns the drafts of the workspace.
func (s *State) Drafts() Drafts { return Drafts{s} }

// DraftStatus is the state of a draft.
type DraftStatus string

// The states of a draft.
const (
	StatusCandidate DraftStatus = "candidate" // the observer inferred it
	StatusDraft     DraftStatus = "draft"     // an agent wrote it
	StatusRejected  DraftStatus = "rejected"  // a person rejected it
)

// DraftRow is a memory that waits for review.
type DraftRow struct {
	Memory       *file.Memory `json:"memory"`
	Status       DraftStatus  `json:"status"`
	Reason       string       `json:"reason,omitempty"`
	Tool         string       `json:"tool,omitempty"`
	Session      string       `json:"session,omitempty"`
	Observations int          `json:"observations"`
	// Key is equal for drafts that say the same; the memory's own key when empty. It is only
	// written.
	Key string `json:"-"`
}

// Put stores a draft. If an existing draft says the same, it is counted there, and its uuid
// and status are returned with true. A rejected draft stays rejected.
func (s Drafts) Put(ctx context.Context, d DraftRow) (same string, status DraftStatus, merged bool, err error) {
	out, err := s.PutAll(ctx, []DraftRow{d})
	if err != nil {
		return "", "", false, err
	}
	return out[0].Same, out[0].Status, out[0].Merged, nil
}

// StoredDraft is what became of a draft. Merged is true if an existing draft says the same: then it was counted there, and Same
// and Status are its uuid and status.
type StoredDraft struct {
	Same   string
	Status DraftStatus
	Merged bool
}

// PutAll is Put of several drafts in one transaction, in order. Without an error there is a result for each.
func (s Drafts) PutAll(ctx context.Context, list []DraftRow) (out []StoredDraft, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		out = make([]StoredDraft, len(list))
		for i, d := range list {
			var err error
			if out[i], err = s.put(ctx, tx, d); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (s Drafts) put(ctx context.Context, tx *sql.Tx, d DraftRow) (out StoredDraft, err error) {
	data, err := d.Memory.Marshal()
	if err != nil {
		return out, err
	}
	key := cmp.Or(d.Key, d.Memory.DedupeKey())
	var old []byte
	err = tx.QueryRowContext(ctx, qSameDraft, key, s.state.root).Scan(&out.Same, &out.Status, &old)
	if err == nil && out.Same != d.Memory.UUID {
		out.Merged = true
		return out, exec(ctx, tx, "count a draft", qSeenAgain, out.Same, s.state.now().UnixMilli())
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return out, fmt.Errorf("look for the same draft: %w", err)
	}
	return out, exec(ctx, tx, "store a draft", qPutDraft, d.Memory.UUID, d.Status, d.Reason, d.Tool, d.Session, key, data, s.state.now().UnixMilli(), s.state.root)
}

// Change gives a waiting draft another content, unless it was changed or decided since it was
// read.
func (s Drafts) Change(ctx context.Context, was, now *file.Memory) error {
	before, err := was.Marshal()
	if err != nil {
		return err
	}
	after, err := now.Marshal()
	if err != nil {
		return err
	}
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "change a draft", qChangeDraft, was.UUID, before, after, s.state.now().UnixMilli())
	})
}

// All lists the drafts that wait for review, oldest first.
func (s Drafts) All(ctx context.Context) ([]DraftRow, error) {
	return s.list(ctx, qDrafts, s.state.root)
}

// Find returns the drafts that id is short for, at most ten.
func (s Drafts) Find(ctx context.Context, id string) ([]DraftRow, error) {
	return s.list(ctx, qDraft, id, s.state.root)
}

func (s Drafts) list(ctx context.Context, query string, args ...any) ([]DraftRow, error) {
	return list(ctx, s.state, query, args, func(rows *sql.Rows, d *DraftRow) error {
		var uuid string
		var data []byte
		var created int64
		if err := rows.Scan(&uuid, &d.Status, &d.Reason, &d.Tool, &d.Session, &d.Observations, &data, &created); err != nil {
			return err
		}
		var err error
		if d.Memory, err = file.Parse(data); err != nil {
			return fmt.Errorf("draft %s: %w", uuid, err)
		}
		return nil
	})
}

// Count returns the number of drafts that wait for review.
func (s Drafts) Count(ctx context.Context) (int, error) {
	return value[int](ctx, s.state, qCountDrafts, s.state.root)
}

// Reject marks a draft as rejected, so that it is not proposed again.
func (s Drafts) Reject(ctx context.Context, uuid, reason string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "note a judgement", qJudge, uuid, "rejected"); err != nil {
			return err
		}
		if err := use(ctx, tx, s.state.now(), UseRejected); err != nil {
			return err
		}
		return exec(ctx, tx, "reject a draft", qReject, uuid, reason, s.state.now().UnixMilli())
	})
}

// Drop removes a draft that has become a memory.
func (s Drafts) Drop(ctx context.Context, uuid string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "note a judgement", qJudge, uuid, "accepted"); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, qDeleteDraft, uuid)
		if err != nil {
			return fmt.Errorf("drop a draft: %w", err)
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return err // somebody else dropped it, and counted it
		}
		return use(ctx, tx, s.state.now(), UseAccepted)
	})
}

// Withdraw removes a draft that nobody reviewed.
func (s Drafts) Withdraw(ctx context.Context, uuid string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "withdraw a draft", qDeleteDraft, uuid) })
}
