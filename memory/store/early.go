package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
)

const qEarlyReaching = `SELECT path, json, sum, places, unreviewed, life, mtime_ns, size FROM memories WHERE deprecated = 0 AND memory_id IN
	(SELECT memory_id FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))) ORDER BY path`

// EarlyReaching is [Memories.Reaching] for a file, for a process that has just started and can't
// wait until all files were compared. It has a connection of its own, so it doesn't wait for a Sync
// either. It compares the folders and the files of the rows. If one of them changed, or if there is
// no usable database, ok is false. Only an edit in place that makes another memory apply to the
// file is missed, until the first Sync.
func (s *Memories) EarlyReaching(ctx context.Context, rel string) (rows []Row, ok bool) {
	db := s.openEarly(ctx)
	if db == nil {
		return nil, false
	}
	defer func() { ok = db.Close() == nil && ok }()
	if !s.sameFolders(ctx, db) {
		return nil, false
	}
	err := scan(ctx, db, qEarlyReaching, []any{jsonList(PathPrefixes(rel, s.writer.scopes, true))}, func(found *sql.Rows) error {
		var r Row
		var f diskFile
		if err := found.Scan(&r.Path, &r.JSON, &r.sum, &r.places, &r.unreviewed, &r.life, &f.mtimeNS, &f.size); err != nil {
			return err
		}
		if checksum(r.Path, r.JSON) != r.sum || !s.unchanged(r.Path, f) {
			return errStale
		}
		rows = append(rows, r)
		return nil
	})
	AsOf(rows, s.now())
	return rows, err == nil
}

// openEarly opens what another process left; nil if there is nothing usable.
func (s *Memories) openEarly(ctx context.Context) DB {
	p, err := readPointer(s.folder)
	if err != nil {
		return nil
	}
	path := filepath.Join(s.folder, p.File)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	db, err := openReading(ctx, path, quickBusy, false)
	if err != nil {
		return nil
	}
	return db
}

var errStale = errors.New("the row is not that of the file")

// sameFolders reports whether the folders are as they were when the database was updated.
func (s *Memories) sameFolders(ctx context.Context, db DB) bool {
	seen := map[string]int64{}
	err := scan(ctx, db, qFolders, nil, func(rows *sql.Rows) error {
		var path string
		var ns int64
		err := rows.Scan(&path, &ns)
		seen[path] = ns
		return err
	})
	now := s.FolderTimes()
	for _, times := range []map[string]int64{seen, now} { // it holds other folders, too
		delete(times, ".")
	}
	return err == nil && len(now) > 0 && maps.Equal(seen, now)
}

// unchanged reports whether a file is certainly as it was read.
func (s *Memories) unchanged(path string, was diskFile) bool {
	st, err := os.Lstat(filepath.Join(s.writer.dir, filepath.FromSlash(path)))
	return err == nil && st.Mode().IsRegular() && was.mtimeNS != 0 && st.ModTime().UnixNano() == was.mtimeNS && st.Size() == was.size
}
