package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"manicule/indexer/sqlfile"
	"manicule/memory/file"
)

// Statements that act on whole tables. Names of tables and columns come from the schema itself.
const (
	qTables    = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`
	qColumns   = `SELECT name FROM pragma_table_info(?1) ORDER BY cid`
	qEveryText = `SELECT json FROM drafts UNION ALL SELECT json FROM tombstones UNION ALL SELECT json FROM personal UNION ALL SELECT json FROM versions
		UNION ALL SELECT json FROM threads UNION ALL SELECT json FROM thread_versions`
	qValues     = `SELECT DISTINCT %[1]q FROM %[2]q WHERE typeof(%[1]q) IN ('text', 'blob')`
	qErase      = `DELETE FROM %q WHERE %q = ?1`
	qErasedText = `DELETE FROM %q WHERE CASE WHEN json_valid(CAST(json AS TEXT)) THEN CAST(json AS TEXT) ->> '$.visibility' = 'personal'
		OR CAST(json AS TEXT) ->> '$.uuid' IN (SELECT value FROM json_each(?1)) ELSE 0 END`
)

// textTables hold whole memories.
func textTables() []string {
	return []string{"drafts", "tombstones", "personal", "versions", "threads", "thread_versions"}
}

// Texts returns every memory of which the database holds a copy: drafts, tombstones, mirrors and
// versions, of all workspaces of the repository. Damaged copies are left out.
func (s *State) Texts(ctx context.Context) ([]*file.Memory, error) {
	var out []*file.Memory
	err := s.db.query(ctx, qEveryText, nil, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if m, err := file.Parse(data); err == nil {
			out = append(out, m)
		}
		return nil
	})
	return out, err
}

// ErasePersonal removes the copies of personal memories, all versions of the memories with the given
// uuids, and all other rows that have a value of which told is true. Nothing of it stays in the file or its journal. It returns the number of rows.
func (s *State) ErasePersonal(ctx context.Context, uuids []string, told func([]byte) bool) (n int, err error) {
	if s.db.absent() {
		return 0, nil
	}
	err = s.db.use(ctx, func(db *sqlfile.DB) error {
		if _, err := db.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
			return fmt.Errorf("overwrite what is deleted: %w", err)
		}
		if err := db.Tx(ctx, func(tx *sql.Tx) (err error) { n, err = eraseRows(ctx, tx, uuids, told); return err }); err != nil {
			return err
		}
		return compact(ctx, db)
	})
	return n, err
}

// compact rewrites the file without free pages and empties the journal.
func compact(ctx context.Context, db *sqlfile.DB) error {
	for _, act := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := db.ExecContext(ctx, act); err != nil {
			return fmt.Errorf("compact the database: %w", err)
		}
	}
	return nil
}

func eraseRows(ctx context.Context, tx *sql.Tx, uuids []string, told func([]byte) bool) (n int, err error) {
	tables, err := names(ctx, tx, qTables)
	if err != nil {
		return 0, err
	}
	for _, t := range tables {
		query, args := fmt.Sprintf(qErasedText, t), []any{jsonList(uuids)}
		if t == "records" { // all of them are personal
			query, args = qEraseRecords, nil
		} else if !slices.Contains(textTables(), t) {
			k, err := eraseTold(ctx, tx, t, told)
			if n += k; err != nil {
				return n, fmt.Errorf("erase rows of %s: %w", t, err)
			}
			continue
		}
		r, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return n, fmt.Errorf("erase rows of %s: %w", t, err)
		}
		if k, err := r.RowsAffected(); err == nil {
			n += int(k)
		}
	}
	return n, nil
}

// eraseTold removes the rows of a table that have a value of which told is true.
func eraseTold(ctx context.Context, tx *sql.Tx, table string, told func([]byte) bool) (n int, err error) {
	columns, err := names(ctx, tx, qColumns, table)
	if err != nil {
		return 0, err
	}
	for _, c := range columns {
		var gone []any
		err := eachValue(ctx, tx, table, c, func(v any, data []byte) {
			if told(data) {
				gone = append(gone, v)
			}
		})
		if err != nil {
			return n, err
		}
		for _, v := range gone {
			r, err := tx.ExecContext(ctx, fmt.Sprintf(qErase, table, c), v)
			if err != nil {
				return n, err
			}
			if k, err := r.RowsAffected(); err == nil {
				n += int(k)
			}
		}
	}
	return n, nil
}

// eachValue calls f for each text and each blob in a column, once, as it is and as bytes.
func eachValue(ctx context.Context, tx *sql.Tx, table, column string, f func(v any, data []byte)) (err error) {
	rows, err := tx.QueryContext(ctx, fmt.Sprintf(qValues, column, table))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			return err
		}
		switch x := v.(type) {
		case string:
			f(v, []byte(x))
		case []byte:
			f(v, x)
		}
	}
	return rows.Err()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func names(ctx context.Context, q querier, query string, args ...any) (out []string, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		out = append(out, name)
	}
	return out, rows.Err()
}

// CopyTo writes a consistent copy of the database, in one file, with every text as mask returns it.
// It reports whether there is a database.
func (s *State) CopyTo(ctx context.Context, path string, mask func(string) string) (bool, error) {
	if s.db.absent() {
		return false, nil
	}
	if err := s.db.use(ctx, func(db *sqlfile.DB) error { return db.Backup(ctx, path) }); err != nil {
		return false, err
	}
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
	if err != nil {
		return false, err
	}
	err = db.Tx(ctx, func(tx *sql.Tx) error { return maskTables(ctx, tx, mask) })
	if err == nil {
		err = compact(ctx, db)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode = DELETE") // one file, without a journal
	}
	return true, errors.Join(err, db.Close())
}

func maskTables(ctx context.Context, tx *sql.Tx, mask func(string) string) error {
	tables, err := names(ctx, tx, qTables)
	if err != nil {
		return err
	}
	for _, t := range tables {
		columns, err := names(ctx, tx, qColumns, t)
		if err != nil {
			return err
		}
		for _, c := range columns {
			if err := maskColumn(ctx, tx, t, c, mask); err != nil {
				return fmt.Errorf("mask %s.%s: %w", t, c, err)
			}
		}
	}
	return nil
}

func maskColumn(ctx context.Context, tx *sql.Tx, table, column string, mask func(string) string) error {
	type change struct{ old, new any }
	var changes []change
	err := eachValue(ctx, tx, table, column, func(v any, data []byte) {
		m := mask(string(data))
		if m == string(data) {
			return
		}
		if _, text := v.(string); text {
			changes = append(changes, change{v, m})
		} else {
			changes = append(changes, change{v, []byte(m)})
		}
	})
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := exec(ctx, tx, "write a masked text", fmt.Sprintf("UPDATE OR REPLACE %q SET %q = ?1 WHERE %q = ?2", table, column, column), c.new, c.old); err != nil {
			return err
		}
	}
	return nil
}

// Alone runs f while no other process has the database open, to remove it.
func (s *State) Alone(ctx context.Context, f func() error) error { return s.db.alone(ctx, f) }
