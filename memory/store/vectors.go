package store

import (
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/sqlfile"
)

//go:embed vectors/*.sql
var vectorsSQL embed.FS

// The statements on the vectors' database.
const (
	qPutVector = `INSERT INTO embeddings (content_hash, model_id, dims, norm, vector, created_ms, used_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
		ON CONFLICT (model_id, dims, content_hash) DO UPDATE SET norm = ?4, vector = ?5, created_ms = ?6, used_ms = ?6`
	qVector    = `SELECT norm, vector FROM embeddings WHERE model_id = ?1 AND dims = ?2 AND content_hash = ?3`
	qUseVector = `UPDATE embeddings SET used_ms = ?4 WHERE model_id = ?1 AND dims = ?2 AND content_hash = ?3`
	qOldVector = `DELETE FROM embeddings WHERE used_ms < ?1`
)

// Vector is an embedding with its Euclidean length.
type Vector struct {
	Values []float32
	Norm   float64
}

// Vectors is the cache of embeddings. Retrieval works without: what has no
// vector is found by its words.
type Vectors struct {
	db  *sqlfile.DB
	now func() time.Time
}

// OpenVectors opens or makes the cache in dir.
func OpenVectors(ctx context.Context, dir string, now func() time.Time) (*Vectors, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of vectors: %w", err)
	}
	path := filepath.Join(dir, "vectors.v1.db")
	open := func() (*sqlfile.DB, error) {
		db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
		if err != nil {
			return nil, err
		}
		if err := db.Migrate(ctx, migrations(vectorsSQL, "vectors"), nil); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return db, nil
	}
	db, err := open()
	if sqlfile.IsCorrupt(err) {
		if err := sqlfile.Remove(path); err != nil {
			return nil, fmt.Errorf("drop the damaged vectors: %w", err)
		}
		db, err = open()
	}
	if err != nil {
		return nil, err
	}
	return &Vectors{db: db, now: now}, nil
}

// Close releases the database.
func (v *Vectors) Close() error { return v.db.Close() }

// Put stores the embedding of a text by a model.
func (v *Vectors) Put(ctx context.Context, contentHash, model string, values []float32) error {
	blob := make([]byte, 4*len(values))
	sum := 0.0
	for i, x := range values {
		binary.LittleEndian.PutUint32(blob[4*i:], math.Float32bits(x))
		sum += float64(x) * float64(x)
	}
	return v.db.Tx(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "store a vector", qPutVector, contentHash, model, len(values), math.Sqrt(sum), blob, v.now().UnixMilli())
	})
}

// Get returns the embedding of a text by a model, if it is known, and notes
// that it was used.
func (v *Vectors) Get(ctx context.Context, contentHash, model string, dims int) (Vector, bool, error) {
	var out Vector
	var blob []byte
	err := v.db.QueryRowContext(ctx, qVector, model, dims, contentHash).Scan(&out.Norm, &blob)
	if errors.Is(err, sql.ErrNoRows) {
		return out, false, nil
	}
	if err != nil {
		return out, false, fmt.Errorf("read a vector: %w", err)
	}
	if len(blob) != 4*dims {
		return out, false, nil // damaged: it is computed again
	}
	out.Values = make([]float32, dims)
	for i := range out.Values {
		out.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return out, true, v.db.Tx(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "note the use of a vector", qUseVector, model, dims, contentHash, v.now().UnixMilli())
	})
}

// Evict drops the vectors that were not used since a time.
func (v *Vectors) Evict(ctx context.Context, since time.Time) error {
	return v.db.Tx(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "drop old vectors", qOldVector, since.UnixMilli()) })
}
