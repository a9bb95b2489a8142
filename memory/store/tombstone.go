package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// TombstoneLife is how long a deleted memory can be restored.
const TombstoneLife = 30 * 24 * time.Hour

// ArchivedReason begins the reason of a tombstone that a sweep made. A sweep asks nobody, so its
// tombstones don't expire.
const ArchivedReason = "archived: "

// tombstoneKept is when a tombstone's text is deleted. The margin protects against a clock that is
// wrong by weeks.
const tombstoneKept = 3 * TombstoneLife

// Statements about tombstones.
const (
	qPutTombstone = `INSERT INTO tombstones (uuid, path, reason, json, deleted_ms, root) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (uuid) DO UPDATE SET path = ?2, reason = ?3, json = ?4, deleted_ms = ?5, root = ?6`
	qTombstones       = `SELECT uuid, path, reason, json, deleted_ms FROM tombstones WHERE root = ?1 ORDER BY deleted_ms DESC, uuid`
	qTombstone        = `SELECT uuid, path, reason, json, deleted_ms FROM tombstones WHERE (substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1) AND root = ?2 ORDER BY uuid LIMIT 10`
	qDropTombstone    = `DELETE FROM tombstones WHERE uuid = ?1`
	qExpireTombstones = `DELETE FROM tombstones WHERE deleted_ms < ?1 AND instr(json, '"verified_by": "') = 0 AND reason NOT LIKE 'archived: %'`
)

// Tombstone is a deleted memory that can still be restored.
type Tombstone struct {
	UUID    string    `json:"uuid"`
	Path    string    `json:"path"`
	Reason  string    `json:"reason"`
	JSON    []byte    `json:"-"`
	Deleted time.Time `json:"deleted_at"`
}

// Tombstones are the deleted memories of a workspace that can still be restored: the table tombstones.
type Tombstones struct{ state *State }

// Tombstones returns the tombstones of the workspace.
func (s *State) Tombstones() Tombstones { return Tombstones{s} }

// Put stores a tombstone for TombstoneLife and drops much older ones. It also removes a draft of
// the memory that a crash may have left after acceptance, because the draft would bring the memory
// back.
func (s Tombstones) Put(ctx context.Context, t Tombstone) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "drop old tombstones", qExpireTombstones, s.expired()); err != nil {
			return err
		}
		return s.put(ctx, tx, t, s.state.now().UnixMilli())
	})
}

func (s Tombstones) put(ctx context.Context, tx runner, t Tombstone, at int64) error {
	if err := exec(ctx, tx, "drop a draft", qDeleteDraft, t.UUID); err != nil {
		return err
	}
	return exec(ctx, tx, "keep a tombstone", qPutTombstone, t.UUID, t.Path, t.Reason, t.JSON, at, s.state.root)
}

// expired is the time before which tombstones are deleted.
func (s Tombstones) expired() int64 { return s.state.now().Add(-tombstoneKept).UnixMilli() }

// List returns what can be restored, newest first.
func (s Tombstones) List(ctx context.Context) ([]Tombstone, error) {
	return s.list(ctx, qTombstones, s.state.root)
}

// Of returns the tombstones that id is short for.
func (s Tombstones) Of(ctx context.Context, id string) ([]Tombstone, error) {
	return s.list(ctx, qTombstone, id, s.state.root)
}

func (s Tombstones) list(ctx context.Context, query string, args ...any) ([]Tombstone, error) {
	var out []Tombstone
	err := s.state.db.query(ctx, query, args, func(rows *sql.Rows) error {
		var t Tombstone
		var ms int64
		err := rows.Scan(&t.UUID, &t.Path, &t.Reason, &t.JSON, &ms)
		t.Deleted = time.UnixMilli(ms).UTC()
		// What a person confirmed stays for good, and so does what no person removed.
		if s.state.now().Sub(t.Deleted) <= TombstoneLife || strings.HasPrefix(t.Reason, ArchivedReason) || bytes.Contains(t.JSON, []byte(`"verified_by": "`)) {
			out = append(out, t)
		}
		return err
	})
	return out, err
}

// Remove removes a tombstone.
func (s Tombstones) Remove(ctx context.Context, uuid string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "remove a tombstone", qDropTombstone, uuid) })
}

// Expire deletes those that can't be restored any more, and returns how many. Those of
// memories that a person confirmed stay.
func (s Tombstones) Expire(ctx context.Context) (n int, err error) {
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, qExpireTombstones, s.expired())
		if err != nil {
			return fmt.Errorf("drop old tombstones: %w", err)
		}
		rows, err := r.RowsAffected()
		n = int(rows)
		return err
	})
	return n, err
}
