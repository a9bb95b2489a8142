package store

import (
	"context"
	"database/sql"

	"manicule/indexer/words"
)

// Statements about memories that are said again.
const (
	qSaid = `INSERT INTO said (uuid, count, last_ms) VALUES (?1, 1, ?2)
		ON CONFLICT (uuid) DO UPDATE SET count = count + 1, last_ms = ?2`
	qSaidOf = `SELECT count FROM said WHERE uuid = ?1`
)

// SaidAgain counts that a memory was said again.
func (s *State) SaidAgain(ctx context.Context, uuid string) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "count what is said again", qSaid, uuid, s.now().UnixMilli())
	})
}

// Said returns how often a memory was said again.
func (s *State) Said(ctx context.Context, uuid string) (n int, err error) {
	err = s.query(ctx, qSaidOf, []any{uuid}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// maxNear is how many memories with one of the words are ranked for [Memories.Near].
const maxNear = 1000

// Near returns the memories that share the rarest words with a text, best first. It is quick, and
// drops common words where many memories have them.
func (s *Memories) Near(ctx context.Context, text string, limit int) ([]Row, error) {
	return byWords(text, limit, func(r Row) string { return r.Path }, maxNear, s.having(ctx), func(q words.Query, all bool) ([]Row, error) {
		return s.rows(ctx, qSearch, match(q, all), limit)
	}, func(string) ([]Row, error) { return nil, nil })
}

// Naming returns the memories that have a relation to another one.
func (s *Memories) Naming(ctx context.Context, uuid string) ([]Row, error) {
	return s.rows(ctx, qNaming, uuid)
}
