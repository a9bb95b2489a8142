package code

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"manicule/indexer/code/biencoder"
	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/indexer/words"
)

// A function's vector says which words people use for what it does (package biencoder). Those of a file are kept
// together, each with the id of its piece.
const (
	qAssociations     = `SELECT vectors FROM associations ORDER BY file`
	qAssociationsSize = `SELECT coalesce(sum(length(vectors)), 0) FROM associations`
	qNoAssociations   = `DELETE FROM associations WHERE file = ?1`
	qPutAssociations  = `INSERT INTO associations (file, vectors) VALUES (?1, ?2)`
	association       = 8 + biencoder.Dim // bytes
)

// associations are the vectors of all functions, in the order of files.
type associations struct {
	ids      []int64
	vectors  []biencoder.Vector
	inverses []float32
}

// associationsOf collects the vectors of a file's functions while it is indexed.
type associationsOf struct {
	model   *biencoder.Model
	stemmer *words.Stemmer
	vectors []byte
}

// add adds a piece if it is a function.
func (a *associationsOf) add(id int64, c graph.Chunk, body string) {
	if !IsFunction(c.Kind) {
		return
	}
	if v, ok := a.model.Function(a.stemmer.Terms(c.Symbol + " " + body)); ok {
		a.vectors = binary.LittleEndian.AppendUint64(a.vectors, uint64(id)) //nolint:gosec // ids are positive
		for _, x := range v {
			a.vectors = append(a.vectors, byte(x))
		}
	}
}

// put writes the vectors of a file, which has none in the index, and begins the next one.
func (a *associationsOf) put(ctx context.Context, b *batch, file int64) error {
	vectors := a.vectors
	a.vectors = a.vectors[:0]
	if len(vectors) == 0 {
		return nil
	}
	if _, err := b.exec(ctx, qPutAssociations, file, vectors); err != nil {
		return fmt.Errorf("write the vectors of functions to code.db: %w", err)
	}
	return nil
}

// Associated ranks functions by how near their words are to those of a question, by what was learned from other
// code. The scores are cosines. among, if not nil, are the pieces that may be found, in order.
func (x *Index) Associated(ctx context.Context, text string, limit int, among []int64) ([]Ranked, error) {
	model, err := x.biencoder()
	if err != nil {
		return nil, fmt.Errorf("load the vectors of words: %w", err)
	}
	question, ok := model.Question(words.Terms(text))
	if !ok {
		return nil, nil
	}
	if _, err := x.Renew(ctx); err != nil {
		return nil, err
	}
	all, err := x.associations(ctx)
	if err != nil {
		return nil, err
	}
	own := question.Inverse()
	var out []Ranked
	best := func() {
		sorting.Func(out, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		out = out[:min(len(out), limit)]
	}
	for i, id := range all.ids {
		if among != nil {
			if _, ok := slices.BinarySearch(among, id); !ok {
				continue
			}
		}
		if score := question.Dot(&all.vectors[i]) * own * all.inverses[i]; score > 0 {
			if out = append(out, Ranked{id, float64(score)}); len(out) >= 4*limit {
				best()
			}
		}
	}
	best()
	return out, nil
}

// associations reads the vectors of all functions, or returns those that are in memory.
func (x *Index) associations(ctx context.Context) (*associations, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.near != nil {
		return x.near, nil
	}
	var size int // known before, the lists need not grow
	if err := x.db.QueryRowContext(ctx, qAssociationsSize).Scan(&size); err != nil {
		return nil, fmt.Errorf("measure the vectors of functions in code.db: %w", err)
	}
	n := size / association
	out := &associations{make([]int64, 0, n), make([]biencoder.Vector, 0, n), make([]float32, 0, n)}
	err := x.each(ctx, qAssociations, nil, func(rows *sql.Rows) error {
		var data sql.RawBytes
		if err := rows.Scan(&data); err != nil {
			return err
		}
		for ; len(data) >= association; data = data[association:] {
			out.ids = append(out.ids, int64(binary.LittleEndian.Uint64(data))) //nolint:gosec // as it was written
			var v biencoder.Vector
			for k := range v {
				v[k] = int8(data[8+k]) //nolint:gosec // as it was written
			}
			out.vectors, out.inverses = append(out.vectors, v), append(out.inverses, v.Inverse())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x.near = out
	return out, nil
}

// newBiencoder loads the model when it is first needed.
func newBiencoder() func() (*biencoder.Model, error) { return sync.OnceValues(biencoder.Load) }
