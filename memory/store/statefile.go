package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/lockfile"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
)

const (
	// backupsKept is how many backups of state.db are kept.
	backupsKept = 3
	// earlierKept is how long the last one of an earlier schema is kept beside them. The daily ones would push it out within
	// days, and nobody could go back to the earlier program.
	earlierKept = 30 * 24 * time.Hour
)

// State is state.db of one repository, this machine's own data: the file, its backups and its one writer. What is in its tables
// is read and written by the types that its methods return, such as [Drafts]. It is opened for each use, so that
// no process holds it for long, unless a short command keeps it open (see [State.Hold]).
type State struct {
	path string
	root string // of the workspace, below the repository's top
	now  func() time.Time
	held heldState
}

// OpenState returns the state of a repository. The file is created on first write. root is the
// workspace's path below the repository's top: worktrees share drafts and tombstones, but the
// workspaces within one repository don't.
func OpenState(dir, root string, now func() time.Time) *State {
	return &State{path: filepath.Join(dir, "state.db"), root: root, now: now}
}

// Path is the file of the database.
func (s *State) Path() string { return s.path }

// do opens and migrates the database and runs f in a transaction. It sets a damaged database aside
// once.
func (s *State) do(ctx context.Context, f func(*sql.Tx) error) error {
	return s.use(ctx, func(db *sqlfile.DB) error {
		return db.Tx(ctx, func(tx *sql.Tx) error {
			if err := f(tx); err != nil {
				return err
			}
			s.keepFailureSet(ctx, tx)
			return nil
		})
	})
}

// query runs a read-only query. Without a database it does nothing. On a disk that is full or
// read-only, or has no locks, it reads what exists.
func (s *State) query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
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
func (s *State) use(ctx context.Context, f func(*sqlfile.DB) error) error {
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
func (s *State) shared(ctx context.Context, f func() error) error {
	unlock, err := s.lockShared(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

func (s *State) lockShared(ctx context.Context) (unlock func(), err error) {
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
func (s *State) repair(ctx context.Context) error {
	l := lockfile.New(s.path + ".lock")
	short, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if _, err := l.TryLockContext(short, 5*time.Millisecond); err != nil {
		return fmt.Errorf("lock the damaged %s: %w", s.path, err)
	}
	defer func() { _ = l.Unlock() }() // closing the descriptor releases the lock
	err := s.lost()
	if err == nil {
		var db *sqlfile.DB
		if db, err = sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true}); err == nil {
			err = errors.Join(db.Check(ctx), db.Close())
		}
	}
	if !sqlfile.IsCorrupt(err) {
		return err
	}
	return s.setAside(ctx)
}

// lost returns an error for a database that is not there or has no content and had some once, as a backup beside it
// shows. To SQLite it is a sound new one. It is asked before one is opened: another process may be just writing the first
// page of a new one. Who removes backups first, as purge does, leaves nothing to restore.
func (s *State) lost() error {
	st, err := os.Stat(s.path)
	switch {
	case err == nil && st.Size() > 0, err != nil && !errors.Is(err, fs.ErrNotExist), len(s.backups()) == 0:
		return nil // a fault is reported by who opens it
	case err == nil:
		return fmt.Errorf("read %s: it is empty: %w", s.path, sqlfile.ErrCorrupt)
	}
	return fmt.Errorf("read %s: it is gone, and its backups are there: %w", s.path, sqlfile.ErrCorrupt)
}

// absent reports whether there is neither a database nor a backup that takes its place.
func (s *State) absent() bool {
	_, err := os.Stat(s.path)
	return (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && len(s.backups()) == 0
}

// Check verifies the whole database.
func (s *State) Check(ctx context.Context) error {
	if s.absent() {
		return nil
	}
	return s.use(ctx, func(db *sqlfile.DB) error { return db.Check(ctx) })
}

// stateCache is how many KB of the file a connection keeps, as far as it reads so much: the end of a session asks several times for
// drafts, threads and reports, which are some MB in a large workspace, and with SQLite's 2 MB each is read from the file again.
const stateCache = 16 << 10

func (s *State) openMigrated(ctx context.Context) (*sqlfile.DB, error) {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true, Cache: stateCache})
	if err != nil {
		return nil, err
	}
	err = db.Migrate(ctx, migrations(stateSQL, "state"), func(from int) error {
		before, err := sqlfile.Open(ctx, sqlfile.Options{Path: s.path, Busy: busyTimeout, Durable: true})
		if err != nil {
			return err
		}
		return errors.Join(s.backup(ctx, before, from), before.Close())
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// backups lists the backups, oldest first. Those that are dated days ahead come before all others: the clock was wrong
// when they were made, and nobody knows when that was.
func (s *State) backups() []string {
	list := treefile.Glob(filepath.Dir(s.path), filepath.Base(s.path)+".backup-*")
	ahead := s.path + ".backup-" + s.now().UTC().AddDate(0, 0, 2).Format(backupDay)
	from := len(list)
	for from > 0 && list[from-1] >= ahead {
		from--
	}
	return slices.Concat(list[from:], list[:from])
}

// backupDay is how the name of a backup begins to say when it was made.
const backupDay = "20060102"

// Backup copies the database beside itself and drops the oldest copies.
func (s *State) Backup(ctx context.Context) (err error) {
	if s.absent() {
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

// backupDaily makes a backup if there is none of today. It ignores backups with a later date, which
// come from a wrong clock.
func (s *State) backupDaily(ctx context.Context) error {
	today := s.path + ".backup-" + s.now().UTC().Format(backupDay)
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
	// The new one stays, also where a clock that is behind makes it the oldest.
	list := slices.DeleteFunc(s.backups(), func(b string) bool { return b == name })
	earlier := s.beforeUpdate(list, from)
	list = slices.DeleteFunc(list, func(b string) bool { return b == earlier })
	for _, old := range list[:max(0, len(list)-backupsKept+1)] {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop an old backup: %w", err)
		}
	}
	return nil
}

// beforeUpdate is the backup of a list that an earlier program can use, or "": the last one of an earlier schema, unless it is old.
func (s *State) beforeUpdate(list []string, schema int) string {
	for _, b := range slices.Backward(list) {
		if v := backupSchema(b); v == 0 || v >= schema {
			continue
		}
		day, _, _ := strings.Cut(strings.TrimPrefix(b, s.path+".backup-"), "T")
		if at, err := time.Parse(backupDay, day); err != nil || s.now().Sub(at) > earlierKept {
			return ""
		}
		return b
	}
	return ""
}

// backupSchema is the schema that the name of a backup says, or 0.
func backupSchema(name string) int {
	v, _ := strconv.Atoi(name[strings.LastIndexByte(name, 'v')+1:]) // 0 where it says none
	return v
}

// setAside moves a damaged database away and restores the newest sound backup. No other process may
// use it. The damaged file is kept, because a person may recover more from it; an empty one stands for
// one that is gone, so that doctor tells of it.
func (s *State) setAside(ctx context.Context) error {
	aside := s.path + ".damaged-" + strconv.FormatInt(s.now().UnixNano(), 10)
	if err := sqlfile.Move(s.path, aside); err != nil {
		return fmt.Errorf("set aside the damaged %s: %w", s.path, err)
	}
	if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) {
		if err := atomicfile.Write(aside, nil, 0o600); err != nil {
			return fmt.Errorf("note that %s was gone: %w", s.path, err)
		}
	}
	for _, b := range slices.Backward(s.backups()) {
		if s.restore(ctx, b) == nil {
			return nil
		}
	}
	db, err := s.openMigrated(ctx) // a new one: without it the unsound backups would have it lost again
	if err != nil {
		return err
	}
	return db.Close()
}

// restore installs a sound backup, which is a single file without writers.
func (s *State) restore(ctx context.Context, backup string) error {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: backup, ReadOnly: true, Immutable: true, Busy: busyTimeout})
	if err != nil {
		return err
	}
	have, err := db.Version(ctx)
	if err := errors.Join(err, db.Check(ctx), db.Close()); err != nil {
		return err
	}
	if known, err := fs.Glob(migrations(stateSQL, "state"), "*.sql"); err != nil || have > len(known) {
		return errors.Join(err, fmt.Errorf("%s has schema %d: %w", backup, have, sqlfile.ErrNewer)) // none could use it
	}
	data, err := treefile.Read(backup, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	if err := atomicfile.Write(s.path, data, 0o600); err != nil {
		return fmt.Errorf("restore backup: %w", err)
	}
	return nil
}

// SetAside is a database that was damaged or lost, and what a person can do about it.
type SetAside struct {
	Path string
	Lost bool // nothing is in it: it was empty or gone
}

// Damaged lists the databases that were set aside, for doctor.
func (s *State) Damaged() (out []SetAside) {
	for _, name := range treefile.Glob(filepath.Dir(s.path), filepath.Base(s.path)+".damaged-*[0-9]") {
		st, err := os.Stat(name)
		out = append(out, SetAside{name, err == nil && st.Size() == 0})
	}
	return out
}
