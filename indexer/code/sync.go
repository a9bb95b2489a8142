package code

import (
	"context"
	"database/sql"
	"fmt"
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
	todo, err := x.compare(ctx, src)
	if err != nil || todo.none() {
		return 0, err
	}
	unlock, err := x.lock(ctx, todo, progress)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if x.gone() { // and so was the lock: a process that holds the earlier one may be writing
		return 0, errGone
	}
	if todo, err = x.compare(ctx, src); err != nil { // another process may have read some of them
		return 0, err
	}
	if len(todo.gone) > 0 {
		err := x.write(ctx, func(tx *sql.Tx) error {
			for _, k := range todo.gone {
				if err := x.deleteFile(ctx, tx, k.id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	changed = len(todo.gone)
	if len(todo.due) == 0 {
		return changed, nil
	}
	model, err := x.biencoder()
	if err != nil {
		return changed, fmt.Errorf("load the vectors of words: %w", err)
	}
	near := &associationsOf{model: model, stemmer: new(words.Stemmer)}
	for at := 0; at < len(todo.due); at += batchFiles {
		page := todo.due[at:min(at+batchFiles, len(todo.due))]
		err := x.write(ctx, func(tx *sql.Tx) error {
			b := &batch{tx: tx, stmts: map[string]*sql.Stmt{}}
			defer b.close()
			for _, f := range page {
				if err := x.putFile(ctx, b, src, f, near); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return changed, err
		}
		changed += len(page)
		if progress != nil {
			progress(at+len(page), len(todo.due))
		}
	}
	sqlfile.RemoveEarlier(x.dir, "code", schema, x.now())
	return changed, nil
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
func (x *Index) compare(ctx context.Context, src Source) (d difference, err error) {
	if d.gone, err = x.files(ctx); err != nil {
		return d, err
	}
	d.have = len(d.gone)
	files, err := src.Files(ctx)
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

func (x *Index) deleteFile(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, q := range []string{qClear, qDeleteFile} {
		if _, err := tx.ExecContext(ctx, q, id); err != nil {
			return fmt.Errorf("delete a file from code.db: %w", err)
		}
	}
	return nil
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
func (x *Index) putFile(ctx context.Context, b *batch, src Source, f dueFile, near *associationsOf) error {
	chunks, err := src.Chunks(ctx, f.Path)
	if err != nil {
		return err
	}
	text, err := x.Read(f.Path)
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
