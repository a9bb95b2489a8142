package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"manicule/indexer/sqlfile"
)

// Statements on vectors of any model.
const (
	qVectorRows = `SELECT content_hash, model_id, dims, vector FROM embeddings
		WHERE content_hash IN (SELECT value FROM json_each(?1)) ORDER BY model_id, dims, content_hash`
	qDropVectors    = `DELETE FROM embeddings WHERE content_hash IN (SELECT value FROM json_each(?1))`
	qDropAllVectors = `DELETE FROM embeddings`
)

// VectorRow is a stored embedding.
type VectorRow struct {
	Hash   string    `json:"hash"` // SHA-256 of the text in hexadecimal
	Model  string    `json:"model"`
	Dims   int       `json:"dims"`
	Values []float32 `json:"vector"`
}

// Each calls f for the embeddings of texts by all models, in the order of models and hashes.
func (v *Vectors) Each(ctx context.Context, hashes []string, f func(VectorRow) error) (err error) {
	rows, err := v.file().QueryContext(ctx, qVectorRows, jsonList(hashes))
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r VectorRow
		var blob []byte
		if err := rows.Scan(&r.Hash, &r.Model, &r.Dims, &blob); err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		if len(blob) != 4*r.Dims {
			continue // damaged
		}
		r.Values = decodeVector(blob)
		if err := f(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Drop removes the embeddings of texts by all models and overwrites their pages. It returns how
// many there were: none in a damaged cache, which goes as a whole.
func (v *Vectors) Drop(ctx context.Context, hashes []string) (int, error) {
	return withVectors(ctx, v, func(db *sqlfile.DB) (int, error) { return dropVectors(ctx, db, qDropVectors, jsonList(hashes)) })
}

// DropAll is Drop for all texts.
func (v *Vectors) DropAll(ctx context.Context) (int, error) {
	return withVectors(ctx, v, func(db *sqlfile.DB) (int, error) { return dropVectors(ctx, db, qDropAllVectors) })
}

func dropVectors(ctx context.Context, db *sqlfile.DB, query string, args ...any) (n int, err error) {
	if _, err := db.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
		return 0, fmt.Errorf("overwrite what is deleted: %w", err)
	}
	err = db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return fmt.Errorf("drop vectors: %w", err)
		}
		k, err := r.RowsAffected()
		n = int(k)
		return err
	})
	if err != nil {
		return 0, err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return n, err
}
