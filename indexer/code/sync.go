package code

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/graph"
	"manicule/indexer/hashing"
	"manicule/indexer/sqlfile"
	"manicule/indexer/words"
)

// batchFiles is how many files one transaction writes: an interruption loses at most
// that.
const batchFiles = 200

// Sync updates the index to the files in the graph, and returns how many files
// changed. While another process does so, it waits for it. progress may be nil.
func (x *Index) Sync(ctx context.Context, src Source, progress func(done, total int)) (changed int, err error) {
	return update{x, src, progress}.run(ctx)
}

// update is one [Index.Sync].
type update struct {
	x        *Index
	src      Source
	progress func(done, total int) // may be nil
}

func (u update) run(ctx context.Context) (changed int, err error) {
	todo, err := u.compare(ctx)
	if err != nil || todo.none() {
		return 0, err
	}
	unlock, err := u.lock(ctx, todo)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if u.x.gone() { // and so was the lock: a process that holds the earlier one may be writing
		return 0, errGone
	}
	if todo, err = u.compare(ctx); err != nil { // another process may have read some of them
		return 0, err
	}
	if err := u.remove(ctx, todo.gone); err != nil {
		return 0, err
	}
	read, err := u.read(ctx, todo.due)
	return len(todo.gone) + read, err
}

// remove takes files out of the index.
func (u update) remove(ctx context.Context, gone map[string]indexedFile) error {
	if len(gone) == 0 {
		return nil
	}
	return u.x.write(ctx, func(tx *sql.Tx) error {
		for _, k := range gone {
			for _, q := range []string{qClear, qDeleteFile} {
				if _, err := tx.ExecContext(ctx, q, k.id); err != nil {
					return fmt.Errorf("delete a file from code.db: %w", err)
				}
			}
		}
		return nil
	})
}

// read indexes files, and returns how many of them it got done.
func (u update) read(ctx context.Context, due []dueFile) (done int, err error) {
	if len(due) == 0 {
		return 0, nil
	}
	model, err := u.x.biencoder()
	if err != nil {
		return 0, fmt.Errorf("load the vectors of words: %w", err)
	}
	near := &associationsOf{model: model, stemmer: new(words.Stemmer)}
	for page := range slices.Chunk(due, batchFiles) {
		err := u.x.write(ctx, func(tx *sql.Tx) error {
			b := &batch{tx: tx, stmts: map[string]*sql.Stmt{}}
			defer b.close()
			for _, f := range page {
				if err := u.putFile(ctx, b, f, near); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return done, err
		}
		done += len(page)
		if u.progress != nil {
			u.progress(done, len(due))
		}
	}
	sqlfile.RemoveEarlier(u.x.dir, "code", schema, u.x.now())
	return done, nil
}

// difference is what a Sync has to do.
type difference struct {
	due  []dueFile
	gone map[string]indexedFile
	have int // files in the index
}

// dueFile is a file to read, with its id if an earlier text of it is in the index.
type dueFile struct {
	graph.File
	id int64
}

func (d difference) none() bool { return len(d.due)+len(d.gone) == 0 }

// compare compares the index with the files in the graph. The index is read first: what another process adds to both
// meanwhile is not taken for a file that is gone.
func (u update) compare(ctx context.Context) (d difference, err error) {
	if d.gone, err = u.x.files(ctx); err != nil {
		return d, err
	}
	d.have = len(d.gone)
	files, err := u.src.Files(ctx)
	if err != nil {
		return d, err
	}
	for _, f := range files {
		if k, ok := d.gone[f.Path]; !ok || k.hash != f.Hash {
			d.due = append(d.due, dueFile{f, k.id})
		}
		delete(d.gone, f.Path)
	}
	return d, nil
}

type indexedFile struct {
	id   int64
	hash string
}

func (x *Index) files(ctx context.Context) (map[string]indexedFile, error) {
	out := map[string]indexedFile{}
	err := x.each(ctx, qFiles, nil, func(rows *sql.Rows) error {
		var k indexedFile
		var path string
		var hash []byte
		err := rows.Scan(&k.id, &path, &hash)
		k.hash = string(hash)
		out[path] = k
		return err
	})
	return out, err
}

// batch is a transaction that writes many rows by the same statements.
type batch struct {
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
}

// exec executes a statement and returns the id of the row that it inserted.
//
// None of these statements may have a RETURNING clause or fire a trigger: SQLite runs such a one in a savepoint of its own, at
// which FTS5 writes all words that it has collected, as a segment that it has to merge later.
func (b *batch) exec(ctx context.Context, query string, args ...any) (int64, error) {
	st := b.stmts[query]
	if st == nil {
		var err error
		if st, err = b.tx.PrepareContext(ctx, query); err != nil {
			return 0, err
		}
		b.stmts[query] = st
	}
	res, err := st.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func (b *batch) close() {
	for _, st := range b.stmts {
		_ = st.Close() // the transaction has its result
	}
}

// begin writes the row of a file and removes what the index has of its earlier text.
func (b *batch) begin(ctx context.Context, f dueFile) (id int64, err error) {
	if f.id == 0 {
		return b.exec(ctx, qPutFile, f.Path, []byte(f.Hash))
	}
	if _, err := b.exec(ctx, qSetHash, f.id, []byte(f.Hash)); err != nil {
		return 0, err
	}
	for _, q := range []string{qClear, qNoAssociations} { // these have triggers, but changed files are few
		if _, err := b.tx.ExecContext(ctx, q, f.id); err != nil {
			return 0, err
		}
	}
	return f.id, nil
}

// putFile indexes a file again. A file that changed after the graph read it waits for
// the next Sync.
func (u update) putFile(ctx context.Context, b *batch, f dueFile, near *associationsOf) error {
	chunks, err := u.src.Chunks(ctx, f.Path)
	if err != nil {
		return err
	}
	text, err := u.x.Read(f.Path)
	if err != nil {
		return nil //nolint:nilerr // it is gone: the graph will say so next time
	}
	if graph.HashOf(text) != f.Hash {
		return nil // the chunks are of another text; the graph reads this one next time
	}
	id, err := b.begin(ctx, f)
	if err != nil {
		return fmt.Errorf("write %s to code.db: %w", f.Path, err)
	}
	where := f.Path + " " + words.IdentifierWords(f.Path)
	for _, c := range chunks {
		if c.End > len(text) {
			continue
		}
		body := strings.ToValidUTF8(string(text[c.Start:c.End]), " ")
		key := hashing.Sum256([]byte(EmbeddingText(f.Path, c.Kind, c.Prefix, body)))
		piece, err := b.exec(ctx, qPutPiece, id, c.Start, c.End, c.Line, c.EndLine, c.Kind, c.Symbol, c.Prefix, key[:], nameOf(f.Path, c))
		if err != nil {
			return fmt.Errorf("write a piece of %s to code.db: %w", f.Path, err)
		}
		if _, err := b.exec(ctx, qPutWords, piece, c.Symbol+" "+words.IdentifierWords(c.Symbol), where, body, words.IdentifierWords(body)); err != nil {
			return fmt.Errorf("write the words of %s to code.db: %w", f.Path, err)
		}
		near.add(piece, c, body)
	}
	return near.put(ctx, b, id)
}
