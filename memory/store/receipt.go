package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"manicule/indexer/anchor"
)

// Statements about receipts.
const (
	qPutReceipt = `INSERT INTO receipts (anchor, blob, uuid, kind, place, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (anchor, blob) DO UPDATE SET uuid = ?3, kind = ?4, place = ?5, at_ms = ?6 WHERE kind <> 'moved' OR ?4 = 'moved'`
	qReceipts = `SELECT anchor, blob, uuid, kind, place FROM receipts WHERE uuid = ?1 ORDER BY at_ms, anchor, blob`
	qMoved    = `SELECT anchor, blob, uuid, kind, place FROM receipts WHERE kind = 'moved' ORDER BY at_ms DESC, anchor, blob`
	qPutStale = `INSERT INTO stale (worktree, anchor, uuid, state, reason, stale_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (worktree, anchor, uuid) DO UPDATE SET state = ?4, reason = ?5`
	qDropStale = `DELETE FROM stale WHERE worktree = ?1 AND anchor = ?2 AND uuid = ?3`
	qStale     = `SELECT anchor, uuid, stale_at_ms FROM stale WHERE worktree = ?1`
)

// Statements about rejections.
const (
	qPutRejection = `INSERT INTO rejections (anchor, path, symbol, uuid, at_ms) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING`
	qRejections   = `SELECT anchor, path, symbol FROM rejections`
)

// Rejection is a place of which a person said that the anchor does not belong there.
type Rejection struct{ Anchor, Path, Symbol string }

// Receipts are where anchors were followed to, since when they are in doubt, and which places a person rejected: the tables receipts, stale and rejections.
type Receipts struct{ state *State }

// Receipts returns the receipts of anchors.
func (s *State) Receipts() Receipts { return Receipts{s} }

// Reject stores rejected places for a memory's anchors.
func (s Receipts) Reject(ctx context.Context, uuid string, list []Rejection) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, r := range list {
			if err := exec(ctx, tx, "keep a rejection", qPutRejection, r.Anchor, r.Path, r.Symbol, uuid, s.state.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rejections returns all rejected places.
func (s Receipts) Rejections(ctx context.Context) (map[Rejection]bool, error) {
	return mapped(ctx, s.state, qRejections, nil, func(rows *sql.Rows, r *Rejection, is *bool) error {
		*is = true
		return rows.Scan(&r.Anchor, &r.Path, &r.Symbol)
	})
}

// ReceiptKind is the source of a receipt.
type ReceiptKind string

// The kinds of receipts.
const (
	ReceiptFollowed ReceiptKind = "followed" // found by the ladder
	ReceiptMoved    ReceiptKind = "moved"    // seen by an editor only
)

// Receipt records that an anchor was at a place in a file with this content.
type Receipt struct {
	Anchor string // key of the record
	Blob   string // of the file
	Memory string // uuid
	Kind   ReceiptKind
	Place  Place
}

// StaleSince is when an anchor first differed from its record.
type StaleSince struct {
	Anchor, Memory string
	Since          time.Time
}

// Note stores receipts, and since when anchors are doubtful in a worktree. It removes the
// note for an anchor that is no longer doubtful.
func (s Receipts) Note(ctx context.Context, worktree string, receipts []Receipt, places map[string][]Place) error {
	if len(receipts)+len(places) == 0 {
		return nil
	}
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, r := range receipts {
			data, err := json.Marshal(r.Place)
			if err != nil {
				return fmt.Errorf("write a receipt: %w", err)
			}
			if err := exec(ctx, tx, "keep a receipt", qPutReceipt, r.Anchor, r.Blob, r.Memory, r.Kind, data, s.state.now().UnixMilli()); err != nil {
				return err
			}
		}
		for uuid, list := range places {
			for _, p := range list {
				if err := noteStale(ctx, tx, worktree, uuid, p); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func noteStale(ctx context.Context, tx *sql.Tx, worktree, uuid string, p Place) error {
	if p.Doubtful() {
		return exec(ctx, tx, "note a stale anchor", qPutStale, worktree, p.Key, uuid, p.State, p.Reason, p.Since.UnixMilli())
	}
	return exec(ctx, tx, "note a healed anchor", qDropStale, worktree, p.Key, uuid)
}

// Of lists the recorded places of a memory's anchors, oldest first.
func (s Receipts) Of(ctx context.Context, uuid string) ([]Receipt, error) {
	return s.list(ctx, qReceipts, uuid)
}

// Moved lists the moves that editors saw, newest first.
func (s Receipts) Moved(ctx context.Context) ([]Receipt, error) { return s.list(ctx, qMoved) }

func (s Receipts) list(ctx context.Context, query string, args ...any) ([]Receipt, error) {
	var out []Receipt
	err := s.state.db.query(ctx, query, args, func(rows *sql.Rows) error {
		var r Receipt
		var place []byte
		if err := rows.Scan(&r.Anchor, &r.Blob, &r.Memory, &r.Kind, &place); err != nil {
			return err
		}
		if json.Unmarshal(place, &r.Place) == nil && r.Place.State != anchor.State("") {
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// Stale lists since when the anchors of a worktree are doubtful.
func (s Receipts) Stale(ctx context.Context, worktree string) ([]StaleSince, error) {
	return list(ctx, s.state, qStale, []any{worktree}, func(rows *sql.Rows, x *StaleSince) error {
		var ms int64
		err := rows.Scan(&x.Anchor, &x.Memory, &ms)
		x.Since = time.UnixMilli(ms).UTC()
		return err
	})
}
