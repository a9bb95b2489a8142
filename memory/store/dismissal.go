package store

import (
	"context"
	"database/sql"
)

// Statements about dismissals.
const (
	qDismiss   = `INSERT INTO dismissals (uuid, surface, at_ms) VALUES (?1, ?2, ?3) ON CONFLICT (uuid, surface) DO NOTHING`
	qUndismiss = `DELETE FROM dismissals WHERE uuid = ?1 AND surface = ?2`
	qDismissed = `SELECT uuid, surface FROM dismissals ORDER BY uuid, surface`
)

// Dismiss records whether a memory is hidden on a surface.
func (s *State) Dismiss(ctx context.Context, uuid, surface string, on bool) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		if !on {
			return exec(ctx, tx, "show a memory again", qUndismiss, uuid, surface)
		}
		return exec(ctx, tx, "dismiss a memory", qDismiss, uuid, surface, s.now().UnixMilli())
	})
}

// Dismissed lists the surfaces on which memories are hidden, by uuid.
func (s *State) Dismissed(ctx context.Context) (map[string][]string, error) {
	out := map[string][]string{}
	err := s.query(ctx, qDismissed, nil, func(rows *sql.Rows) error {
		var uuid, surface string
		err := rows.Scan(&uuid, &surface)
		out[uuid] = append(out[uuid], surface)
		return err
	})
	return out, err
}
