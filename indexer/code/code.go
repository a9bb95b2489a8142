// Package code owns code.db, the keyword index over chunks of source files. The index
// is derived from the files and the code graph's chunks, and the first code search
// builds it. The package must not know how its results are ranked.
package code

import (
	"context"
	"database/sql"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/code/biencoder"
	"manicule/indexer/graph"
	"manicule/indexer/sqlfile"
)

//go:embed sql/*.sql
var migrations embed.FS

// schema is the version in the name of code.db. Raise it when the indexed content
// changes.
//
// History: 1, the first; 2, keys are of texts with the words of camelCase apart; 3, the names of
// functions; 4, keys are of the beginnings and the words of functions; 5, vectors of functions (package biencoder);
// 6, ids that are never given again, and the number of writes.
const schema = 6

// busyTimeout is how long a statement waits for another process.
const busyTimeout = 2 * time.Second

// The statements on code.db. A symbol's name, its path, the text, and the identifiers'
// words have equal weight: a higher weight for names found 24 of 91 functions among
// the first five by their description, equal weights 25.
const (
	qFiles      = `SELECT id, path, hash FROM files`
	qDeleteFile = `DELETE FROM files WHERE id = ?1`
	qClear      = `DELETE FROM pieces WHERE file = ?1`
	qPutFile    = `INSERT INTO files (path, hash) VALUES (?1, ?2)`
	qSetHash    = `UPDATE files SET hash = ?2 WHERE id = ?1`
	qPutPiece   = `INSERT INTO pieces (file, start, stop, line, end_line, kind, symbol, prefix, key, name) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`
	qPutWords   = `INSERT INTO words (rowid, symbol, path, text, parts) VALUES (?1, ?2, ?3, ?4, ?5)`
	qHaving     = `SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ?1 LIMIT ?2)`
	qSearch     = `SELECT w.id, p.file, w.rank FROM (SELECT rowid AS id, bm25(words, 1.0, 1.0, 1.0, 1.0) AS rank FROM words WHERE words MATCH ?1 ORDER BY rank, rowid LIMIT ?2) w JOIN pieces p ON p.id = w.id ORDER BY w.rank, w.id`
	qAmong      = `SELECT w.id, p.file, w.rank FROM (SELECT rowid AS id, bm25(words, 1.0, 1.0, 1.0, 1.0) AS rank FROM words WHERE words MATCH ?1 AND +rowid IN (SELECT value FROM json_each(?3)) ORDER BY rank, rowid LIMIT ?2) w JOIN pieces p ON p.id = w.id ORDER BY w.rank, w.id`
	qPaths      = `SELECT id, path FROM files ORDER BY path`
	qIn         = `SELECT id, key FROM pieces WHERE file IN (SELECT value FROM json_each(?1)) ORDER BY id`
	pieceFields = `p.id, f.path, p.start, p.stop, p.line, p.end_line, p.kind, p.symbol, p.prefix, p.key FROM pieces p JOIN files f ON f.id = p.file`
	qPieces     = `SELECT ` + pieceFields + ` WHERE p.id IN (SELECT value FROM json_each(?1)) ORDER BY p.id`
	qOf         = `SELECT ` + pieceFields + ` WHERE f.path = ?1 ORDER BY p.start`
	qKeys       = `SELECT id, key FROM pieces ORDER BY id`
	qNamed      = `SELECT p.id, f.path, p.name FROM pieces p JOIN files f ON f.id = p.file WHERE p.name <> '' AND p.name IN (SELECT value FROM json_each(?1)
		WHERE (SELECT count(*) FROM (SELECT 1 FROM pieces WHERE name <> '' AND name = value LIMIT ?2 + 1)) <= ?2) ORDER BY p.name, p.id`
	qCount      = `SELECT count(*) FROM pieces`
	qCountFiles = `SELECT count(*) FROM files`
	qWrites     = `SELECT n FROM writes`
	qCountWrite = `UPDATE writes SET n = n + 1`
)

// Piece is an indexed chunk of a file: a function, a class, or the code between them.
type Piece struct {
	ID            int64
	File          string // relative to the root
	Start, End    int    // byte offsets
	Line, EndLine int    // from 1
	Kind, Symbol  string // "" outside of symbols
	Prefix        string // embedded in front of the text
	Key           string // hash of the embedded text
}

// Ranked is a search result with its score in (0, 1].
type Ranked struct {
	ID    int64
	Score float64
}

// Source supplies the chunks of files; [graph.Index] implements it.
type Source interface {
	Files(ctx context.Context) ([]graph.File, error)
	Chunks(ctx context.Context, file string) ([]graph.Chunk, error)
}

// Index is code.db of one worktree. Other processes may read and write the same file.
type Index struct {
	db            *sqlfile.DB
	file          os.FileInfo // of db when it was opened
	dir, root     string
	replaced      bool                 // it was damaged, and begins anew
	discarded     atomic.Bool          // see Discard
	abbreviations func() abbreviations // made at the first search
	biencoder     func() (*biencoder.Model, error)
	now           func() time.Time
	patience      time.Duration // with another process that does not get on

	mu     sync.Mutex     // guards all below
	writes int64          // that the file had when what follows was read
	counts map[string]int // document frequency by term, up to [maxRanked] + 1
	near   *associations  // nil until they are read
}

// Open opens or creates the index in the worktree's cache folder. It replaces a
// damaged one.
func Open(ctx context.Context, dir, root string, now func() time.Time) (*Index, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the cache folder: %w", err)
	}
	tries := 0
	db, err := generations(dir).Open(func(path string) (*sqlfile.DB, error) {
		tries++
		return open(ctx, path)
	})
	if err != nil {
		return nil, fmt.Errorf("open code.db: %w", err)
	}
	file, err := os.Lstat(db.Path())
	if err != nil {
		file = nil // it was deleted at once, as gone tells
	}
	return &Index{db: db, file: file, dir: dir, root: root, now: now, replaced: tries > 1, abbreviations: sync.OnceValue(newAbbreviations), biencoder: newBiencoder(), patience: stalled}, nil
}

func generations(dir string) sqlfile.Generations {
	return sqlfile.Generations{Dir: dir, Name: "code.v" + strconv.Itoa(schema)}
}

// Check reports damage of the index in a cache folder. exists is false if the code was never searched.
func Check(ctx context.Context, dir string) (exists bool, err error) {
	if _, err := os.Stat(generations(dir).Current()); err != nil {
		return false, nil
	}
	x, err := Open(ctx, dir, "", time.Now)
	if err != nil {
		return true, err
	}
	return true, errors.Join(x.db.Check(ctx), x.Close())
}

// errGone means that the file was deleted while it was open, as with the cache folder.
var errGone = errors.New("code.db was deleted")

// IsDamaged reports whether an error means that the index is damaged, or was deleted while it was open; see [Index.Discard].
func IsDamaged(err error) bool { return sqlfile.IsCorrupt(err) || errors.Is(err, errGone) }

// Unusable reports whether an error of the index means that it has to be opened again: it is damaged or deleted, or another
// goroutine found it so and has closed it.
func (x *Index) Unusable(err error) bool {
	return IsDamaged(err) || err != nil && x.discarded.Load()
}

// gone reports whether the file was deleted. Whoever has it open sees nothing of that.
func (x *Index) gone() bool {
	now, err := os.Lstat(x.db.Path())
	return errors.Is(err, fs.ErrNotExist) || err == nil && (x.file == nil || !os.SameFile(x.file, now))
}

// Replaced reports whether [Open] found a damaged index and began an empty one.
func (x *Index) Replaced() bool { return x.replaced }

// Discard closes a damaged index and begins an empty one, unless another process already did, which [Open] opens.
func (x *Index) Discard() error {
	x.discarded.Store(true)
	if x.gone() {
		return x.Close()
	}
	_, err := generations(x.dir).Next(x.db.Path())
	return errors.Join(err, x.Close())
}

func open(ctx context.Context, path string) (*sqlfile.DB, error) {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
	if err != nil {
		return nil, err
	}
	sub, err := fs.Sub(migrations, "sql")
	if err == nil {
		err = db.Migrate(ctx, sub, nil)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close releases the database.
func (x *Index) Close() error { return x.db.Close() }

// Read returns the content of a file.
func (x *Index) Read(path string) ([]byte, error) {
	root, err := os.OpenRoot(x.root)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", x.root, err)
	}
	defer func() { _ = root.Close() }() // only read
	data, err := root.ReadFile(filepath.FromSlash(path))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// Text returns the text of a piece in its file, "" if the file is too short by now.
func (p Piece) Text(file []byte) string {
	if p.End > len(file) || p.Start > p.End {
		return ""
	}
	return strings.ToValidUTF8(string(file[p.Start:p.End]), " ")
}

// Filter lists ids and keys of the pieces in the files that pass, by id.
func (x *Index) Filter(ctx context.Context, passes func(path string) bool) (ids []int64, keys []string, err error) {
	files := []int64{}
	err = x.each(ctx, qPaths, nil, func(rows *sql.Rows) error {
		var id int64
		var path string
		err := rows.Scan(&id, &path)
		if err == nil && passes(path) {
			files = append(files, id)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	list, err := json.Marshal(files)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the ids of files: %w", err)
	}
	err = x.each(ctx, qIn, []any{string(list)}, func(rows *sql.Rows) error {
		var id int64
		var key []byte
		err := rows.Scan(&id, &key)
		ids, keys = append(ids, id), append(keys, hex.EncodeToString(key))
		return err
	})
	return ids, keys, err
}

// Pieces returns the pieces with the given ids, by id.
func (x *Index) Pieces(ctx context.Context, ids []int64) ([]Piece, error) {
	var list strings.Builder
	list.WriteByte('[')
	for i, id := range ids {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(strconv.FormatInt(id, 10))
	}
	return x.pieces(ctx, qPieces, list.String()+"]")
}

// InFile returns the pieces of a file, by position.
func (x *Index) InFile(ctx context.Context, file string) ([]Piece, error) {
	return x.pieces(ctx, qOf, file)
}

func (x *Index) pieces(ctx context.Context, query string, arg any) ([]Piece, error) {
	var out []Piece
	err := x.each(ctx, query, []any{arg}, func(rows *sql.Rows) error {
		var p Piece
		var key []byte
		err := rows.Scan(&p.ID, &p.File, &p.Start, &p.End, &p.Line, &p.EndLine, &p.Kind, &p.Symbol, &p.Prefix, &key)
		p.Key = hex.EncodeToString(key)
		out = append(out, p)
		return err
	})
	return out, err
}

// Keys calls f with each piece's id and key.
func (x *Index) Keys(ctx context.Context, f func(id int64, key string)) error {
	return x.each(ctx, qKeys, nil, func(rows *sql.Rows) error {
		var id int64
		var key []byte
		if err := rows.Scan(&id, &key); err != nil {
			return err
		}
		f(id, hex.EncodeToString(key))
		return nil
	})
}

// Count returns the number of pieces.
func (x *Index) Count(ctx context.Context) (n int, err error) {
	if err := x.db.QueryRowContext(ctx, qCount).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the pieces of code.db: %w", err)
	}
	return n, nil
}

func (x *Index) each(ctx context.Context, query string, args []any, f func(*sql.Rows) error) (err error) {
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("query code.db: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return fmt.Errorf("read code.db: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read code.db: %w", err)
	}
	return nil
}
