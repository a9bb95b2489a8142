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

// Dismissals say which memories a person hides on which surface of the editor: the table dismissals.
type Dismissals struct{ state *State }

// Dismissals returns what a person hides.
func (s *State) Dismissals() Dismissals { return Dismissals{s} }

// Set records whether a memory is hidden on a surface.
func (s Dismissals) Set(ctx context.Context, uuid, surface string, on bool) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if !on {
			return exec(ctx, tx, "show a memory again", qUndismiss, uuid, surface)
		}
		return exec(ctx, tx, "dismiss a memory", qDismiss, uuid, surface, s.state.now().UnixMilli())
	})
}

// Surfaces lists the surfaces on which memories are hidden, by uuid.
func (s Dismissals) Surfaces(ctx context.Context) (map[string][]string, error) {
	out := map[string][]string{}
	err := s.state.db.query(ctx, qDismissed, nil, func(rows *sql.Rows) error {
		var uuid, surface string
		err := rows.Scan(&uuid, &surface)
		out[uuid] = append(out[uuid], surface)
		return err
	})
	return out, err
}
