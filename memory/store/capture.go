package store

import (
	"context"
	"database/sql"
)

// reviewKind is the kind under which suggestions of reviews are proposed.
const reviewKind = "review"

const qProposedOf = `SELECT key FROM observer_proposals WHERE root = ?1 AND kind = ?2 AND key IN (SELECT value FROM json_each(?3))`

// Suggestions are those of reviews that were taken from a host of code. It is safe for concurrent use.
type Suggestions struct{ state *State }

// Suggestions returns those that this database keeps.
func (s *State) Suggestions() Suggestions { return Suggestions{s} }

// Taken returns which of these were taken before.
func (s Suggestions) Taken(ctx context.Context, keys []string) (map[string]bool, error) {
	return mapped(ctx, s.state, qProposedOf, []any{s.state.root, reviewKind, jsonList(keys)}, func(rows *sql.Rows, key *string, is *bool) error {
		*is = true
		return rows.Scan(key)
	})
}

// Note notes that one was taken. uuid is of the candidate, "" if none came of it.
func (s Suggestions) Note(ctx context.Context, key, uuid, source string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "note a suggestion of a review", qPutProposal, s.state.root, reviewKind, key, uuid, source, s.state.now().UnixMilli())
	})
}
