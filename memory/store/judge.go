package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"manicule/memory/file"
)

// Statements about judgements and vouching.
const (
	qVerdicts   = `SELECT coalesce((SELECT value FROM meta WHERE key = 'verdicts'), '0')`
	qNewVerdict = `INSERT INTO meta (key, value) VALUES ('verdicts', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1`
	qVouch      = `INSERT INTO vouched (key, uuid, at_ms) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING`
	qVouched    = `SELECT key FROM vouched`
)

// Judge judges a memory file when it is read into the database. It sets Unreviewed in [file.Trust],
// and returns a *HeldError if the memory goes to quarantine. It must be safe for concurrent use.
type Judge func(context.Context, *file.Memory) error

// HeldError says why a memory is in quarantine.
type HeldError struct {
	At   *file.Error
	UUID string
	Code string // machine-readable reason
	// Keys identify the texts that are the reason. The memory is released when a person vouches for
	// all of them.
	Keys []string
}

// Unwrap returns the error with its place.
func (h *HeldError) Unwrap() error { return h.At }

// Error returns the reason.
func (h *HeldError) Error() string { return h.At.Error() }

// Rejudge reads an unchanged memory file again, because its judgement may have changed.
func (s *Memories) Rejudge(ctx context.Context, path string) error {
	if err := s.SyncPath(ctx, path, s.FolderTime(path)); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "note a new judgement", qNewVerdict) })
}

// verdicts is a number that grows with each changed judgement.
func verdicts(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (string, error) {
	var n string
	if err := db.QueryRowContext(ctx, qVerdicts).Scan(&n); err != nil {
		return "", fmt.Errorf("read what was judged: %w", err)
	}
	return n, nil
}

// heldOf returns the columns of a memory in quarantine, empty for other faults.
func heldOf(err error) (uuid, code, keys string) {
	h, ok := errors.AsType[*HeldError](err)
	if !ok {
		return "", "", ""
	}
	return h.UUID, h.Code, strings.Join(h.Keys, " ")
}

// Releases are the texts that the person at this machine vouches for. It is safe for concurrent use.
type Releases struct{ state *State }

// Releases returns those that this database keeps.
func (s *State) Releases() Releases { return Releases{s} }

// Vouch records that the person at this machine vouches for some texts, or wrote them here.
func (r Releases) Vouch(ctx context.Context, uuid string, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return r.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, k := range keys {
			if err := exec(ctx, tx, "vouch for a text", qVouch, k, uuid, r.state.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Vouched returns the keys that were vouched for.
func (r Releases) Vouched(ctx context.Context) (map[string]bool, error) {
	return mapped(ctx, r.state, qVouched, nil, func(rows *sql.Rows, k *string, is *bool) error {
		*is = true
		return rows.Scan(k)
	})
}
