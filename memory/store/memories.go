package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"manicule/indexer/lockfile"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
	"manicule/memory/scope"
)

// memoriesSchema is the version in the file name of memories.db. Binaries with different schemas
// use different files.
//
// History: 1, the first; 2, where anchors are; 3, what each file was judged to be; 4, the use of
// memories; 5, the hooks' file beside it; 6, memories that a person took out of use; 7, the reach of a place whose
// file moved and then changed; 8, the origin of a memory is judged with its texts; 9, two
// that supersede each other stay in use.
const memoriesSchema = 9

// Memories is memories.db of one worktree: a cache over the memory files that may be deleted at any
// time. Each statement opens the file that the pointer names at that moment, so another process can
// replace a damaged database. It is safe for concurrent use.
type Memories struct {
	queries
	trust func(files int) time.Duration // in a full scan, see fullscan.go
}

// database is the current file of memories.db, which any process may replace.
type database struct {
	folder string // of the database, unless it can't be written
	now    func() time.Time
	writer *rowWriter

	mu          sync.Mutex // guards what follows, and every use of the connection
	cacheDir    string     // folder, or "" while the database is in memory
	abandonedAt time.Time  // when folder was given up; zero if it never worked
	reader      *sqlfile.DB
	current     pointer     // the pointer by which reader was opened
	opened      fs.FileInfo // its file at that time
	private     *sqlfile.DB // the database if there is no cache folder
	rebuilt     bool        // since TakeRebuilt
}

// pointer is the content of the pointer file: the current generation, and the size and time of its
// main file after our last write. If the file differs, another program changed it.
type pointer struct {
	File    string `json:"file"`
	Size    int64  `json:"size"`
	MTimeNS int64  `json:"mtime_ns"`
	// Hooks is the hooks' file of that write; zero if there is none.
	Hooks hooksPointer `json:"hooks,omitzero"`
}

// Config locates the files of a Memories.
type Config struct {
	CacheDir string // where the database goes
	Dir      string // the folder of the memory files
	Scopes   scope.Options
	Now      func() time.Time
	// Progress, which may be nil, is called for each memory file that is read into the database.
	Progress func(done, total int)
	// Judge judges each file that is read; nil accepts all.
	Judge Judge
}

// OpenMemories returns the store of a worktree. It builds the database on first use. If the cache
// folder is not writable, or has no locks, the database is in memory.
func OpenMemories(c Config) *Memories {
	if c.Now == nil {
		c.Now = time.Now
	}
	d := &database{folder: c.CacheDir, cacheDir: c.CacheDir, now: c.Now}
	d.writer = &rowWriter{dir: c.Dir, scopes: c.Scopes, now: func() time.Time { return d.now() }, progress: c.Progress, judge: c.Judge}
	if err := os.MkdirAll(c.CacheDir, 0o700); err != nil || !usable(c.CacheDir) {
		d.cacheDir = ""
	}
	return &Memories{queries{d}, trustFor}
}

// usable reports whether a database can be kept in a folder: files can be made and locked there. SQLite takes a
// missing lock for one that another process holds, and waits for it.
func usable(dir string) bool {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	l := lockfile.New(f.Name())
	_, lerr := l.TryLock()
	return errors.Join(l.Unlock(), f.Close(), os.Remove(f.Name())) == nil && !lockfile.Unsupported(lerr)
}

// Close releases the database.
func (d *database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.closeReader(), closeDB(&d.private))
}

func (d *database) closeReader() error { return closeDB(&d.reader) }

func closeDB(db **sqlfile.DB) error {
	if *db == nil {
		return nil
	}
	err := (*db).Close()
	*db = nil
	return err
}

func pointerFile(dir string) string {
	return filepath.Join(dir, "memories.v"+strconv.Itoa(memoriesSchema)+".current")
}

func (d *database) pointerFile() string { return pointerFile(d.cacheDir) }

func (d *database) lockFile() string { return filepath.Join(d.cacheDir, "memories.lock") }

func (d *database) readPointer() (pointer, error) { return readPointer(d.cacheDir) }

// readPointer reads the pointer of memories.db in a folder.
func readPointer(dir string) (pointer, error) {
	var p pointer
	data, err := treefile.ReadMade(pointerFile(dir))
	if errors.Is(err, treefile.ErrNotFile) || errors.Is(err, treefile.ErrTooBig) {
		return p, fmt.Errorf("pointer of memories.db is damaged (%w): %w", err, sqlfile.ErrCorrupt)
	}
	if err != nil {
		return p, fmt.Errorf("read pointer of memories.db: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil || p.File != filepath.Base(p.File) || p.File == "." {
		return p, fmt.Errorf("pointer of memories.db is damaged: %w", sqlfile.ErrCorrupt)
	}
	return p, nil
}

// intact reports whether the file is as our last write left it.
func (p pointer) intact(dir string) (fs.FileInfo, bool) {
	st, err := os.Stat(filepath.Join(dir, p.File))
	if err != nil || st.Size() != p.Size || st.ModTime().UnixNano() != p.MTimeNS {
		return st, false
	}
	return st, true
}

// read runs f on a valid database. It rebuilds a missing or damaged one.
func (d *database) read(ctx context.Context, f func(*sqlfile.DB) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retryFolder()
	for attempt := 0; ; attempt++ {
		db, err := d.openReader(ctx)
		if err == nil {
			err = f(db)
		}
		if err == nil || attempt == 2 || !d.repair(ctx, &err) {
			return err
		}
	}
}

// repair prepares a retry after a fault, and reports whether there is anything to do. It rebuilds a
// damaged database. If the folder can't be used, the database moves into memory. err receives
// a fault of the repair.
func (d *database) repair(ctx context.Context, err *error) bool {
	if damaged(*err) {
		for range rebuildTries {
			if *err = d.rebuild(ctx); *err == nil {
				return true
			}
			if !errors.Is(*err, fs.ErrNotExist) { // else somebody deleted the folder meanwhile
				break
			}
		}
	}
	if d.cacheDir == "" || !unusable(*err) {
		return false
	}
	_ = d.closeReader() // it is unusable
	d.cacheDir, d.abandonedAt = "", d.now()
	return true
}

// unusable reports whether a folder can't hold a database now: the disk is full, read-only or fails, or something
// else is in the place of a file, such as a folder or a pipe.
func unusable(err error) bool {
	return noSpace(err) || errors.Is(err, syscall.EIO) || errors.Is(err, treefile.ErrNotFile) || errors.Is(err, fs.ErrExist) ||
		errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// rebuildTries is how often a database is built whose folder is deleted while that goes on.
const rebuildTries = 3

// folderRetry is how long an unwritable folder is left alone.
const folderRetry = time.Minute

// retryFolder tries the folder again after a while. The disk may have space again, and hooks and
// other processes see only what is there.
func (d *database) retryFolder() {
	if d.cacheDir != "" || d.abandonedAt.IsZero() || d.now().Sub(d.abandonedAt).Abs() < folderRetry {
		return
	}
	_ = closeDB(&d.private) // the files contain all of it
	d.cacheDir = d.folder
}

// damaged reports whether rebuilding the database is the remedy.
func damaged(err error) bool {
	return sqlfile.IsCorrupt(err) || sqlfile.IsSchema(err) || errors.Is(err, fs.ErrNotExist)
}

func (d *database) openReader(ctx context.Context) (*sqlfile.DB, error) {
	if d.cacheDir == "" {
		return d.openPrivate(ctx)
	}
	p, err := d.readPointer()
	if err != nil {
		return nil, err
	}
	st, ok := p.intact(d.cacheDir)
	if !ok {
		// A writer may be between its commit and its pointer, so check again under the lock.
		if st, p, err = d.settled(ctx); err != nil {
			return nil, err
		}
	}
	// A reader that sees no changes was opened without something that may be available now.
	if d.reader != nil && !d.reader.Immutable() && d.current.File == p.File && os.SameFile(d.opened, st) {
		return d.reader, nil
	}
	if err := d.closeReader(); err != nil {
		return nil, fmt.Errorf("close old memories.db: %w", err)
	}
	db, err := openReading(ctx, filepath.Join(d.cacheDir, p.File), busyTimeout, false)
	if err != nil {
		return nil, err
	}
	d.reader, d.current, d.opened = db, p, st
	return db, nil
}

// settled returns the pointer and the file once a writer that is between its commit and its pointer has ended. It
// doesn't need its turn at the lock for it: where many write, one follows the other, and each leaves both intact.
func (d *database) settled(ctx context.Context) (fs.FileInfo, pointer, error) {
	if err := d.makeFolder(); err != nil {
		return nil, pointer{}, err
	}
	l := lockfile.New(d.lockFile())
	short, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	tick := time.NewTicker(lockRetry)
	defer tick.Stop()
	for {
		alone, err := l.TryLock()
		if err != nil {
			return nil, pointer{}, fmt.Errorf("lock memories.db: %w", err)
		}
		p, err := d.readPointer()
		st, ok := fs.FileInfo(nil), false
		if err == nil {
			st, ok = p.intact(d.cacheDir)
		}
		if alone {
			_ = l.Unlock() // closing the descriptor releases the lock
		}
		switch {
		case ok:
			return st, p, nil
		case alone && err == nil:
			return nil, p, fmt.Errorf("memories.db was changed by another program: %w", sqlfile.ErrCorrupt)
		case alone:
			return nil, p, err
		}
		select {
		case <-tick.C:
		case <-short.Done():
			return nil, p, lockError(short.Err())
		}
	}
}

// lock takes the lock of all writers of memories.db.
func (d *database) lock(ctx context.Context) (unlock func(), err error) {
	if err := d.makeFolder(); err != nil {
		return nil, err
	}
	l := lockfile.New(d.lockFile())
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		return nil, lockError(err)
	}
	return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
}

// lockRetry is how often the lock is tried again while another process holds it, and lockTimeout for how long. It is not fair,
// and where eight agents write beside builds, each holds it for a second.
const (
	lockRetry   = 2 * time.Millisecond
	lockTimeout = 30 * time.Second
)

func lockError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("other processes have held it for %v: %w", lockTimeout, err)
	}
	return fmt.Errorf("lock memories.db: %w", err)
}

func (d *database) makeFolder() error {
	if err := os.MkdirAll(d.cacheDir, 0o700); err != nil {
		return fmt.Errorf("make the cache folder: %w", err)
	}
	return nil
}

// write runs f in a transaction on a valid database, under the lock.
func (d *database) write(ctx context.Context, f func(*sql.Tx) error) error {
	return d.writeThen(ctx, f, func() {})
}

// writeThen is write with a function that runs after the commit.
func (d *database) writeThen(ctx context.Context, f func(*sql.Tx) error, done func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retryFolder()
	for attempt := 0; ; attempt++ {
		err := d.writeOnce(ctx, f)
		if err == nil {
			done()
		}
		if err == nil || attempt == 2 || !d.repair(ctx, &err) {
			return err
		}
	}
}

func (d *database) writeOnce(ctx context.Context, f func(*sql.Tx) error) (err error) {
	if d.cacheDir == "" {
		db, err := d.openPrivate(ctx)
		if err != nil {
			return err
		}
		return db.Tx(ctx, f)
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := d.readPointer()
	if err != nil {
		return err
	}
	if _, ok := p.intact(d.cacheDir); !ok {
		return fmt.Errorf("memories.db was changed by another program: %w", sqlfile.ErrCorrupt)
	}
	return d.writeFile(ctx, p, f)
}

// writeFile opens a generation for writing, runs f, checkpoints the journal into the main file and
// updates the pointer.
func (d *database) writeFile(ctx context.Context, was pointer, f func(*sql.Tx) error) (err error) {
	path := filepath.Join(d.cacheDir, was.File)
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
	if err != nil {
		return err
	}
	d.writer.changed = pathSet{}
	terr := db.Migrate(ctx, migrations(memoriesSQL, "memories"), nil)
	if terr == nil {
		terr = db.Tx(ctx, func(tx *sql.Tx) error {
			if err := f(tx); err != nil {
				return err
			}
			return exec(ctx, tx, "count a write", qCountWrite)
		})
	}
	var hooks hooksPointer
	if terr == nil {
		hooks = d.hooks().after(ctx, db, was.Hooks, d.writer.changed)
	}
	if terr == nil {
		// Readers don't block this. What they still need stays in the journal.
		_, terr = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err := errors.Join(terr, db.Close()); err != nil {
		return err
	}
	return d.point(was.File, hooks)
}

// hooks makes the files for hooks beside the database.
func (d *database) hooks() hooksFiles { return hooksFiles{d.cacheDir, d.now} }

// buildFile makes a generation from the memory files and points to it. Until then nobody else has it
// open.
func (d *database) buildFile(ctx context.Context, name string) error {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: filepath.Join(d.cacheDir, name), Busy: busyTimeout, Private: true})
	if err != nil {
		return err
	}
	// The hooks' file is written while the word index is made: each takes one processor.
	var hooks hooksPointer
	var written sync.WaitGroup
	err = d.writer.fill(ctx, db, func(tx *sql.Tx) {
		if rows, err := rowsForHooks(ctx, tx); err == nil { // else hooks read the memory files, and the next write tries again
			written.Go(func() { hooks = d.hooks().save(rows) })
		}
	})
	written.Wait()
	if err != nil {
		if hooks.File != "" {
			_ = os.Remove(filepath.Join(d.cacheDir, hooks.File)) // nobody refers to it, and a full disk needs the space
		}
		return errors.Join(err, db.Close())
	}
	if err := db.Publish(ctx); err != nil {
		return err
	}
	return d.point(name, hooks)
}

// fill makes the schema of a new database and reads all memory files into it. It calls read once the rows are
// there, before their words are indexed.
func (w *rowWriter) fill(ctx context.Context, db *sqlfile.DB, read func(*sql.Tx)) error {
	if err := db.Migrate(ctx, migrations(memoriesSQL, "memories"), nil); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := w.syncRows(ctx, tx)
		if err != nil {
			return err
		}
		read(tx)
		if r.finish == nil {
			return nil
		}
		return r.finish()
	})
}

func (d *database) point(name string, hooks hooksPointer) error {
	st, err := os.Stat(filepath.Join(d.cacheDir, name))
	if err != nil {
		return fmt.Errorf("look at memories.db: %w", err)
	}
	p := pointer{File: name, Size: st.Size(), MTimeNS: st.ModTime().UnixNano(), Hooks: hooks}
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write pointer of memories.db: %w", err)
	}
	tmp := d.pointerFile() + ".tmp" // the lock is held: no other writer
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return fmt.Errorf("write pointer of memories.db: %w", err)
	}
	if err := os.Rename(tmp, d.pointerFile()); err != nil {
		return fmt.Errorf("write pointer of memories.db: %w", err)
	}
	d.current = p // so that a later fault is not attributed to another process's file
	d.hooks().removeOthers(hooks.File)
	return nil
}

// newName names a new generation. The clock may stand still or go back, so it looks which names
// are taken. The lock is held.
func (d *database) newName() string {
	for at := d.now().UnixNano(); ; at++ {
		name := fmt.Sprintf("memories.v%d.%s.db", memoriesSchema, strconv.FormatInt(at, 36)+strconv.Itoa(os.Getpid()))
		if _, err := os.Lstat(filepath.Join(d.cacheDir, name)); err != nil {
			return name
		}
	}
}

// rebuild makes a new generation from the memory files, unless another process did so meanwhile. It
// never writes to the old file, which others may have open.
func (d *database) rebuild(ctx context.Context) error {
	if d.cacheDir == "" {
		return closeDB(&d.private)
	}
	if err := d.closeReader(); err != nil {
		return fmt.Errorf("close damaged memories.db: %w", err)
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if p, err := d.readPointer(); err == nil && p != d.current {
		if _, ok := p.intact(d.cacheDir); ok {
			return nil
		}
	}
	d.current = pointer{}
	name := d.newName()
	if err := d.buildFile(ctx, name); err != nil {
		_ = sqlfile.Remove(filepath.Join(d.cacheDir, name)) // nobody refers to it, and a full disk needs the space
		return fmt.Errorf("build memories.db: %w", err)
	}
	d.rebuilt = true
	d.removeOthers(name)
	return nil
}

// TakeRebuilt reports whether the database was built since the last call. It then lacks what other
// databases know of the memories.
func (d *database) TakeRebuilt() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.rebuilt
	d.rebuilt = false
	return was
}

// removeOthers deletes the other generations of this schema. A process that has one open keeps it
// until it reads the pointer again.
func (d *database) removeOthers(keep string) {
	for _, path := range treefile.Glob(d.cacheDir, "memories.v"+strconv.Itoa(memoriesSchema)+".*.db") {
		if filepath.Base(path) != keep {
			_ = sqlfile.Remove(path) // retried next time
		}
	}
}

func (d *database) openPrivate(ctx context.Context) (*sqlfile.DB, error) {
	if d.private != nil {
		return d.private, nil
	}
	db, err := sqlfile.Open(ctx, sqlfile.Options{Memory: true, Busy: busyTimeout})
	if err != nil {
		return nil, err
	}
	if err := d.writer.fill(ctx, db, func(*sql.Tx) {}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	d.private, d.rebuilt = db, true
	return db, nil
}

// Path returns the database's current path, "" if it is in memory.
func (d *database) Path() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cacheDir == "" {
		return ""
	}
	p, err := d.readPointer()
	if err != nil {
		return d.pointerFile()
	}
	return filepath.Join(d.cacheDir, p.File)
}

func checksum(path string, json []byte) int64 {
	return int64(crc32.Update(crc32.ChecksumIEEE([]byte(path)), crc32.IEEETable, json))
}

// Rebuild drops the database and builds it from the files.
func (d *database) Rebuild(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, err := d.readPointer(); err == nil {
		d.current = p // so that it does not count as another process's new one
	}
	return d.rebuild(ctx)
}
