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
	"time"

	"manicule/indexer/sqlfile"
)

//go:embed vectors/*.sql
var vectorsSQL embed.FS

// Statements on the database of vectors.
const (
	qPutVector = `INSERT INTO embeddings (content_hash, model_id, dims, norm, vector, created_ms, used_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
		ON CONFLICT (model_id, dims, content_hash) DO UPDATE SET norm = ?4, vector = ?5, created_ms = ?6, used_ms = ?6`
	qVectors = `SELECT e.content_hash, e.vector, e.used_ms FROM json_each(?3) j
		CROSS JOIN embeddings e ON e.model_id = ?1 AND e.dims = ?2 AND e.content_hash = j.value`
	qKnownVectors = `SELECT e.content_hash FROM json_each(?3) j
		CROSS JOIN embeddings e ON e.model_id = ?1 AND e.dims = ?2 AND e.content_hash = j.value`
	qUseVectors = `UPDATE embeddings SET used_ms = ?4 WHERE model_id = ?1 AND dims = ?2 AND used_ms < ?5
		AND content_hash IN (SELECT value FROM json_each(?3))`
	// qOthersWrote differs from its last value on the same connection if another connection wrote since.
	qOthersWrote  = `PRAGMA data_version`
	qOldVectors   = `DELETE FROM embeddings WHERE used_ms < ?1`
	qCountVectors = `SELECT model_id, dims, count(*) FROM embeddings GROUP BY model_id, dims ORDER BY model_id, dims`
)

// useStep is the precision of a vector's last use, so that not every read writes.
const useStep = 24 * time.Hour

// VectorCount is the number of vectors of a model.
type VectorCount struct {
	Model string `json:"model"`
	Dims  int    `json:"dims"`
	N     int    `json:"n"`
}

// Vectors is the cache of embeddings. Retrieval works without it: texts without a vector are found
// by their words.
type Vectors struct {
	db  *sqlfile.DB
	now func() time.Time
}

// OpenVectors opens or creates the cache in dir.
func OpenVectors(ctx context.Context, dir string, now func() time.Time) (*Vectors, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of vectors: %w", err)
	}
	db, err := sqlfile.Generations{Dir: dir, Name: "vectors.v1"}.Open(func(path string) (*sqlfile.DB, error) {
		db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
		if err != nil {
			return nil, err
		}
		if err := db.Migrate(ctx, migrations(vectorsSQL, "vectors"), nil); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return db, nil
	})
	if err != nil {
		return nil, err
	}
	return &Vectors{db: db, now: now}, nil
}

// Close releases the database.
func (v *Vectors) Close() error { return v.db.Close() }

// Put stores the embeddings of texts by a model, in one transaction. hashes are the texts' SHA-256
// in hexadecimal, in the order of vectors.
func (v *Vectors) Put(ctx context.Context, model string, hashes []string, vectors [][]float32) error {
	now := v.now().UnixMilli()
	return v.db.Tx(ctx, func(tx *sql.Tx) error {
		for i, values := range vectors {
			blob, norm := encodeVector(values)
			if err := exec(ctx, tx, "store a vector", qPutVector, hashes[i], model, len(values), norm, blob, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Get returns the known embeddings of texts by a model, by the text's hash, and records their use.
func (v *Vectors) Get(ctx context.Context, model string, dims int, hashes []string) (map[string][]float32, error) {
	list, stale := jsonList(hashes), false
	limit := v.now().Add(-useStep).UnixMilli()
	rows, err := v.db.QueryContext(ctx, qVectors, model, dims, list)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err is checked
	out := make(map[string][]float32, len(hashes))
	for rows.Next() {
		var hash string
		var blob []byte
		var used int64
		if err := rows.Scan(&hash, &blob, &used); err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		if len(blob) != 4*dims {
			continue // damaged: computed again
		}
		out[hash], stale = decodeVector(blob), stale || used < limit
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	if !stale {
		return out, nil
	}
	return out, v.db.Tx(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "note the use of vectors", qUseVectors, model, dims, list, v.now().UnixMilli(), limit)
	})
}

// Known reports which texts have an embedding by a model, without reading it.
func (v *Vectors) Known(ctx context.Context, model string, dims int, hashes []string) (map[string]bool, error) {
	rows, err := v.db.QueryContext(ctx, qKnownVectors, model, dims, jsonList(hashes))
	if err != nil {
		return nil, fmt.Errorf("look for vectors: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err is checked
	out := make(map[string]bool, len(hashes))
	for rows.Next() {
		var hash string
		if err := rows.Scan(&hash); err != nil {
			return nil, fmt.Errorf("look for vectors: %w", err)
		}
		out[hash] = true
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for vectors: %w", err)
	}
	return out, nil
}

// Others returns a number that changes when another process, or another use of the cache in this one, wrote to it.
func (v *Vectors) Others(ctx context.Context) (n int64, err error) {
	if err := v.db.QueryRowContext(ctx, qOthersWrote).Scan(&n); err != nil {
		return 0, fmt.Errorf("look who wrote vectors: %w", err)
	}
	return n, nil
}

func encodeVector(values []float32) ([]byte, float64) {
	blob, sum := make([]byte, 4*len(values)), 0.0
	for i, x := range values {
		binary.LittleEndian.PutUint32(blob[4*i:], math.Float32bits(x))
		sum += float64(x) * float64(x)
	}
	return blob, math.Sqrt(sum)
}

func decodeVector(blob []byte) []float32 {
	out := make([]float32, len(blob)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return out
}

// Evict drops the vectors that were not used since a time.
func (v *Vectors) Evict(ctx context.Context, since time.Time) error {
	return v.db.Tx(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "drop old vectors", qOldVectors, since.UnixMilli()) })
}

// Counts returns the number of vectors of each model.
func (v *Vectors) Counts(ctx context.Context) ([]VectorCount, error) {
	rows, err := v.db.QueryContext(ctx, qCountVectors)
	if err != nil {
		return nil, fmt.Errorf("count vectors: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err is asked
	var out []VectorCount
	for rows.Next() {
		var c VectorCount
		if err := rows.Scan(&c.Model, &c.Dims, &c.N); err != nil {
			return nil, fmt.Errorf("count vectors: %w", err)
		}
		out = append(out, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("count vectors: %w", err)
	}
	return out, nil
}
