// Package sqlfile opens SQLite databases in the one way that this project uses:
// pragmas in the DSN, numbered migrations, immediate transactions. It is the only
// importer of the SQLite driver. It must not know any schema.
package sqlfile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Options configures how a database file is opened.
type Options struct {
	Path     string
	ReadOnly bool
	// Busy is how long a statement waits for a lock.
	Busy time.Duration
	// Durable syncs every commit to the disk, so that it survives a power cut and not
	// only a crash of the process. Use it for data that can't be derived.
	Durable bool
	// Memory keeps the database in memory; Path and ReadOnly are ignored.
	Memory bool
	// Private opens a new file that nobody else knows yet, to fill it in one transaction: it has no
	// write-ahead log and no syncs. [DB.Publish] makes it one like the others.
	Private bool
	// Immutable reads a file on a read-only disk, where SQLite can't create its
	// shared-memory file. It does not see changes by others.
	Immutable bool
	// Cache is how many KB of the file are kept, as far as they are read; SQLite's 2 MB if 0. For files that are written.
	Cache int
}

// DB is an open database file. A writer has one connection, so that transactions queue
// in the process and not on the file's lock.
type DB struct {
	*sql.DB
	path      string
	immutable bool
}

// ErrNewer is wrapped when the schema of a database is newer than the migrations.
var ErrNewer = errors.New("the database was written by a newer version of Manicule")

// Open opens or creates the file. It does not touch the schema; see [DB.Migrate].
func Open(ctx context.Context, o Options) (*DB, error) {
	q := url.Values{}
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(o.Busy.Milliseconds(), 10)+")")
	q.Add("_pragma", "foreign_keys(1)")
	if o.Memory {
		return finish(ctx, "file::memory:?"+q.Encode(), ":memory:")
	}
	if err := treefile.CheckMade(o.Path); err != nil { // SQLite would wait for what comes through a pipe
		return nil, fmt.Errorf("open database: %w", err)
	}
	if o.ReadOnly {
		q.Set("mode", "ro")
		q.Add("_pragma", "query_only(1)")
		if o.Immutable {
			q.Set("immutable", "1")
		}
	} else {
		made, err := create(o.Path)
		if err != nil {
			return nil, fmt.Errorf("open database %s: %w", o.Path, err)
		}
		switch {
		case o.Private:
			q.Add("_pragma", "journal_mode(MEMORY)")
			q.Add("_pragma", "cache_size(-"+strconv.Itoa(privateCache)+")")
			q.Add("_pragma", "synchronous(OFF)")
		case o.Durable:
			q.Add("_pragma", "journal_mode(WAL)")
			q.Add("_pragma", "synchronous(FULL)")
		case made: // there is nothing to lose yet, and SQLite would wait for the disk four times
			q.Add("_pragma", "synchronous(OFF)")
			q.Set("_journal_mode", "WAL") // after the pragmas
			q.Set("_synchronous", "NORMAL")
		default:
			q.Add("_pragma", "journal_mode(WAL)")
			q.Add("_pragma", "synchronous(NORMAL)")
		}
		if o.Cache > 0 {
			q.Add("_pragma", "cache_size(-"+strconv.Itoa(o.Cache)+")")
		}
		q.Set("_txlock", "immediate")
	}
	abs, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", o.Path, err)
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: q.Encode()}).String()
	db, err := openWithRetry(ctx, o.Busy, func() (*DB, error) { return finish(ctx, dsn, abs) })
	if err == nil {
		db.immutable = o.ReadOnly && o.Immutable
	}
	return db, err
}

// privateCache is the page cache of a private file, in KB. Its indexes are written in no order, but the operating
// system still has the pages that it drops; to fill and free a larger one takes longer than it saves.
const privateCache = 8 << 10

// Publish ends the work on a private file: it gets its write-ahead log, and is closed and synced.
func (db *DB) Publish(ctx context.Context) error {
	_, err := db.ExecContext(ctx, "PRAGMA journal_mode(WAL)")
	if err = errors.Join(err, db.Close()); err == nil {
		err = atomicfile.Sync(db.path)
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", db.path, err)
	}
	return nil
}

// retryDelay is the pause before another try to open a file that is being created.
const retryDelay = 5 * time.Millisecond

// openWithRetry opens a file that another process may be creating: SQLite does not
// wait for the lock while it switches a new file to its write-ahead log.
func openWithRetry(ctx context.Context, busy time.Duration, open func() (*DB, error)) (*DB, error) {
	end := time.Now().Add(busy)
	for {
		db, err := open()
		if err == nil || !IsBusy(err) || !time.Now().Add(retryDelay).Before(end) {
			return db, err
		}
		select {
		case <-time.After(retryDelay):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func finish(ctx context.Context, dsn, path string) (*DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, withCause(err)), db.Close())
	}
	return &DB{DB: db, path: path}, nil
}

// openAtOnce is how many files SQLite opens of one database: its own, the write-ahead log and the shared memory.
const openAtOnce = 3

// withCause adds to SQLite's error for a file that it can't open that the system opens no more files, which SQLite doesn't tell.
func withCause(err error) error {
	if IsBusy(err) {
		return plain(err)
	}
	if code(err)&0xff != sqlite3.SQLITE_CANTOPEN {
		return err
	}
	for range openAtOnce {
		f, oerr := os.Open(os.DevNull)
		if errors.Is(oerr, syscall.EMFILE) || errors.Is(oerr, syscall.ENFILE) {
			return fmt.Errorf("%w: %w", err, oerr)
		}
		if oerr == nil {
			defer func() { _ = f.Close() }() // nothing was read
		}
	}
	return err
}

// Path returns the absolute path of the file.
func (db *DB) Path() string { return db.path }

// Immutable reports whether changes by others are not seen; see [Options].
func (db *DB) Immutable() bool { return db.immutable }

// Tx runs f in an immediate transaction and commits if f returns nil. It returns f's
// error or the commit's.
func (db *DB) Tx(ctx context.Context, f func(*sql.Tx) error) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction on %s: %w", filepath.Base(db.path), plain(err))
	}
	defer func() {
		if err != nil {
			if rerr := tx.Rollback(); rerr != nil && !errors.Is(rerr, sql.ErrTxDone) {
				err = errors.Join(err, rerr)
			}
			return
		}
		if err = tx.Commit(); err != nil {
			err = fmt.Errorf("commit a transaction on %s: %w", filepath.Base(db.path), plain(err))
		}
	}()
	if err = f(tx); err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		// It was rolled back when ctx ended, which a statement meets as a transaction that is over, or as one that is closed.
		err = errors.Join(ctx.Err(), err)
	}
	return err
}

// Version returns the schema version of the file.
func (db *DB) Version(ctx context.Context) (int, error) {
	var v int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return 0, fmt.Errorf("read schema version of %s: %w", filepath.Base(db.path), err)
	}
	return v, nil
}

// Migrate applies the numbered files ("0001_name.sql", …) of fsys that the database
// lacks, in one transaction that also sets user_version. before, if not nil, is called
// once ahead of the first change to a database that already has a schema, to back it
// up. No process writes meanwhile, so what it backs up is what is migrated; it needs a
// connection of its own.
func (db *DB) Migrate(ctx context.Context, fsys fs.FS, before func(from int) error) error {
	have, err := db.Version(ctx)
	if err != nil {
		return err
	}
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	slices.Sort(names)
	if have >= len(names) {
		return db.notNewer(have, len(names))
	}
	// One transaction for all: no other process sees a schema half-way.
	return db.Tx(ctx, func(tx *sql.Tx) error {
		var at int // another process may have migrated while this one waited for the lock
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil {
			return fmt.Errorf("read schema version: %w", err)
		}
		if at >= len(names) {
			return db.notNewer(at, len(names))
		}
		if at > 0 && before != nil {
			if err := before(at); err != nil {
				return err
			}
		}
		for i := at; i < len(names); i++ {
			if err := apply(ctx, tx, fsys, names[i], i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// notNewer returns an error if the database has a later schema than is known.
func (db *DB) notNewer(have, known int) error {
	if have > known {
		return fmt.Errorf("%s has schema %d, this version knows %d: %w", filepath.Base(db.path), have, known, ErrNewer)
	}
	return nil
}

func apply(ctx context.Context, tx *sql.Tx, fsys fs.FS, name string, version int) error {
	if n, err := strconv.Atoi(strings.SplitN(name, "_", 2)[0]); err != nil || n != version {
		return fmt.Errorf("migration %s is not number %d", name, version)
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("read migration %s: %w", name, err)
	}
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return fmt.Errorf("apply migration %s: %w", name, err)
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(version)); err != nil {
		return fmt.Errorf("set schema version %d: %w", version, err)
	}
	return nil
}

// Backup writes a consistent copy of the database to path, or nothing. If two
// processes do so at once, the later one wins.
func (db *DB) Backup(ctx context.Context, path string) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), CopyPrefix+"*") // SQLite writes into a file that is empty
	if err == nil {
		err = tmp.Close()
	}
	if err != nil {
		return fmt.Errorf("back up %s: %w", db.path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", tmp.Name()); err != nil {
		return fmt.Errorf("back up %s to %s: %w", db.path, path, err)
	}
	if err := atomicfile.Sync(tmp.Name()); err != nil { // SQLite doesn't sync what VACUUM INTO writes
		return fmt.Errorf("back up %s: %w", db.path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("back up %s: %w", db.path, err)
	}
	return nil
}

// Check runs SQLite's integrity check. [IsCorrupt] recognises its error.
func (db *DB) Check(ctx context.Context) error {
	var answer string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer); err != nil {
		return fmt.Errorf("check %s: %w", filepath.Base(db.path), err)
	}
	if answer != "ok" {
		return fmt.Errorf("check %s: %s: %w", filepath.Base(db.path), answer, ErrCorrupt)
	}
	return nil
}

// Readable returns why a byte of a database can't be read, nil if there is no file. To SQLite a page that a disk or a
// network fails to give is a malformed one. No connection of this process may have the database open: its locks would be
// gone.
func Readable(path string) (err error) {
	if st, serr := os.Stat(path); serr != nil || !st.Mode().IsRegular() {
		return nil // who opens it reports that
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	buf := make([]byte, 64<<10)
	for at := int64(0); ; {
		n, err := f.ReadAt(buf, at)
		at += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read %s at %d: %w", path, at, err)
		}
	}
}

// ErrCorrupt is wrapped when the content of a database can't be trusted.
var ErrCorrupt = errors.New("the database is corrupt")

// IsCorrupt reports whether err means that the file is damaged or no database.
func IsCorrupt(err error) bool {
	if errors.Is(err, ErrCorrupt) {
		return true
	}
	switch code(err) & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return true
	}
	return false
}

// IsBusy reports whether err means that another process held the lock for longer than
// the busy timeout.
func IsBusy(err error) bool {
	c := code(err) & 0xff
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// busyError is SQLite's error for a lock that another process held for too long, in words for people.
type busyError struct{ err error }

// Error implements error.
func (busyError) Error() string { return "another process has kept it locked for too long" }

func (e busyError) Unwrap() error { return e.err }

// plain says in plain words that a database is locked; other errors stay as they are.
func plain(err error) error {
	if IsBusy(err) {
		return busyError{err}
	}
	return err
}

// IsFull reports whether err means that the disk is full or failed.
func IsFull(err error) bool {
	c := code(err) & 0xff
	return c == sqlite3.SQLITE_FULL || c == sqlite3.SQLITE_IOERR
}

// IsReadOnly reports whether err means that the file, or the folder for its journal,
// is not writable.
func IsReadOnly(err error) bool {
	c := code(err) & 0xff
	return c == sqlite3.SQLITE_READONLY || c == sqlite3.SQLITE_CANTOPEN
}

// IsSchema reports whether err is about a missing table or column, which means damage
// in a derived database.
func IsSchema(err error) bool { return code(err) == sqlite3.SQLITE_ERROR }

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
