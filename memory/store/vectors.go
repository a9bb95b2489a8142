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
	"sync"
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
	dir string
	now func() time.Time

	mu      sync.Mutex    // guards what follows
	db      *sqlfile.DB   // the current one
	damaged []*sqlfile.DB // which others may be reading
}

// OpenVectors opens or creates the cache in dir.
func OpenVectors(ctx context.Context, dir string, now func() time.Time) (*Vectors, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of vectors: %w", err)
	}
	db, err := openVectors(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Vectors{dir: dir, now: now, db: db}, nil
}

func generationsOfVectors(dir string) sqlfile.Generations {
	return sqlfile.Generations{Dir: dir, Name: "vectors.v1"}
}

func openVectors(ctx context.Context, dir string) (*sqlfile.DB, error) {
	return generationsOfVectors(dir).Open(func(path string) (*sqlfile.DB, error) {
		db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
		if err != nil {
			return nil, err
		}
		if err := db.Migrate(ctx, migrations(vectorsSQL, "vectors"), nil); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return db, nil
	})
}

// Close releases the database. What closing says of a damaged one is of no use.
func (v *Vectors) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, db := range v.damaged {
		_ = db.Close()
	}
	v.damaged = nil
	return v.db.Close()
}

// Check reports damage. [Vectors] whose pages are damaged are emptied when one of them is read.
func (v *Vectors) Check(ctx context.Context) error { return v.file().Check(ctx) }

func (v *Vectors) file() *sqlfile.DB {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.db
}

// withVectors calls f with the database, and with a new one if that is damaged: what was in it is made again by its readers.
func withVectors[T any](ctx context.Context, v *Vectors, f func(db *sqlfile.DB) (T, error)) (T, error) {
	db := v.file()
	out, err := f(db)
	if !sqlfile.IsCorrupt(err) {
		return out, err
	}
	if db, err = v.renewed(ctx, db); err != nil {
		return out, err
	}
	return f(db)
}

// renewed returns what takes the place of a damaged database.
func (v *Vectors) renewed(ctx context.Context, damaged *sqlfile.DB) (*sqlfile.DB, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.db != damaged {
		return v.db, nil
	}
	if _, err := generationsOfVectors(v.dir).Next(damaged.Path()); err != nil {
		return nil, fmt.Errorf("replace the damaged vectors: %w", err)
	}
	db, err := openVectors(ctx, v.dir)
	if err != nil {
		return nil, fmt.Errorf("replace the damaged vectors: %w", err)
	}
	v.db, v.damaged = db, append(v.damaged, damaged)
	return db, nil
}

// Put stores the embeddings of texts by a model, in one transaction. hashes are the texts' SHA-256
// in hexadecimal, in the order of vectors.
func (v *Vectors) Put(ctx context.Context, model string, hashes []string, vectors [][]float32) error {
	now := v.now().UnixMilli()
	return v.change(ctx, func(tx *sql.Tx) error {
		for i, values := range vectors {
			blob, norm := encodeVector(values)
			if err := exec(ctx, tx, "store a vector", qPutVector, hashes[i], model, len(values), norm, blob, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// change is one transaction.
func (v *Vectors) change(ctx context.Context, f func(tx *sql.Tx) error) error {
	_, err := withVectors(ctx, v, func(db *sqlfile.DB) (struct{}, error) { return struct{}{}, db.Tx(ctx, f) })
	return err
}

// Get returns the known embeddings of texts by a model, by the text's hash, and records their use.
func (v *Vectors) Get(ctx context.Context, model string, dims int, hashes []string) (map[string][]float32, error) {
	return withVectors(ctx, v, func(db *sqlfile.DB) (map[string][]float32, error) { return v.get(ctx, db, model, dims, hashes) })
}

func (v *Vectors) get(ctx context.Context, db *sqlfile.DB, model string, dims int, hashes []string) (map[string][]float32, error) {
	list, stale := jsonList(hashes), false
	limit := v.now().Add(-useStep).UnixMilli()
	rows, err := db.QueryContext(ctx, qVectors, model, dims, list)
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
	return out, db.Tx(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "note the use of vectors", qUseVectors, model, dims, list, v.now().UnixMilli(), limit)
	})
}

// Known reports which texts have an embedding by a model, without reading it.
func (v *Vectors) Known(ctx context.Context, model string, dims int, hashes []string) (map[string]bool, error) {
	return withVectors(ctx, v, func(db *sqlfile.DB) (map[string]bool, error) { return knownVectors(ctx, db, model, dims, hashes) })
}

func knownVectors(ctx context.Context, db *sqlfile.DB, model string, dims int, hashes []string) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, qKnownVectors, model, dims, jsonList(hashes))
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
func (v *Vectors) Others(ctx context.Context) (int64, error) {
	return withVectors(ctx, v, func(db *sqlfile.DB) (n int64, err error) {
		if err := db.QueryRowContext(ctx, qOthersWrote).Scan(&n); err != nil {
			return 0, fmt.Errorf("look who wrote vectors: %w", err)
		}
		return n + v.renewals()<<32, nil // a new file counts from the beginning
	})
}

// renewals is how often the file was replaced.
func (v *Vectors) renewals() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return int64(len(v.damaged))
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
	return v.change(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "drop old vectors", qOldVectors, since.UnixMilli()) })
}

// Counts returns the number of vectors of each model.
func (v *Vectors) Counts(ctx context.Context) ([]VectorCount, error) {
	return withVectors(ctx, v, func(db *sqlfile.DB) ([]VectorCount, error) { return countVectors(ctx, db) })
}

func countVectors(ctx context.Context, db *sqlfile.DB) ([]VectorCount, error) {
	rows, err := db.QueryContext(ctx, qCountVectors)
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
