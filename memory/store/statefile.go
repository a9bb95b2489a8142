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
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sqlfile"
)

// backupsKept is how many backups of state.db are kept.
const backupsKept = 3

// State is state.db of one repository: what only this machine knows. It is
// opened for each use, so that no process holds it for long.
type State struct {
	path string
	root string // of the workspace, below the repository's top
	now  func() time.Time
}

// OpenState names the state of a repository; the file is made on first write.
// root is the workspace below the repository's top: drafts and tombstones are
// shared by worktrees, and not by the workspaces within one.
func OpenState(dir, root string, now func() time.Time) *State {
	return &State{path: filepath.Join(dir, "state.db"), root: root, now: now}
}

// Path is the file of the database.
func (s *State) Path() string { return s.path }

// do opens the database, migrated, and runs f in a transaction. A database
// that turns out to be damaged is set aside once.
func (s *State) do(ctx context.Context, f func(*sql.Tx) error) error {
	return s.use(ctx, func(db *sqlfile.DB) error { return db.Tx(ctx, f) })
}

// query is do for reading: where there is no database yet it does nothing, and on
// a disk that can't be written to it reads what is there.
func (s *State) query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	started := false
	read := func(db *sqlfile.DB) error {
		if started {
			return fmt.Errorf("read %s: %w", s.path, sqlfile.ErrCorrupt) // it was mended, and rows of the damaged one were handed out
		}
		return scan(ctx, db, query, args, func(rows *sql.Rows) error {
			started = true
			return each(rows)
		})
	}
	err := s.use(ctx, read)
	if err == nil || started || !noSpace(err) {
		return err
	}
	db, rerr := openReading(ctx, s.path, busyTimeout)
	if rerr != nil {
		return err
	}
	if v, verr := db.Version(ctx); verr == nil && v == 0 { // it was made, and there was no room for more
		return db.Close()
	}
	return errors.Join(read(db), db.Close())
}

// noSpace reports whether a disk is full or can't be written to.
func noSpace(err error) bool {
	return sqlfile.IsReadOnly(err) || sqlfile.IsFull(err) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EDQUOT)
}

// openReading opens a database that must not be written to, without its journal
// where the folder can't be written to either.
func openReading(ctx context.Context, path string, busy time.Duration) (*sqlfile.DB, error) {
	var errs []error
	for _, immutable := range []bool{false, true} {
		db, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, ReadOnly: true, Busy: busy, Immutable: immutable})
		if err == nil {
			if _, err = db.Version(ctx); err == nil {
				return db, nil
			}
			_ = db.Close() // it is of no use
		}
		errs = append(errs, err)
		if ctx.Err() != nil || !noSpace(err) {
			break // only on a disk that can't be written to it may be read without its journal
		}
	}
	return nil, errors.Join(errs...)
}

// use runs f on the open database. Nobody sets the database aside meanwhile: what
// is committed is committed to the file that the next one reads.
func (s *State) use(ctx context.Context, f func(*sqlfile.DB) error) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	for attempt := 0; ; attempt++ {
		err := s.shared(ctx, func() error {
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

// shared runs f beside others that use the database, and never while it is set
// aside.
func (s *State) shared(ctx context.Context, f func() error) error {
	l := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryRLockContext(ctx, 2*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", s.path, err)
	}
	defer func() { _ = l.Unlock() }() // the lock goes with the descriptor
	return f()
}

// repair sets a damaged database aside, when nobody has it open any more. One
// process does it; the others find a sound one when it is their turn.
func (s *State) repair(ctx context.Context) error {
	l := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	short, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryLockContext(short, 5*time.Millisecond); err != nil {
		return fmt.Errorf("lock the damaged %s: %w", s.path, err)
	}
	defer func() { _ = l.Unlock() }() // the lock goes with the descriptor
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout})
	if err == nil {
		err = errors.Join(db.Check(ctx), db.Close())
	}
	if !sqlfile.IsCorrupt(err) {
		return err
	}
	return s.setAside(ctx)
}

// Check looks through the whole database.
func (s *State) Check(ctx context.Context) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.use(ctx, func(db *sqlfile.DB) error { return db.Check(ctx) })
}

func (s *State) openMigrated(ctx context.Context) (*sqlfile.DB, error) {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true})
	if err != nil {
		return nil, err
	}
	err = db.Migrate(ctx, migrations(stateSQL, "state"), func(from int) error {
		return s.backup(ctx, db, from)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (s *State) backups() []string {
	list, err := filepath.Glob(s.path + ".backup-*")
	if err != nil {
		return nil // the folder's name holds a wildcard: no backups are found
	}
	slices.Sort(list)
	return list
}

// Backup copies the database beside itself and drops the oldest copies.
func (s *State) Backup(ctx context.Context) (err error) {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.use(ctx, func(db *sqlfile.DB) error {
		v, err := db.Version(ctx)
		if err != nil {
			return err
		}
		return s.backup(ctx, db, v)
	})
}

// backupDaily makes a backup when there is none of today. One of a later day is
// no reason not to: the clock was wrong then.
func (s *State) backupDaily(ctx context.Context) error {
	today := s.path + ".backup-" + s.now().UTC().Format("20060102")
	if slices.ContainsFunc(s.backups(), func(b string) bool { return strings.HasPrefix(b, today) }) {
		return nil
	}
	return s.Backup(ctx)
}

func (s *State) backup(ctx context.Context, db *sqlfile.DB, from int) error {
	name := fmt.Sprintf("%s.backup-%s-v%d", s.path, s.now().UTC().Format("20060102T150405.000"), from)
	if err := errors.Join(sqlfile.Sweep(filepath.Dir(s.path), s.now().Add(-time.Hour)), db.Backup(ctx, name)); err != nil {
		return err
	}
	// The newest by name may be of a clock that was ahead: the one made now stays.
	list := slices.DeleteFunc(s.backups(), func(b string) bool { return b == name })
	for _, old := range list[:max(0, len(list)-backupsKept+1)] {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop an old backup: %w", err)
		}
	}
	return nil
}

// setAside moves a damaged database that nobody uses out of the way and puts the
// newest sound backup in its place. The damaged file is kept: a person may
// rescue more.
func (s *State) setAside(ctx context.Context) error {
	aside := s.path + ".damaged-" + strconv.FormatInt(s.now().UnixNano(), 10)
	if err := sqlfile.Move(s.path, aside); err != nil {
		return fmt.Errorf("set aside the damaged %s: %w", s.path, err)
	}
	for _, b := range slices.Backward(s.backups()) {
		if s.restore(ctx, b) == nil {
			return nil
		}
	}
	return nil // a fresh one
}

// restore puts a sound backup, a single file that nobody writes to, in place.
func (s *State) restore(ctx context.Context, backup string) error {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: backup, ReadOnly: true, Immutable: true, Busy: busyTimeout})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Check(ctx), db.Close()); err != nil {
		return err
	}
	data, err := os.ReadFile(backup)
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	if err := atomicfile.Write(s.path, data, 0o600); err != nil {
		return fmt.Errorf("restore backup: %w", err)
	}
	return nil
}

// Damaged lists the databases that were set aside, for doctor.
func (s *State) Damaged() []string {
	list, err := filepath.Glob(s.path + ".damaged-*[0-9]")
	if err != nil {
		return nil // the folder's name holds a wildcard
	}
	return list
}
