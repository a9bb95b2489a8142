package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"manicule/indexer/background"
	"manicule/indexer/lockfile"
	"manicule/memory/file"
)

// After a pull or a checkout thousands of memory files may be new. To read them takes seconds, and in one transaction all other
// writers of all processes would wait for its end. So they are read in steps: a step reads its files before it takes the lock of
// the writers, and stores them in a transaction of its own. Between two steps any other writer has its turn. The last
// transaction compares all files, as if there had been no steps, and only it says that the database is current. If the process
// ends before, the next one goes on.

const (
	// stepFiles is how many files a step reads: storing them takes less than a tenth of a second.
	stepFiles = 250
	// manyFiles is the number of changed files from which they are read in steps.
	manyFiles = 2 * stepFiles
)

// Statements about steps.
const (
	qHalfRead = `SELECT value FROM meta WHERE key = 'half read'`
	qUUIDs    = `SELECT uuid, path FROM memories WHERE uuid IN (SELECT value FROM json_each(?1))`
	qKnownAt  = `SELECT path, mtime_ns, size, 0 FROM memories WHERE path IN (SELECT value FROM json_each(?1))
		UNION ALL SELECT path, mtime_ns, size, 1 FROM problems WHERE path IN (SELECT value FROM json_each(?1))`
)

// manyChanged is returned instead of reading many files in one transaction.
type manyChanged struct {
	paths []string // of those that changed, sorted
	files map[string]diskFile
}

// Error implements error.
func (m *manyChanged) Error() string {
	return fmt.Sprintf("%d memory files changed", len(m.paths))
}

// ReadsMany reports whether this process reads many memory files that changed, or waits for another one that does.
func (s *Memories) ReadsMany() bool { return s.writer.many.Load() }

// syncFiles compares all files, and reads those that changed.
func (s *Memories) syncFiles(ctx context.Context) (r Report, err error) {
	defer s.writer.many.Store(false)
	var before Report // of the steps
	most := manyFiles
	if s.dir() == "" {
		most = math.MaxInt // nobody else has a database in memory
	}
	for {
		err = s.write(ctx, func(tx *sql.Tx) error {
			r, err = s.writer.syncAll(ctx, tx, most)
			return err
		})
		many, ok := errors.AsType[*manyChanged](err)
		if !ok {
			break
		}
		unlock, first, lerr := s.turnToRead(ctx)
		if lerr != nil {
			return r, lerr
		}
		if first {
			background.Run(func() { before, err = s.readInSteps(ctx, many) })
			most = math.MaxInt // few are left
		}
		unlock()
		if first && err != nil {
			return r, err
		}
	}
	r.Added, r.Changed, r.Problems = r.Added+before.Added, r.Changed+before.Changed, r.Problems+before.Problems
	return r, err
}

// turnRetry is how often a process that waits for another one's steps looks whether they are done.
const turnRetry = 20 * time.Millisecond

// turnToRead makes sure that one process at a time reads in steps: two would read the same files. first is false if it waited for
// another one, which has read what there was.
func (s *Memories) turnToRead(ctx context.Context) (unlock func(), first bool, err error) {
	l := lockfile.New(filepath.Join(s.dir(), "memories.reading.lock"))
	if first, err = l.TryLock(); err == nil && !first {
		_, err = l.TryLockContext(ctx, turnRetry)
	}
	if err != nil {
		return nil, false, fmt.Errorf("wait for the process that reads the memories: %w", err)
	}
	return func() { _ = l.Unlock() }, first, nil // closing the descriptor releases the lock
}

// readInSteps reads files that changed, but for those that only the comparison of all can judge.
func (s *Memories) readInSteps(ctx context.Context, m *manyChanged) (all Report, err error) {
	for from := 0; from < len(m.paths); from += stepFiles {
		paths := m.paths[from:min(from+stepFiles, len(m.paths))]
		files := s.writer.prepareAll(ctx, paths)
		if err := ctx.Err(); err != nil {
			return all, fmt.Errorf("read the memories: %w", err)
		}
		for i := range files {
			files[i].disk = m.files[files[i].path]
		}
		var r Report
		err := s.write(ctx, func(tx *sql.Tx) error {
			r = Report{}
			return s.writer.store(ctx, tx, files, &r)
		})
		if err != nil {
			return all, err
		}
		all.Added, all.Changed, all.Problems = all.Added+r.Added, all.Changed+r.Changed, all.Problems+r.Problems
		if s.writer.progress != nil {
			s.writer.progress(from+len(paths), len(m.paths))
		}
	}
	return all, nil
}

// prepareAll prepares some files, in order.
func (w *rowWriter) prepareAll(ctx context.Context, paths []string) []prepared {
	out := make([]prepared, len(paths))
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), 4, len(paths))
	for first := range workers {
		wg.Go(func() {
			background.Run(func() {
				files := file.NewReader(w.dir)
				defer func() { _ = files.Close() }() // they were only read
				for i := first; i < len(paths) && ctx.Err() == nil; i += workers {
					out[i] = w.prepare(ctx, files, paths[i])
				}
			})
		})
	}
	wg.Wait()
	return out
}

// store writes the rows of files that were read in a step. It leaves out those that another process has read since, and those
// whose uuid another file has or had: which of them is the memory tells the comparison of all.
func (w *rowWriter) store(ctx context.Context, tx *sql.Tx, files []prepared, r *Report) (err error) {
	rows, err := knownAt(ctx, tx, files)
	if err != nil {
		return err
	}
	taken, err := takenUUIDs(ctx, tx, files)
	if err != nil {
		return err
	}
	prep := prepareOnce(tx)
	defer func() { err = errors.Join(err, prep.close()) }()
	for _, p := range files {
		if rows[p.path].describes(p.disk) || p.m != nil && taken[p.m.UUID] != "" && taken[p.m.UUID] != p.path {
			continue
		}
		if p.m != nil {
			taken[p.m.UUID] = p.path
		}
		if err := w.apply(ctx, prep, p, rows[p.path], r); err != nil {
			return err
		}
	}
	if err := w.deprecate(ctx, tx); err != nil {
		return err
	}
	return setHalfRead(ctx, tx, true)
}

// knownAt returns what the rows of some files say.
func knownAt(ctx context.Context, tx *sql.Tx, files []prepared) (map[string]known, error) {
	paths := make([]string, len(files))
	for i, p := range files {
		paths[i] = p.path
	}
	out := map[string]known{}
	err := scan(ctx, tx, qKnownAt, []any{jsonList(paths)}, func(rows *sql.Rows) error {
		var path string
		var k known
		err := rows.Scan(&path, &k.mtimeNS, &k.size, &k.problem)
		out[path] = k
		return err
	})
	return out, err
}

// takenUUIDs returns the paths of the rows that have the uuids of some files.
func takenUUIDs(ctx context.Context, tx *sql.Tx, files []prepared) (map[string]string, error) {
	var uuids []string
	for _, p := range files {
		if p.m != nil {
			uuids = append(uuids, p.m.UUID)
		}
	}
	out := map[string]string{}
	err := scan(ctx, tx, qUUIDs, []any{jsonList(uuids)}, func(rows *sql.Rows) error {
		var uuid, path string
		err := rows.Scan(&uuid, &path)
		out[uuid] = path
		return err
	})
	return out, err
}

// setHalfRead notes whether only a part of the changed files is in the database, which then is that of no state of the folders.
func setHalfRead(ctx context.Context, tx *sql.Tx, half bool) error {
	if !half {
		return exec(ctx, tx, "note that all files were read", qSetMeta, "half read", "")
	}
	if err := exec(ctx, tx, "note that not all files were read", qSetMeta, "digest", ""); err != nil {
		return err
	}
	return exec(ctx, tx, "note that not all files were read", qSetMeta, "half read", "yes")
}

// halfRead returns what setHalfRead noted.
func halfRead(ctx context.Context, db querier) (half bool, err error) {
	err = scan(ctx, db, qHalfRead, nil, func(rows *sql.Rows) error {
		var value string
		err := rows.Scan(&value)
		half = value != ""
		return err
	})
	return half, err
}
