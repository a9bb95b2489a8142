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
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
	"manicule/memory/scope"
)

// memoriesSchema is the version in the file name of memories.db. Binaries with different schemas
// use different files.
//
// History: 1, the first; 2, where anchors are; 3, what each file was judged to be; 4, the use of
// memories; 5, the hooks' file beside it; 6, memories that a person took out of use; 7, the reach of a place whose
// file moved and then changed.
const memoriesSchema = 7

// Memories is memories.db of one worktree: a cache over the memory files that may be deleted at any
// time. Each statement opens the file that the pointer names at that moment, so another process can
// replace a damaged database. It is safe for concurrent use.
type Memories struct {
	folder   string // of the database, unless it can't be written
	memDir   string
	scopes   scope.Options
	now      func() time.Time
	progress func(done, total int) // nil if nobody waits
	judge    Judge
	trust    func(files int) time.Duration // in a full scan, see fullscan.go

	mu          sync.Mutex // guards what follows, and every use of the connection
	cacheDir    string     // folder, or "" while the database is in memory
	abandonedAt time.Time  // when folder was given up; zero if it never worked
	reader      *sqlfile.DB
	current     pointer     // the pointer by which reader was opened
	opened      fs.FileInfo // its file at that time
	private     *sqlfile.DB // the database if there is no cache folder
	rebuilt     bool        // since TakeRebuilt
	changed     pathSet     // whose rows the transaction changed
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
// folder is not writable, the database is in memory.
func OpenMemories(c Config) *Memories {
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Memories{folder: c.CacheDir, cacheDir: c.CacheDir, memDir: c.Dir, scopes: c.Scopes, now: c.Now, progress: c.Progress, judge: c.Judge, trust: trustFor}
	if err := os.MkdirAll(c.CacheDir, 0o700); err != nil || !writable(c.CacheDir) {
		s.cacheDir = ""
	}
	return s
}

func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// Close releases the database.
func (s *Memories) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.closeReader(), closeDB(&s.private))
}

func (s *Memories) closeReader() error { return closeDB(&s.reader) }

func closeDB(db **sqlfile.DB) error {
	if *db == nil {
		return nil
	}
	err := (*db).Close()
	*db = nil
	return err
}

func (s *Memories) pointerFile() string {
	return filepath.Join(s.cacheDir, "memories.v"+strconv.Itoa(memoriesSchema)+".current")
}

func (s *Memories) lockFile() string { return filepath.Join(s.cacheDir, "memories.lock") }

func (s *Memories) readPointer() (pointer, error) {
	var p pointer
	data, err := os.ReadFile(s.pointerFile())
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
func (s *Memories) read(ctx context.Context, f func(*sqlfile.DB) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retryFolder()
	for attempt := 0; ; attempt++ {
		db, err := s.openReader(ctx)
		if err == nil {
			err = f(db)
		}
		if err == nil || attempt == 2 || !s.repair(ctx, &err) {
			return err
		}
	}
}

// repair prepares a retry after a fault, and reports whether there is anything to do. It rebuilds a
// damaged database. If the disk is full or read-only, the database moves into memory. err receives
// a fault of the repair.
func (s *Memories) repair(ctx context.Context, err *error) bool {
	if damaged(*err) {
		for range rebuildTries {
			if *err = s.rebuild(ctx); *err == nil {
				return true
			}
			if !errors.Is(*err, fs.ErrNotExist) { // else somebody deleted the folder meanwhile
				break
			}
		}
	}
	if s.cacheDir == "" || !noSpace(*err) {
		return false
	}
	_ = s.closeReader() // it is unusable
	s.cacheDir, s.abandonedAt = "", s.now()
	return true
}

// rebuildTries is how often a database is built whose folder is deleted while that goes on.
const rebuildTries = 3

// folderRetry is how long an unwritable folder is left alone.
const folderRetry = time.Minute

// retryFolder tries the folder again after a while. The disk may have space again, and hooks and
// other processes see only what is there.
func (s *Memories) retryFolder() {
	if s.cacheDir != "" || s.abandonedAt.IsZero() || s.now().Sub(s.abandonedAt).Abs() < folderRetry {
		return
	}
	_ = closeDB(&s.private) // the files contain all of it
	s.cacheDir = s.folder
}

// damaged reports whether rebuilding the database is the remedy.
func damaged(err error) bool {
	return sqlfile.IsCorrupt(err) || sqlfile.IsSchema(err) || errors.Is(err, fs.ErrNotExist)
}

func (s *Memories) openReader(ctx context.Context) (*sqlfile.DB, error) {
	if s.cacheDir == "" {
		return s.openPrivate(ctx)
	}
	p, err := s.readPointer()
	if err != nil {
		return nil, err
	}
	st, ok := p.intact(s.cacheDir)
	if !ok {
		// A writer may be between its commit and its pointer, so check again under the lock.
		if st, p, err = s.intactUnderLock(ctx); err != nil {
			return nil, err
		}
	}
	// A reader that sees no changes was opened without something that may be available now.
	if s.reader != nil && !s.reader.Immutable() && s.current.File == p.File && os.SameFile(s.opened, st) {
		return s.reader, nil
	}
	if err := s.closeReader(); err != nil {
		return nil, fmt.Errorf("close old memories.db: %w", err)
	}
	db, err := openReading(ctx, filepath.Join(s.cacheDir, p.File), busyTimeout)
	if err != nil {
		return nil, err
	}
	s.reader, s.current, s.opened = db, p, st
	return db, nil
}

func (s *Memories) intactUnderLock(ctx context.Context) (fs.FileInfo, pointer, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, pointer{}, err
	}
	defer unlock()
	p, err := s.readPointer()
	if err != nil {
		return nil, p, err
	}
	st, ok := p.intact(s.cacheDir)
	if !ok {
		return nil, p, fmt.Errorf("memories.db was changed by another program: %w", sqlfile.ErrCorrupt)
	}
	return st, p, nil
}

// lock takes the lock of all writers of memories.db.
func (s *Memories) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.cacheDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the cache folder: %w", err)
	}
	l := flock.New(s.lockFile(), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 2*time.Millisecond); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("another process has held it for %v: %w", busyTimeout, err)
		}
		return nil, fmt.Errorf("lock memories.db: %w", err)
	}
	return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
}

// write runs f in a transaction on a valid database, under the lock.
func (s *Memories) write(ctx context.Context, f func(*sql.Tx) error) error {
	return s.writeThen(ctx, f, func() {})
}

// writeThen is write with a function that runs after the commit.
func (s *Memories) writeThen(ctx context.Context, f func(*sql.Tx) error, done func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retryFolder()
	for attempt := 0; ; attempt++ {
		err := s.writeOnce(ctx, f)
		if err == nil {
			done()
		}
		if err == nil || attempt == 2 || !s.repair(ctx, &err) {
			return err
		}
	}
}

func (s *Memories) writeOnce(ctx context.Context, f func(*sql.Tx) error) (err error) {
	if s.cacheDir == "" {
		db, err := s.openPrivate(ctx)
		if err != nil {
			return err
		}
		return db.Tx(ctx, f)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := s.readPointer()
	if err != nil {
		return err
	}
	if _, ok := p.intact(s.cacheDir); !ok {
		return fmt.Errorf("memories.db was changed by another program: %w", sqlfile.ErrCorrupt)
	}
	return s.writeFile(ctx, p, f)
}

// writeFile opens a generation for writing, runs f, checkpoints the journal into the main file and
// updates the pointer.
func (s *Memories) writeFile(ctx context.Context, was pointer, f func(*sql.Tx) error) (err error) {
	path := filepath.Join(s.cacheDir, was.File)
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, Busy: busyTimeout})
	if err != nil {
		return err
	}
	s.changed = pathSet{}
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
		hooks = s.hooksAfter(ctx, db, was.Hooks)
	}
	if terr == nil {
		// Readers don't block this. What they still need stays in the journal.
		_, terr = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err := errors.Join(terr, db.Close()); err != nil {
		return err
	}
	return s.point(was.File, hooks)
}

// buildFile makes a generation from the memory files and points to it. Until then nobody else has it
// open.
func (s *Memories) buildFile(ctx context.Context, name string) error {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: filepath.Join(s.cacheDir, name), Busy: busyTimeout, Private: true})
	if err != nil {
		return err
	}
	// The hooks' file is written while the word index is made: each takes one processor.
	var hooks hooksPointer
	var written sync.WaitGroup
	err = s.fill(ctx, db, func(tx *sql.Tx) {
		if rows, err := rowsForHooks(ctx, tx); err == nil { // else hooks read the memory files, and the next write tries again
			written.Go(func() { hooks = s.saveHooks(rows) })
		}
	})
	written.Wait()
	if err != nil {
		if hooks.File != "" {
			_ = os.Remove(filepath.Join(s.cacheDir, hooks.File)) // nobody refers to it, and a full disk needs the space
		}
		return errors.Join(err, db.Close())
	}
	if err := db.Publish(ctx); err != nil {
		return err
	}
	return s.point(name, hooks)
}

// fill makes the schema of a new database and reads all memory files into it. It calls read once the rows are
// there, before their words are indexed.
func (s *Memories) fill(ctx context.Context, db *sqlfile.DB, read func(*sql.Tx)) error {
	if err := db.Migrate(ctx, migrations(memoriesSQL, "memories"), nil); err != nil {
		return err
	}
	return db.Tx(ctx, func(tx *sql.Tx) error {
		r, err := s.syncRows(ctx, tx)
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

func (s *Memories) point(name string, hooks hooksPointer) error {
	st, err := os.Stat(filepath.Join(s.cacheDir, name))
	if err != nil {
		return fmt.Errorf("look at memories.db: %w", err)
	}
	p := pointer{File: name, Size: st.Size(), MTimeNS: st.ModTime().UnixNano(), Hooks: hooks}
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write pointer of memories.db: %w", err)
	}
	tmp := s.pointerFile() + ".tmp" // the lock is held: no other writer
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return fmt.Errorf("write pointer of memories.db: %w", err)
	}
	if err := os.Rename(tmp, s.pointerFile()); err != nil {
		return fmt.Errorf("write pointer of memories.db: %w", err)
	}
	s.current = p // so that a later fault is not attributed to another process's file
	s.removeOtherHooks(hooks.File)
	return nil
}

// newName names a new generation. The clock may stand still or go back, so it looks which names
// are taken. The lock is held.
func (s *Memories) newName() string {
	for at := s.now().UnixNano(); ; at++ {
		name := fmt.Sprintf("memories.v%d.%s.db", memoriesSchema, strconv.FormatInt(at, 36)+strconv.Itoa(os.Getpid()))
		if _, err := os.Lstat(filepath.Join(s.cacheDir, name)); err != nil {
			return name
		}
	}
}

// rebuild makes a new generation from the memory files, unless another process did so meanwhile. It
// never writes to the old file, which others may have open.
func (s *Memories) rebuild(ctx context.Context) error {
	if s.cacheDir == "" {
		return closeDB(&s.private)
	}
	if err := s.closeReader(); err != nil {
		return fmt.Errorf("close damaged memories.db: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if p, err := s.readPointer(); err == nil && p != s.current {
		if _, ok := p.intact(s.cacheDir); ok {
			return nil
		}
	}
	s.current = pointer{}
	name := s.newName()
	if err := s.buildFile(ctx, name); err != nil {
		_ = sqlfile.Remove(filepath.Join(s.cacheDir, name)) // nobody refers to it, and a full disk needs the space
		return fmt.Errorf("build memories.db: %w", err)
	}
	s.rebuilt = true
	s.removeOthers(name)
	return nil
}

// TakeRebuilt reports whether the database was built since the last call. It then lacks what other
// databases know of the memories.
func (s *Memories) TakeRebuilt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.rebuilt
	s.rebuilt = false
	return was
}

// removeOthers deletes the other generations of this schema. A process that has one open keeps it
// until it reads the pointer again.
func (s *Memories) removeOthers(keep string) {
	for _, path := range treefile.Glob(s.cacheDir, "memories.v"+strconv.Itoa(memoriesSchema)+".*.db") {
		if filepath.Base(path) != keep {
			_ = sqlfile.Remove(path) // retried next time
		}
	}
}

func (s *Memories) openPrivate(ctx context.Context) (*sqlfile.DB, error) {
	if s.private != nil {
		return s.private, nil
	}
	db, err := sqlfile.Open(ctx, sqlfile.Options{Memory: true, Busy: busyTimeout})
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, db, func(*sql.Tx) {}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.private, s.rebuilt = db, true
	return db, nil
}

// Path returns the database's current path, "" if it is in memory.
func (s *Memories) Path() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cacheDir == "" {
		return ""
	}
	p, err := s.readPointer()
	if err != nil {
		return s.pointerFile()
	}
	return filepath.Join(s.cacheDir, p.File)
}

func checksum(path string, json []byte) int64 {
	return int64(crc32.Update(crc32.ChecksumIEEE([]byte(path)), crc32.IEEETable, json))
}

// Rebuild drops the database and builds it from the files.
func (s *Memories) Rebuild(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, err := s.readPointer(); err == nil {
		s.current = p // so that it does not count as another process's new one
	}
	return s.rebuild(ctx)
}
