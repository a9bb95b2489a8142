package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"manicule/indexer/sqlfile"
)

// rows runs a query for path, json, sum, places, life and optionally rank. A wrong checksum counts as
// damage.
func (s queries) rows(ctx context.Context, query string, args ...any) ([]Row, error) {
	var out []Row
	err := s.read(ctx, func(db DB) (err error) {
		out, err = rowsOf(ctx, db, query, args...)
		return err
	})
	AsOf(out, s.now())
	return out, err
}

func rowsOf(ctx context.Context, db DB, query string, args ...any) (out []Row, err error) {
	err = eachRow(ctx, db, query, func(r Row) { out = append(out, r) }, args...)
	return out, err
}

func eachRow(ctx context.Context, db DB, query string, take func(Row), args ...any) error {
	ranked := query == qSearch || query == qSearchLike
	return scan(ctx, db, query, args, func(rows *sql.Rows) error {
		var r Row
		to := []any{&r.Path, &r.JSON, &r.sum, &r.places, &r.unreviewed, &r.life}
		if ranked {
			to = append(to, &r.Rank)
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if checksum(r.Path, r.JSON) != r.sum {
			return fmt.Errorf("row of %s: %w", r.Path, sqlfile.ErrCorrupt)
		}
		take(r)
		return nil
	})
}

func scan(ctx context.Context, db querier, query string, args []any, each func(*sql.Rows) error) (err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("query the database: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := each(rows); err != nil {
			return fmt.Errorf("read rows: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	return nil
}

// list returns what a query of [State.query] selects, one value for each row.
func list[T any](ctx context.Context, s *State, query string, args []any, row func(*sql.Rows, *T) error) (out []T, err error) {
	err = s.db.query(ctx, query, args, func(rows *sql.Rows) error {
		var x T
		err := row(rows, &x)
		out = append(out, x)
		return err
	})
	return out, err
}

// mapped is list for values with a key.
func mapped[K comparable, V any](ctx context.Context, s *State, query string, args []any, row func(*sql.Rows, *K, *V) error) (map[K]V, error) {
	out := map[K]V{}
	err := s.db.query(ctx, query, args, func(rows *sql.Rows) error {
		var k K
		var v V
		err := row(rows, &k, &v)
		out[k] = v
		return err
	})
	return out, err
}

// value returns what a query selects in one row, the zero value without one.
func value[T any](ctx context.Context, s *State, query string, args ...any) (v T, err error) {
	err = s.db.query(ctx, query, args, func(rows *sql.Rows) error { return rows.Scan(&v) })
	return v, err
}
