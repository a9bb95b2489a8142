package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"manicule/indexer/words"
	"manicule/memory/file"
)

// prepared is a memory file with everything that needs no database. Reading and tokenizing it takes
// as long as storing it.
type prepared struct {
	m                          *file.Memory
	data                       []byte
	files, tags, words, dedupe string
	err                        error
	verdict                    error // of the judge
}

func (s *Memories) prepare(ctx context.Context, files *file.Reader, path string) (p prepared) {
	if p.m, p.err = files.Read(path); p.err != nil {
		return p
	}
	if p.data, p.err = p.m.Marshal(); p.err != nil {
		return p
	}
	var related []string
	for _, g := range p.m.Scope {
		related = append(related, strings.TrimPrefix(g, "!"))
	}
	for _, a := range p.m.Anchors {
		related = append(related, a.Path, a.Symbol)
	}
	p.files, p.tags, p.dedupe = strings.Join(related, " "), strings.Join(p.m.Tags, " "), p.m.DedupeKey()
	p.words = words.IdentifierWords(p.m.What, p.m.Why, p.tags, p.files)
	if s.judge != nil {
		p.verdict = s.judge(ctx, p.m)
	}
	return p
}

// prepareAhead is how many files each worker prepares in advance, 8 MB with the largest ones.
const prepareAhead = 16

// loadAll reads files into their rows, in order. It prepares the next files while one is stored.
func (s *Memories) loadAll(ctx context.Context, tx *sql.Tx, paths []string, l listing, rows map[string]known, r *Report) (err error) {
	workers := min(runtime.GOMAXPROCS(0), 4, len(paths))
	if workers == 0 {
		return nil
	}
	if len(rows) == 0 {
		r.read = make(map[string]string, len(paths))
	}
	if len(rows) == 0 && len(paths) >= bulk {
		finish, failed := deferWordIndex(ctx, tx)
		if failed != nil {
			return failed
		}
		defer func() {
			if err == nil {
				err = finish()
			}
		}()
	}
	prep := prepareOnce(tx)
	defer func() { err = errors.Join(err, prep.close()) }()
	stop := make(chan struct{})
	lanes := make([]chan prepared, workers)
	var wg sync.WaitGroup
	for w := range lanes {
		lane := make(chan prepared, prepareAhead)
		lanes[w] = lane
		wg.Go(func() {
			files := file.NewReader(s.memDir)
			defer func() { _ = files.Close() }() // they were only read
			for i := w; i < len(paths); i += workers {
				select {
				case lane <- s.prepare(ctx, files, paths[i]):
				case <-stop:
					return
				}
			}
		})
	}
	defer wg.Wait()
	defer close(stop)
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read the memories: %w", err)
		}
		// A cancellable context costs a goroutine for each statement, so check it here instead.
		if err := s.apply(context.WithoutCancel(ctx), prep, path, l.files[path], rows[path], <-lanes[i%workers], r); err != nil {
			return err
		}
		if s.progress != nil {
			s.progress(i+1, len(paths))
		}
	}
	return nil
}

// bulk is the number of new files from which an empty database is indexed at the end. Indexing row
// by row would write and merge the word index repeatedly.
const bulk = 200

const (
	qWordsTrigger = `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'memories_ai'`
	qNoWords      = `DROP TRIGGER memories_ai`
	qAllWords     = `INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')`
)

// deferWordIndex stops updates of the word index until finish, which rebuilds it.
func deferWordIndex(ctx context.Context, tx *sql.Tx) (finish func() error, err error) {
	var trigger string
	if err := tx.QueryRowContext(ctx, qWordsTrigger).Scan(&trigger); err != nil {
		return nil, fmt.Errorf("look at the word index: %w", err)
	}
	if err := exec(ctx, tx, "leave the word index for later", qNoWords); err != nil {
		return nil, err
	}
	return func() error {
		if err := exec(ctx, tx, "make the word index", qAllWords); err != nil {
			return err
		}
		return exec(ctx, tx, "keep the word index", trigger)
	}, nil
}
