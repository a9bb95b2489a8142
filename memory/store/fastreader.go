package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// quickBusy is how long a hook waits for a lock.
const quickBusy = 5 * time.Millisecond

// Statements of hooks.
const (
	qQuickReaching = `SELECT outline FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))
		AND memory_id NOT IN (SELECT memory_id FROM memories WHERE deprecated = 1)`
	qQuickReachingDir = qQuickReaching + ` UNION SELECT outline FROM reaches WHERE prefix >= ?2 AND prefix < ?3
		AND memory_id NOT IN (SELECT memory_id FROM memories WHERE deprecated = 1)`
	qBrief = `SELECT outline FROM reaches WHERE prefix = '*' AND memory_id NOT IN (SELECT memory_id FROM memories WHERE deprecated = 1)
		UNION SELECT outline FROM reaches WHERE memory_id IN (SELECT memory_id FROM memories WHERE pinned = 1 AND deprecated = 0)`
	qOutlinesOf = `SELECT outline FROM reaches WHERE memory_id IN (SELECT memory_id FROM memories
		WHERE path IN (SELECT value FROM json_each(?1)) AND memory_id NOT IN (SELECT memory_id FROM memories WHERE deprecated = 1))`
	// The record with id 1 of an FTS5 index begins with the number of its rows (the "averages
	// record" in SQLite's fts5_index.c), which are those of memories.
	qIndexed = `SELECT (SELECT block FROM memories_fts_data WHERE id = 1), (SELECT count(*) FROM memories WHERE deprecated = 1)`
	qTotal   = `SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM memories WHERE deprecated = 1)`
)

// FastReader is the hooks' access to memories.db. It opens read-only, waits for no lock, and never
// builds, migrates or writes. It reads folders that changed since the database was updated. Without
// a usable database it reads the files.
type FastReader struct {
	config Config
	db     *sqlfile.DB // nil: read the files
	fresh  []Row       // memories that are not in the database yet
	files  *fileScan   // used without a database
}

// OpenFastReader opens what exists. Only an unreadable memory folder is an error.
func OpenFastReader(ctx context.Context, c Config) (*FastReader, error) {
	q := &FastReader{config: c}
	q.db = openQuickDB(ctx, c)
	if q.db != nil {
		err := q.catchUp(ctx)
		if err == nil {
			return q, nil
		}
		if ctx.Err() != nil {
			return nil, errors.Join(err, q.Close())
		}
	}
	return q, q.useFiles()
}

func openQuickDB(ctx context.Context, c Config) *sqlfile.DB {
	s := &Memories{cacheDir: c.CacheDir}
	p, err := s.readPointer()
	if err != nil {
		return nil
	}
	path := filepath.Join(c.CacheDir, p.File)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	db, err := openReading(ctx, path, quickBusy)
	if err != nil {
		return nil
	}
	return db
}

// catchUp reads files that were added to a folder since the database was updated. Removed files are
// noticed when they are shown.
func (q *FastReader) catchUp(ctx context.Context) error {
	seen := map[string]int64{}
	err := scan(ctx, q.db, qFolders, nil, func(rows *sql.Rows) error {
		var p string
		var ns int64
		err := rows.Scan(&p, &ns)
		seen[p] = ns
		return err
	})
	if err != nil {
		return err
	}
	now, err := folderTimes(q.config.Dir)
	if err != nil {
		return err
	}
	for rel, ns := range now.folders {
		if rel == "." || seen[rel] == ns {
			continue
		}
		if err := q.catchUpFolder(ctx, rel); err != nil {
			return err
		}
	}
	slices.SortFunc(q.fresh, func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func (q *FastReader) catchUpFolder(ctx context.Context, rel string) error {
	known := map[string]bool{}
	err := scan(ctx, q.db, qPathsIn, []any{rel + "/", rel + "0"}, func(rows *sql.Rows) error {
		var p string
		err := rows.Scan(&p)
		known[p] = true
		return err
	})
	if err != nil {
		return err
	}
	l := listing{files: map[string]diskFile{}}
	if err := l.names(filepath.Join(q.config.Dir, filepath.FromSlash(rel)), rel); err != nil {
		return err
	}
	for path := range l.files {
		if known[path] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if r, ok := q.readRow(path); ok {
			q.fresh = append(q.fresh, r)
		}
	}
	return nil
}

// names adds the file names of a folder to the listing.
func (l *listing) names(abs, rel string) error {
	entries, err := os.ReadDir(abs)
	if err != nil {
		return fmt.Errorf("read memory folder: %w", err)
	}
	for _, e := range entries {
		if path := rel + "/" + e.Name(); !e.IsDir() && file.IsMemoryPath(path) {
			l.files[path] = diskFile{}
		}
	}
	return nil
}

func (q *FastReader) readRow(path string) (Row, bool) {
	m, err := file.Read(filepath.Join(q.config.Dir, filepath.FromSlash(path)))
	if err != nil {
		return Row{}, false // broken or removed: reported elsewhere
	}
	return Row{Path: path, outline: WithoutText(m), Unjudged: true}, true
}

// WithoutText returns what may be shown of a memory that nobody has judged: its kind and where it
// applies, but no text. A hook has no time to judge, and the file may just have come with a pull.
func WithoutText(m *file.Memory) *file.Memory {
	return &file.Memory{Format: m.Format, UUID: m.UUID, Type: m.Type, Layer: m.Layer, Scope: m.Scope, Anchors: m.Anchors, Visibility: m.Visibility,
		Importance: file.Low, UpdatedAt: m.UpdatedAt, Trust: file.Trust{Unreviewed: true}}
}

// Reaching is [Memories.Reaching]. Without a database it returns what it can read in time. The
// database's project-wide memories are left out unless withProject is set.
func (q *FastReader) Reaching(ctx context.Context, rel string, isDir, withProject bool) ([]Row, error) {
	prefixes := jsonList(PathPrefixes(rel, q.config.Scopes, withProject))
	if !isDir {
		return q.rows(ctx, searchTexts(rel, false), applying(rel, q.config.Scopes), qQuickReaching, prefixes)
	}
	low := q.config.Scopes.Folded(rel)
	if low != "" {
		low += "/"
	}
	return q.rows(ctx, searchTexts(rel, true), nil, qQuickReachingDir, prefixes, low, low+"\U0010FFFF")
}

// applying returns a filter of outlines that rejects memories whose scope does not match a file
// path. Patterns like "**/*_test.go" reach every path but apply to few, and many memories share
// one. Memories with anchors pass, because their places decide as well.
func applying(rel string, opts scope.Options) func(line []byte) bool {
	known := map[string]bool{}
	return func(line []byte) bool {
		for range outlineScope {
			i := bytes.IndexByte(line, fieldSep[0])
			if i < 0 {
				return true // damaged, which fromOutline reports
			}
			line = line[i+1:]
		}
		patterns, rest, ok := bytes.Cut(line, []byte(fieldSep))
		if !ok || len(patterns) == 0 || len(rest) == 0 || rest[0] != fieldSep[0] {
			return true
		}
		in, ok := known[string(patterns)]
		if !ok {
			s, err := scope.Compile(strings.Split(string(patterns), itemSep), opts)
			in = err == nil && s.Match(rel, false) != scope.None
			known[string(patterns)] = in
		}
		return in
	}
}

// Brief returns the pinned and project-wide candidates for a session's brief, and the total number
// of memories.
func (q *FastReader) Brief(ctx context.Context) (rows []Row, total int, err error) {
	if rows, err = q.rows(ctx, []string{`"pinned": true`, `"scope": null`}, nil, qBrief); err != nil {
		return nil, 0, err
	}
	if q.db == nil {
		return rows, len(q.files.paths), nil
	}
	total, err = countLive(ctx, q.db)
	return rows, total + len(q.fresh), err
}

// countLive counts the memories that are not superseded, without reading an entry for each:
// the text index keeps their number.
func countLive(ctx context.Context, db DB) (total int, err error) {
	var averages []byte
	deprecated := 0
	err = scan(ctx, db, qIndexed, nil, func(r *sql.Rows) error { return r.Scan(&averages, &deprecated) })
	if err != nil {
		return 0, err
	}
	if n, ok := firstVarint(averages); ok {
		return n - deprecated, nil
	}
	err = scan(ctx, db, qTotal, nil, func(r *sql.Rows) error { return r.Scan(&total) })
	return total, err
}

// firstVarint decodes the number at the start of a record as SQLite writes it: seven bits a
// byte, most significant first. ok is false for one that no count reaches.
func firstVarint(record []byte) (n int, ok bool) {
	for _, b := range record[:min(4, len(record))] {
		n = n<<7 | int(b&0x7f)
		if b < 0x80 {
			return n, true
		}
	}
	return 0, false
}

// ByPaths returns the memories with some paths below the memories folder, in no order, without
// superseded ones.
func (q *FastReader) ByPaths(ctx context.Context, paths []string) ([]Row, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if q.db == nil {
		return q.files.byPath(ctx, q, paths), nil
	}
	rows, err := q.rows(ctx, paths, nil, qOutlinesOf, jsonList(paths))
	if err != nil {
		return nil, err
	}
	asked := make(map[string]bool, len(paths))
	for _, p := range paths {
		asked[p] = true
	}
	var out []Row
	for _, r := range rows {
		if asked[r.Path] {
			out = append(out, r)
		}
	}
	return out, nil
}

// rows runs a query of outlines and drops those that keep rejects; nil keeps all. Without a
// database it reads files that contain one of the texts first.
func (q *FastReader) rows(ctx context.Context, texts []string, keep func([]byte) bool, query string, args ...any) ([]Row, error) {
	if q.db != nil {
		rows, err := keptOutlines(ctx, q.db, keep, query, args)
		if err == nil {
			return append(rows, q.fresh...), nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if err := q.useFiles(); err != nil {
			return nil, err
		}
	}
	return q.files.containing(ctx, q, texts), nil
}

// Search is [Memories.Search]. Without a database it finds nothing, because reading all files would
// take too long.
func (q *FastReader) Search(ctx context.Context, text string, limit int) ([]Row, error) {
	if q.db == nil {
		return nil, nil
	}
	count := func(term string, most int) (int, error) { return countHaving(ctx, q.db, term, most) }
	return byWords(text, limit, func(r Row) string { return r.Path }, maxRankedQuick, count, func(like bool, match string) ([]Row, error) {
		if like {
			return nil, nil // only explicit questions scan all texts
		}
		return rowsOf(ctx, q.db, qSearch, match, limit)
	})
}

// Having counts the indexed memories with a word, or with the words of a name one after the other,
// up to most. A count that fails is 0.
func (q *FastReader) Having(ctx context.Context, text string, most int) int {
	if q.db == nil {
		return 0
	}
	n, err := countHaving(ctx, q.db, `"`+strings.ReplaceAll(text, `"`, "")+`"`, most)
	if err != nil {
		return 0
	}
	return n
}

// Total counts the indexed memories. A count that fails is 0.
func (q *FastReader) Total(ctx context.Context) int {
	if q.db == nil {
		return 0
	}
	n, err := countLive(ctx, q.db)
	if err != nil {
		return 0
	}
	return n
}

// ByUUID returns the memories of some ids, in no order.
func (q *FastReader) ByUUID(ctx context.Context, ids []string) ([]Row, error) {
	if q.db == nil {
		return nil, nil
	}
	var out []Row
	for _, id := range ids {
		rows, err := rowsOf(ctx, q.db, qRowByUUID, id)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// Close releases the database.
func (q *FastReader) Close() error { return closeDB(&q.db) }
