package store

import (
	"context"
	"database/sql"
)

// reviewKind is the kind under which suggestions of reviews are proposed.
const reviewKind = "review"

const qProposedOf = `SELECT key FROM observer_proposals WHERE root = ?1 AND kind = ?2 AND key IN (SELECT value FROM json_each(?3))`

// CapturedReviews returns which of these suggestions of reviews were taken before.
func (s *State) CapturedReviews(ctx context.Context, keys []string) (map[string]bool, error) {
	return mapped(ctx, s, qProposedOf, []any{s.root, reviewKind, jsonList(keys)}, func(rows *sql.Rows, key *string, is *bool) error {
		*is = true
		return rows.Scan(key)
	})
}

// NoteReview notes that a suggestion of a review was taken. uuid is of the candidate, "" if none came of it.
func (s *State) NoteReview(ctx context.Context, key, uuid, source string) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "note a suggestion of a review", qPutProposal, s.root, reviewKind, key, uuid, source, s.now().UnixMilli())
	})
}
