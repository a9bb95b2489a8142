package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/memory/file"
	"manicule/memory/scope"
)

// Statements about files that moved or are gone.
const (
	qDeleteMemory  = `DELETE FROM memories WHERE path = ?1`
	qDeleteProblem = `DELETE FROM problems WHERE path = ?1`
	qPathByUUID    = `SELECT path FROM memories WHERE uuid = ?1 AND path <> ?2`
	qMoveFolder    = `INSERT INTO folders (path, mtime_ns) SELECT ?1, ?3 WHERE ?2 = 0 AND NOT EXISTS (SELECT 1 FROM folders WHERE path = ?1)
		UNION ALL SELECT ?1, ?3 WHERE EXISTS (SELECT 1 FROM folders WHERE path = ?1 AND mtime_ns = ?2)
		ON CONFLICT (path) DO UPDATE SET mtime_ns = excluded.mtime_ns`
)

// Report is the result of a sync.
type Report struct {
	Added, Changed, Removed int
	Problems                int
	// Whole is true if each file was compared.
	Whole bool
	// Key identifies the state of the folders and of the judgements. Equal keys mean equal
	// memories.
	Key string
	// passing is true if something was unreadable for a temporary reason.
	passing bool
	// finish makes the word index, if that was left for the end; else it is nil.
	finish func() error
	// read are the paths of all memories by uuid, if the database was empty; else nil.
	read map[string]string
}

// Any reports whether anything changed.
func (r Report) Any() bool { return r.Added+r.Changed+r.Removed > 0 }

// Sync updates the database from the memory files. If nothing changed, it only lists the folders.
func (s *Memories) Sync(ctx context.Context) (Report, error) {
	now := s.now()
	l, err := listDigest(s.writer.dir, now)
	if err != nil {
		return Report{}, err
	}
	same, judged := false, ""
	err = s.read(ctx, func(db DB) error {
		var was string
		var err error
		if judged, err = verdicts(ctx, db); err != nil {
			return err
		}
		err = db.QueryRowContext(ctx, qDigest).Scan(&was)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		same = l.clean && was == l.key()
		return err
	})
	r := Report{Key: l.key() + "+" + judged}
	if same {
		s.noteFullScan(l, now)
	}
	if err == nil && same {
		return r, s.renewHooks(ctx)
	}
	if err != nil {
		return r, err
	}
	return s.syncFiles(ctx)
}

// renewHooks writes the hooks' file again if another version of this program wrote it.
func (s *Memories) renewHooks(ctx context.Context) error {
	if !s.hooksOutdated() {
		return nil
	}
	return s.write(ctx, func(*sql.Tx) error { return nil })
}

// known is a file as its row describes it.
type known struct {
	mtimeNS, size int64
	problem       bool
}

// describes reports whether the row is that of a file as it is.
func (k known) describes(f diskFile) bool {
	return k.mtimeNS == f.mtimeNS && k.size == f.size && !k.problem
}

// syncAll updates the rows from the files, unless more than most of them changed: then it returns a [manyChanged].
func (w *rowWriter) syncAll(ctx context.Context, tx *sql.Tx, most int) (Report, error) {
	r, err := w.syncRows(ctx, tx, most)
	if err == nil && r.finish != nil {
		err = r.finish()
	}
	return r, err
}

// syncRows is syncAll, but leaves r.finish to the caller.
func (w *rowWriter) syncRows(ctx context.Context, tx *sql.Tx, most int) (Report, error) {
	var r Report
	l, err := listFiles(w.dir, w.now()) // again, under the lock
	if err != nil {
		return r, err
	}
	rows, err := loadKnown(ctx, tx)
	if err != nil {
		return r, err
	}
	// Sort: if two files have one uuid, the first is the memory.
	paths := slices.Sorted(maps.Keys(l.files))
	paths = slices.DeleteFunc(paths, func(path string) bool { return rows[path].describes(l.files[path]) })
	if len(paths) > manyFiles {
		w.many.Store(true)
	}
	if len(paths) > most && len(rows) > 0 { // the word index of an empty database is made at the end
		return r, &manyChanged{paths, l.files}
	}
	for path := range rows {
		if _, ok := l.files[path]; ok || l.covers(path) || l.irregular[path] && rows[path].problem {
			continue
		}
		if err := w.drop(ctx, tx, path, rows[path], &r); err != nil {
			return r, err
		}
	}
	if err := w.loadAll(ctx, tx, paths, l, rows, &r); err != nil {
		return r, err
	}
	for rel, err := range l.unread {
		r.passing, r.Problems = true, r.Problems+1
		if err := w.saveProblem(ctx, tx, rel, diskFile{}, err); err != nil {
			return r, err
		}
	}
	l.clean = l.clean && !r.passing
	for _, path := range slices.Sorted(maps.Keys(l.irregular)) {
		r.Problems++
		if err := w.saveProblem(ctx, tx, path, diskFile{}, irregularError(w.dir, path)); err != nil {
			return r, err
		}
	}
	if err := saveFolders(ctx, tx, l); err != nil {
		return r, err
	}
	if err := w.deprecate(ctx, tx); err != nil {
		return r, err
	}
	judged, err := verdicts(ctx, tx)
	if err != nil {
		return r, err
	}
	r.Key, r.Whole = l.key()+"+"+judged, true
	return r, setDigest(ctx, tx, l)
}

func setDigest(ctx context.Context, tx *sql.Tx, l listing) error {
	key := l.key()
	if !l.clean {
		key = ""
	}
	if err := setHalfRead(ctx, tx, false); err != nil {
		return err
	}
	return exec(ctx, tx, "note the state of the folders", qSetMeta, "digest", key)
}

func (w *rowWriter) drop(ctx context.Context, tx runner, path string, k known, r *Report) error {
	w.changed.add(path)
	if k.problem {
		if err := exec(ctx, tx, "forget a problem", qDeleteProblem, path); err != nil {
			return err
		}
	} else {
		r.Removed++
	}
	return exec(ctx, tx, "drop a memory", qDeleteMemory, path)
}

// load reads one file into its row or into the table of problems.
func (w *rowWriter) load(ctx context.Context, tx runner, path string, f diskFile, k known, r *Report) error {
	files := file.NewReader(w.dir)
	defer func() { _ = files.Close() }() // one was only read
	p := w.prepare(ctx, files, path)
	p.disk = f
	return w.apply(ctx, tx, p, k, r)
}

// apply is load for a prepared file.
func (w *rowWriter) apply(ctx context.Context, tx runner, p prepared, k known, r *Report) error {
	path, m, err := p.path, p.m, p.err
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since; the next sync notices
	}
	if err == nil {
		err = w.clash(ctx, tx, path, m, r.read)
	}
	if err == nil {
		err = p.verdict
	}
	if errors.Is(err, fs.ErrPermission) && (k.problem || k.size == 0) && strings.HasSuffix(pathDir(path), "/"+string(file.Personal)) && ofAnotherUser(w.dir, path) {
		if k.problem {
			return exec(ctx, tx, "forget a problem", qDeleteProblem, path)
		}
		return nil // a colleague's, in a checkout that a group shares: nothing is wrong with it
	}
	if err != nil {
		r.Problems++
		passing := file.IsUnreadable(err)
		r.passing = r.passing || passing
		if err := w.saveProblem(ctx, tx, path, p.disk, err); err != nil || passing {
			return err // keep the row: the file more likely still exists
		}
		return exec(ctx, tx, "drop a broken memory", qDeleteMemory, path)
	}
	if k.problem {
		if err := exec(ctx, tx, "forget a problem", qDeleteProblem, path); err != nil {
			return err
		}
	}
	if k.size == 0 || k.problem {
		r.Added++
	} else {
		r.Changed++
	}
	if r.read != nil {
		r.read[m.UUID] = path
	}
	return w.put(ctx, tx, p, k)
}

// clash detects another file with the same uuid, and an invalid scope. all are the paths of all
// memories by uuid; nil if only the database has them.
func (w *rowWriter) clash(ctx context.Context, tx runner, path string, m *file.Memory, all map[string]string) error {
	if m.Scope != nil {
		if _, err := scope.Compile(m.Scope, w.scopes); err != nil {
			return &file.Error{Line: 1, Column: 1, Pointer: "/scope", Msg: err.Error(), Err: err,
				Hint: "Write globs such as \"src/auth/**\", relative to the workspace."}
		}
	}
	other, ok := all[m.UUID]
	if all == nil {
		err := tx.QueryRowContext(ctx, qPathByUUID, m.UUID, path).Scan(&other)
		if ok = err == nil; !ok && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("look for the uuid %s: %w", m.UUID, err)
		}
	}
	if !ok {
		return nil
	}
	return &file.Error{Line: 1, Column: 1, Pointer: "/uuid", Msg: "the memory has the uuid of " + other,
		Hint: "Delete one of the two files, or give this one a fresh UUID."}
}

// FolderTime returns the modification time of a memory file's folder, 0 if there is none. Writers
// call it before they write.
func (s *Memories) FolderTime(path string) int64 {
	st, err := os.Stat(filepath.Join(s.writer.dir, filepath.FromSlash(pathDir(path))))
	if err != nil {
		return 0
	}
	return st.ModTime().UnixNano()
}

func pathDir(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// SyncPath reads one file that this process has just written or removed. before is the earlier
// FolderTime. If the database knew the folder at that time, it now knows its new time. Otherwise
// other files may have changed, and hooks check the folder.
func (s *Memories) SyncPath(ctx context.Context, path string, before int64) error {
	var key, now string
	var after int64
	return s.writeThen(ctx, func(tx *sql.Tx) error {
		rows, err := loadKnown(ctx, tx, path)
		if err != nil {
			return err
		}
		var r Report
		var is *diskFile
		k, have := rows[path]
		st, err := os.Lstat(filepath.Join(s.writer.dir, filepath.FromSlash(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if have {
				err = s.writer.drop(ctx, tx, path, k, &r)
			} else {
				err = nil
			}
		case err != nil:
			err = fmt.Errorf("look at memory: %w", err)
		default:
			is = &diskFile{mtimeNS: st.ModTime().UnixNano(), size: st.Size()}
			err = s.writer.load(ctx, tx, path, *is, k, &r)
		}
		if err != nil {
			return err
		}
		c := fileChange{path: path, before: before, after: s.FolderTime(path), is: is, passing: r.passing}
		if have {
			c.was = &diskFile{mtimeNS: k.mtimeNS, size: k.size}
		}
		after = c.after
		key, now, err = s.writer.noteFile(ctx, tx, c)
		return err
	}, func() { s.carryFullScan(key, now, pathDir(path), before, after) })
}

// fileChange is a file that this process has just written or removed.
type fileChange struct {
	path          string
	before, after int64     // times of its folder
	was, is       *diskFile // nil for none
	passing       bool      // it could not be read, for a reason that may pass
}

// noteFile updates the recorded folder times and digest for one changed file, and returns the
// states before and after. This process wrote the file, so its time is trusted even if it is racy.
func (w *rowWriter) noteFile(ctx context.Context, tx *sql.Tx, c fileChange) (key, now string, err error) {
	if err := w.deprecate(ctx, tx); err != nil {
		return "", "", err
	}
	if err := exec(ctx, tx, "note a folder", qMoveFolder, pathDir(c.path), c.before, c.after); err != nil {
		return "", "", err
	}
	if err := tx.QueryRowContext(ctx, qDigest).Scan(&key); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", "", fmt.Errorf("read the state of the folders: %w", err)
	}
	if c.passing || c.was != nil && c.was.mtimeNS == 0 {
		key = "" // the row is uncertain
	}
	now = keyAfter(key, c.path, c.was, c.is)
	return key, now, exec(ctx, tx, "note the state of the folders", qSetMeta, "digest", now)
}

// FolderTimes returns the modification time of each memory folder in nanoseconds; nil if they can't
// be read.
func (s *Memories) FolderTimes() map[string]int64 {
	l, err := folderTimes(s.writer.dir)
	if err != nil {
		return nil
	}
	return l.folders
}
