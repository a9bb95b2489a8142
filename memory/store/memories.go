package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
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

	// writing is held by who writes, builds the database, or uses one that is in memory. Who reads a file doesn't wait for it.
	writing sync.Mutex

	sharedReader
	cacheDir    string       // folder, or "" while the database is in memory; guarded by mu, as are the next three
	abandonedAt time.Time    // when folder was given up; zero if it never worked
	private     *sqlfile.DB  // the database if there is no cache folder
	rebuilt     bool         // since TakeRebuilt
	repairs     atomic.Int32 // how often something was repaired
}

// sharedReader is the connection that the readers of a process share.
type sharedReader struct {
	mu      sync.Mutex // guards what follows; it is taken after writing, and nobody waits while it is held
	reader  *sqlfile.DB
	using   *sync.WaitGroup // who uses reader
	current pointer         // the pointer by which reader was opened
	opened  fs.FileInfo     // its file at that time
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

// Close releases the database, when all who use it are done.
func (d *database) Close() error {
	d.writing.Lock()
	defer d.writing.Unlock()
	return errors.Join(d.closeReader(), closeDB(&d.private))
}

// closeReader closes the readers' connection when all who use it are done.
func (r *sharedReader) closeReader() error {
	r.mu.Lock()
	db, using := r.reader, r.using
	r.reader, r.using = nil, nil
	r.mu.Unlock()
	if using != nil {
		using.Wait()
	}
	return closeDB(&db)
}

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

// dir returns the folder of the database, "" while it is in memory.
func (d *database) dir() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cacheDir
}

func (d *database) pointerFile() string { return pointerFile(d.dir()) }

func (d *database) lockFile() string { return filepath.Join(d.dir(), "memories.lock") }

func (d *database) readPointer() (pointer, error) { return readPointer(d.dir()) }

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

// read runs f on a valid database. It rebuilds a missing or damaged one. It waits for no writer, of this process or another:
// f sees what was committed last.
func (d *database) read(ctx context.Context, f func(*sqlfile.DB) error) error {
	for attempt := 0; ; attempt++ {
		repairs := d.repairs.Load()
		err := d.readOnce(ctx, f)
		if err == nil || attempt == 2 || !d.repairOnce(ctx, repairs, &err) {
			return err
		}
	}
}

func (d *database) readOnce(ctx context.Context, f func(*sqlfile.DB) error) error {
	if done, err := d.readPrivate(ctx, f); done {
		return err
	}
	db, done, err := d.openReader(ctx)
	if err != nil {
		return err
	}
	defer done()
	return f(db)
}

// readPrivate is readOnce for a database in memory; done is false if it is in a folder.
func (d *database) readPrivate(ctx context.Context, f func(*sqlfile.DB) error) (done bool, err error) {
	if d.dir() != "" {
		return false, nil
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	if d.retryFolder(); d.dir() != "" {
		return false, nil
	}
	db, err := d.openPrivate(ctx)
	if err != nil {
		return true, err
	}
	return true, f(db)
}

// repairOnce is repair for a reader, unless another one repaired something since that number of repairs.
func (d *database) repairOnce(ctx context.Context, since int32, err *error) bool {
	d.writing.Lock()
	defer d.writing.Unlock()
	return d.repairs.Load() != since || d.repair(ctx, err)
}

// repair prepares a retry after a fault, and reports whether there is anything to do. It rebuilds a
// damaged database. If the folder can't be used, the database moves into memory. err receives
// a fault of the repair. d.writing is held.
func (d *database) repair(ctx context.Context, err *error) bool {
	if damaged(*err) {
		for range rebuildTries {
			if *err = d.rebuild(ctx); *err == nil {
				d.repairs.Add(1)
				return true
			}
			if !errors.Is(*err, fs.ErrNotExist) { // else somebody deleted the folder meanwhile
				break
			}
		}
	}
	if d.dir() == "" || !unusable(*err) {
		return false
	}
	_ = d.closeReader() // it is unusable
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cacheDir, d.abandonedAt = "", now
	d.repairs.Add(1)
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
// other processes see only what is there. d.writing is held.
func (d *database) retryFolder() {
	d.mu.Lock()
	defer d.mu.Unlock()
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

// openReader returns the connection that readers share. It is kept until done was called.
func (d *database) openReader(ctx context.Context) (db *sqlfile.DB, done func(), err error) {
	dir := d.dir()
	p, err := readPointer(dir)
	if err != nil {
		return nil, nil, err
	}
	st, ok := p.intact(dir)
	if !ok {
		// A writer may be between its commit and its pointer. What is open already shows a state that was committed, whatever
		// becomes of the file; else check again when it is done.
		if db, done := d.lend(p, st); db != nil && beingWritten(d.lockFile()) {
			return db, done, nil
		} else if db != nil {
			done()
		}
		if st, p, err = d.settled(ctx); err != nil {
			return nil, nil, err
		}
	}
	if db, done := d.lend(p, st); db != nil {
		return db, done, nil
	}
	if db, err = openReading(ctx, filepath.Join(dir, p.File), busyTimeout, false); err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(readersAtOnce)
	db, done = d.keepReader(db, p, st)
	return db, done, nil
}

// readersAtOnce is how many connections the readers of a process have, so that a short query doesn't wait for one that reads
// all rows. The second is opened when it is needed.
const readersAtOnce = 4

// lend returns the readers' connection if it is one to a file; else nil. A reader that sees no changes was opened without
// something that may be available now.
func (r *sharedReader) lend(p pointer, file fs.FileInfo) (*sqlfile.DB, func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.Immutable() || r.current.File != p.File || file == nil || !os.SameFile(r.opened, file) {
		return nil, nil
	}
	if r.using == nil {
		r.using = &sync.WaitGroup{}
	}
	r.using.Add(1)
	return r.reader, r.using.Done
}

// keepReader shares a connection that was just opened to a file, and returns the one that is shared: another reader may have
// been first.
func (r *sharedReader) keepReader(db *sqlfile.DB, p pointer, file fs.FileInfo) (*sqlfile.DB, func()) {
	if shared, done := r.lend(p, file); shared != nil {
		_ = db.Close() // it was not used
		return shared, done
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old, users := r.reader, r.using
	r.reader, r.current, r.opened, r.using = db, p, file, &sync.WaitGroup{}
	r.using.Add(1)
	if old != nil {
		go func() {
			if users != nil {
				users.Wait()
			}
			_ = old.Close() // it was only read
		}()
	}
	return db, r.using.Done
}

// beingWritten reports whether a process holds the lock of the writers.
func beingWritten(name string) bool {
	l := lockfile.New(name)
	alone, err := l.TryLock()
	if alone {
		_ = l.Unlock() // closing the descriptor releases the lock
	}
	return err == nil && !alone
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
			st, ok = p.intact(d.dir())
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
	if err := os.MkdirAll(d.dir(), 0o700); err != nil {
		return fmt.Errorf("make the cache folder: %w", err)
	}
	return nil
}

// write runs f in a transaction on a valid database, under the lock.
func (d *database) write(ctx context.Context, f func(*sql.Tx) error) error {
	return d.writeThen(ctx, f, func() {})
}

// writeThen is write with a function that runs after the commit, while d.mu is held.
func (d *database) writeThen(ctx context.Context, f func(*sql.Tx) error, done func()) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.retryFolder()
	for attempt := 0; ; attempt++ {
		err := d.writeOnce(ctx, f)
		if err == nil {
			d.mu.Lock()
			done()
			d.mu.Unlock()
		}
		if err == nil || attempt == 2 || !d.repair(ctx, &err) {
			return err
		}
	}
}

func (d *database) writeOnce(ctx context.Context, f func(*sql.Tx) error) (err error) {
	if d.dir() == "" {
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
	if _, ok := p.intact(d.dir()); !ok {
		return fmt.Errorf("memories.db was changed by another program: %w", sqlfile.ErrCorrupt)
	}
	return d.writeFile(ctx, p, f)
}

// writeFile opens a generation for writing, runs f, checkpoints the journal into the main file and
// updates the pointer.
func (d *database) writeFile(ctx context.Context, was pointer, f func(*sql.Tx) error) (err error) {
	path := filepath.Join(d.dir(), was.File)
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
	if err != nil {
		return err
	}
	d.writer.changed = pathSet{}
	// The file is as the pointer says until the end, so that readers need not wait while the hooks' file is written.
	_, terr := db.ExecContext(ctx, "PRAGMA wal_autocheckpoint(0)")
	if terr == nil {
		terr = db.Migrate(ctx, migrations(memoriesSQL, "memories"), nil)
	}
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
func (d *database) hooks() hooksFiles { return hooksFiles{d.dir(), d.now} }

// buildFile makes a generation from the memory files and points to it. Until then nobody else has it
// open.
func (d *database) buildFile(ctx context.Context, name string) error {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: filepath.Join(d.dir(), name), Busy: busyTimeout, Private: true})
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
			_ = os.Remove(filepath.Join(d.dir(), hooks.File)) // nobody refers to it, and a full disk needs the space
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
		r, err := w.syncRows(ctx, tx, math.MaxInt)
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
	st, err := os.Stat(filepath.Join(d.dir(), name))
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
	d.mu.Lock()
	d.current = p // so that a later fault is not attributed to another process's file
	d.mu.Unlock()
	d.hooks().removeOthers(hooks.File)
	return nil
}

// newName names a new generation. The clock may stand still or go back, so it looks which names
// are taken. The lock is held.
func (d *database) newName() string {
	for at := d.now().UnixNano(); ; at++ {
		name := fmt.Sprintf("memories.v%d.%s.db", memoriesSchema, strconv.FormatInt(at, 36)+strconv.Itoa(os.Getpid()))
		if _, err := os.Lstat(filepath.Join(d.dir(), name)); err != nil {
			return name
		}
	}
}

// rebuild makes a new generation from the memory files, unless another process did so meanwhile. It
// never writes to the old file, which others may have open.
func (d *database) rebuild(ctx context.Context) error {
	dir := d.dir()
	if dir == "" {
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
	if p, err := d.readPointer(); err == nil && p != d.opensAs(pointer{}) {
		if _, ok := p.intact(dir); ok {
			return nil
		}
	}
	name := d.newName()
	if err := d.buildFile(ctx, name); err != nil {
		_ = sqlfile.Remove(filepath.Join(dir, name)) // nobody refers to it, and a full disk needs the space
		return fmt.Errorf("build memories.db: %w", err)
	}
	d.mu.Lock()
	d.rebuilt = true
	d.mu.Unlock()
	d.removeOthers(name)
	return nil
}

// opensAs sets the pointer by which the reader counts as opened, and returns the one before.
func (r *sharedReader) opensAs(p pointer) (was pointer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, r.current = r.current, p
	return was
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
	for _, path := range treefile.Glob(d.dir(), "memories.v"+strconv.Itoa(memoriesSchema)+".*.db") {
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
	d.mu.Lock()
	defer d.mu.Unlock()
	d.private, d.rebuilt = db, true
	return db, nil
}

// Path returns the database's current path, "" if it is in memory.
func (d *database) Path() string {
	dir := d.dir()
	if dir == "" {
		return ""
	}
	p, err := readPointer(dir)
	if err != nil {
		return pointerFile(dir)
	}
	return filepath.Join(dir, p.File)
}

func checksum(path string, json []byte) int64 {
	return int64(crc32.Update(crc32.ChecksumIEEE([]byte(path)), crc32.IEEETable, json))
}

// Rebuild drops the database and builds it from the files.
func (d *database) Rebuild(ctx context.Context) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	if p, err := d.readPointer(); err == nil {
		d.opensAs(p) // so that it does not count as another process's new one
	}
	return d.rebuild(ctx)
}
