package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"manicule/indexer/words"
	"manicule/memory/file"
)

// prepared is a memory file with everything that needs no database. Reading and tokenizing it takes
// as long as storing it.
type prepared struct {
	path string
	disk diskFile // as its folder lists it
	m    *file.Memory
	data []byte
	// what, why, files and tags are what the word index takes of the memory's texts.
	what, why, files, tags string
	words, dedupe          string
	err                    error
	verdict                error // of the judge
}

// mostIndexed is how much of each text of a memory the word index takes, in bytes. It is more than
// any text that passes the gate has, 8,000 characters: only files that were written by hand can
// exceed it. Their words behind it are in no index, because a single such file would cost as much
// as a hundred memories, and would match any question.
const mostIndexed = 32 << 10

// indexed returns the beginning of a text that the word index takes, up to a space if there is one.
func indexed(text string) string {
	if len(text) <= mostIndexed {
		return text
	}
	end := mostIndexed
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	text = text[:end]
	if space := strings.LastIndexByte(text, ' '); space > mostIndexed/2 {
		text = text[:space]
	}
	return text
}

func (w *rowWriter) prepare(ctx context.Context, files *file.Reader, path string) (p prepared) {
	p.path = path
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
	p.what, p.why = indexed(p.m.What), indexed(p.m.Why)
	p.files, p.tags = indexed(strings.Join(related, " ")), indexed(strings.Join(p.m.Tags, " "))
	p.words, p.dedupe = words.IdentifierWords(p.what, p.why, p.tags, p.files), p.m.DedupeKey()
	if task := p.m.Task(); task != "" { // a lesson is found by the task at which it was learned
		p.words = strings.TrimSpace(p.words + " " + indexed(task))
	}
	if w.judge != nil {
		p.verdict = w.judge(ctx, p.m)
	}
	return p
}

// prepareAhead is how many files each worker prepares in advance, 8 MB with the largest ones.
const prepareAhead = 16

// loadAll reads files into their rows, in order. It prepares the next files while one is stored. The word
// index of many is left to r.finish.
func (w *rowWriter) loadAll(ctx context.Context, tx *sql.Tx, paths []string, l listing, rows map[string]known, r *Report) (err error) {
	workers := min(runtime.GOMAXPROCS(0), 4, len(paths))
	if workers == 0 {
		return nil
	}
	if len(rows) == 0 {
		r.read = make(map[string]string, len(paths))
	}
	if len(rows) == 0 && len(paths) >= bulk {
		if r.finish, err = deferWordIndex(ctx, tx); err != nil {
			return err
		}
	}
	prep := prepareOnce(tx)
	defer func() { err = errors.Join(err, prep.close()) }()
	stop := make(chan struct{})
	lanes := make([]chan prepared, workers)
	var wg sync.WaitGroup
	for first := range lanes {
		lane := make(chan prepared, prepareAhead)
		lanes[first] = lane
		wg.Go(func() {
			files := file.NewReader(w.dir)
			defer func() { _ = files.Close() }() // they were only read
			for i := first; i < len(paths); i += workers {
				select {
				case lane <- w.prepare(ctx, files, paths[i]):
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
		p := <-lanes[i%workers]
		p.disk = l.files[path]
		if err := w.apply(context.WithoutCancel(ctx), prep, p, rows[path], r); err != nil {
			return err
		}
		if w.progress != nil {
			w.progress(i+1, len(paths))
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
