package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/lockfile"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
)

// stateFile is the file of state.db: its one writer, its locks, and what becomes of a damaged one. It knows none of its tables.
type stateFile struct {
	path     string
	backups  backups
	failures failureFile
	held     heldState
}

func newStateFile(path string, now func() time.Time) *stateFile {
	return &stateFile{path: path, backups: backups{path, now}, failures: failureFile(filepath.Join(filepath.Dir(path), failureSetName))}
}

// do opens and migrates the database and runs f in a transaction. It sets a damaged database aside
// once.
func (s *stateFile) do(ctx context.Context, f func(*sql.Tx) error) error {
	return s.use(ctx, func(db *sqlfile.DB) error {
		return db.Tx(ctx, func(tx *sql.Tx) error {
			if err := f(tx); err != nil {
				return err
			}
			s.failures.keep(ctx, tx)
			return nil
		})
	})
}

// query runs a read-only query. Without a database it does nothing. On a disk that is full or
// read-only, or has no locks, it reads what exists.
func (s *stateFile) query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	if s.absent() {
		return nil
	}
	started := false
	read := func(db *sqlfile.DB) error {
		if started {
			return fmt.Errorf("read %s: %w", s.path, sqlfile.ErrCorrupt) // repaired, but rows of the damaged one were handed out
		}
		return scan(ctx, db, query, args, func(rows *sql.Rows) error {
			started = true
			return each(rows)
		})
	}
	err := s.use(ctx, read)
	unlocked := lockfile.Unsupported(err)
	if err == nil || started || !unlocked && !noSpace(err) {
		return err
	}
	db, rerr := openReading(ctx, s.path, busyTimeout, unlocked)
	if rerr != nil {
		return err
	}
	v, verr := db.Version(ctx)
	if verr == nil && v == 0 { // created, but the disk was full
		return db.Close()
	}
	rerr = read(db)
	if verr == nil && v < StateSchema() && sqlfile.IsSchema(rerr) {
		rerr = fmt.Errorf("%s of an earlier version lacks what is asked for, and can't be updated: %w", filepath.Base(s.path), err)
	}
	return errors.Join(rerr, db.Close())
}

// noSpace reports whether a disk is full or read-only.
func noSpace(err error) bool {
	return sqlfile.IsReadOnly(err) || sqlfile.IsFull(err) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EDQUOT)
}

// openReading opens a database read-only. If the folder is not writable either, or there are no locks, it
// opens it without the journal.
func openReading(ctx context.Context, path string, busy time.Duration, unlocked bool) (*sqlfile.DB, error) {
	var errs []error
	for _, immutable := range []bool{false, true} {
		if unlocked && !immutable {
			continue // SQLite would wait for the lock
		}
		db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, ReadOnly: true, Busy: busy, Immutable: immutable})
		if err == nil {
			if _, err = db.Version(ctx); err == nil {
				return db, nil
			}
			_ = db.Close() // it is unusable
		}
		errs = append(errs, err)
		if ctx.Err() != nil || !noSpace(err) {
			break // only a read-only disk may be read without the journal
		}
	}
	return nil, errors.Join(errs...)
}

// use runs f on the open database. Nobody sets the database aside meanwhile, so commits reach the
// file that others read.
func (s *stateFile) use(ctx context.Context, f func(*sqlfile.DB) error) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	if done, err := s.useHeld(ctx, f); done {
		return err
	}
	for attempt := 0; ; attempt++ {
		err := s.shared(ctx, func() error {
			if err := s.lost(); err != nil {
				return err
			}
			db, err := s.openMigrated(ctx)
			if err != nil {
				return err
			}
			return errors.Join(f(db), db.Close())
		})
		if attempt > 0 || !sqlfile.IsCorrupt(err) {
			return err
		}
		if err := s.repair(ctx); err != nil {
			return err
		}
	}
}

// shared runs f concurrently with other users of the database, and never while it is set aside.
func (s *stateFile) shared(ctx context.Context, f func() error) error {
	unlock, err := s.lockShared(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

func (s *stateFile) lockShared(ctx context.Context) (unlock func(), err error) {
	l := lockfile.New(s.path + ".lock")
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryRLockContext(ctx, 2*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.path, err)
	}
	return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
}

// repair sets a damaged database aside when no process has it open. One process does it; the others
// find a sound one afterwards.
func (s *stateFile) repair(ctx context.Context) error {
	l := lockfile.New(s.path + ".lock")
	short, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryLockContext(short, 5*time.Millisecond); err != nil {
		return fmt.Errorf("lock the damaged %s: %w", s.path, err)
	}
	defer func() { _ = l.Unlock() }() // closing the descriptor releases the lock
	err := s.judge(ctx)
	if sqlfile.IsCorrupt(err) {
		if rerr := sqlfile.Readable(s.path); rerr != nil {
			return rerr // the disk fails, or the network: what can't be read now is not damaged
		}
		err = s.judge(ctx) // a fault of reading may have passed
	}
	if !sqlfile.IsCorrupt(err) {
		return err
	}
	return s.setAside(ctx)
}

// judge returns why the database is damaged or lost. It is called by who has the lock alone.
func (s *stateFile) judge(ctx context.Context) error {
	if err := s.lost(); err != nil {
		return err
	}
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true})
	if err != nil {
		return err
	}
	return errors.Join(db.Check(ctx), db.Close())
}

// lost returns an error for a database that is not there or has no content and had some once, as a backup beside it
// shows. To SQLite it is a sound new one. It is asked before one is opened: another process may be just writing the first
// page of a new one. Who removes backups first, as purge does, leaves nothing to restore.
func (s *stateFile) lost() error {
	st, err := os.Stat(s.path)
	switch {
	case err == nil && st.Size() > 0, err != nil && !errors.Is(err, fs.ErrNotExist), len(s.backups.list()) == 0:
		return nil // a fault is reported by who opens it
	case err == nil:
		return fmt.Errorf("read %s: it is empty: %w", s.path, sqlfile.ErrCorrupt)
	}
	return fmt.Errorf("read %s: it is gone, and its backups are there: %w", s.path, sqlfile.ErrCorrupt)
}

// absent reports whether there is neither a database nor a backup that takes its place.
func (s *stateFile) absent() bool {
	_, err := os.Stat(s.path)
	return (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && len(s.backups.list()) == 0
}

// check verifies the whole database.
func (s *stateFile) check(ctx context.Context) error {
	if s.absent() {
		return nil
	}
	return s.use(ctx, func(db *sqlfile.DB) error { return db.Check(ctx) })
}

// stateCache is how many KB of the file a connection keeps, as far as it reads so much: the end of a session asks several times for
// drafts, threads and reports, which are some MB in a large workspace, and with SQLite's 2 MB each is read from the file again.
const stateCache = 16 << 10

func (s *stateFile) openMigrated(ctx context.Context) (*sqlfile.DB, error) {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true, Cache: stateCache})
	if err != nil {
		return nil, err
	}
	err = db.Migrate(ctx, migrations(stateSQL, "state"), func(from int) error {
		before, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true})
		if err != nil {
			return err
		}
		return errors.Join(s.backups.add(ctx, before, from), before.Close())
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// setAside moves a damaged database away and restores the newest sound backup. No other process may
// use it. The damaged file is kept, because a person may recover more from it; an empty one stands for
// one that is gone, so that doctor tells of it.
func (s *stateFile) setAside(ctx context.Context) error {
	aside := s.path + ".damaged-" + strconv.FormatInt(s.backups.now().UnixNano(), 10)
	if err := sqlfile.Move(s.path, aside); err != nil {
		return fmt.Errorf("set aside the damaged %s: %w", s.path, err)
	}
	if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) {
		if err := atomicfile.Write(aside, nil, 0o600); err != nil {
			return fmt.Errorf("note that %s was gone: %w", s.path, err)
		}
	}
	for _, b := range slices.Backward(s.backups.list()) {
		if s.backups.restore(ctx, b) == nil {
			return nil
		}
	}
	db, err := s.openMigrated(ctx) // a new one: without it the unsound backups would have it lost again
	if err != nil {
		return err
	}
	return db.Close()
}

// backup copies the database beside itself and drops the oldest copies.
func (s *stateFile) backup(ctx context.Context) error {
	if s.absent() {
		return nil
	}
	return s.use(ctx, func(db *sqlfile.DB) error {
		v, err := db.Version(ctx)
		if err != nil {
			return err
		}
		return s.backups.add(ctx, db, v)
	})
}

// backupDaily makes a backup if there is none of today.
func (s *stateFile) backupDaily(ctx context.Context) error {
	if s.backups.today() {
		return nil
	}
	return s.backup(ctx)
}

// SetAside is a database that was damaged or lost, and what a person can do about it.
type SetAside struct {
	Path string
	Lost bool // nothing is in it: it was empty or gone
}

// damaged lists the databases that were set aside, for doctor.
func (s *stateFile) damaged() (out []SetAside) {
	for _, name := range treefile.Glob(filepath.Dir(s.path), filepath.Base(s.path)+".damaged-*[0-9]") {
		st, err := os.Stat(name)
		out = append(out, SetAside{name, err == nil && st.Size() == 0})
	}
	return out
}

// alone runs f while no other process has the database open, to remove it.
func (s *stateFile) alone(ctx context.Context, f func() error) error {
	if s.absent() {
		return f()
	}
	l := lockfile.New(s.path + ".lock")
	short, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryLockContext(short, 5*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", s.path, err)
	}
	defer func() { _ = l.Unlock() }() // closing the descriptor releases the lock
	return f()
}
