//go:build unix

package sqlfile

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

const lockChild = "SQLFILE_TEST_LOCKED"

func TestMain(m *testing.M) {
	if path := os.Getenv(lockChild); path != "" {
		os.Exit(lockedByAnother(path))
	}
	os.Exit(m.Run())
}

// lockedByAnother is another process, for which alone the locks of a process count:
// it exits with 0 when the range that SQLite locks for readers is locked
// (https://www.sqlite.org/src/doc/trunk/src/os.h, SHARED_FIRST and SHARED_SIZE), with 3
// when it is free.
func lockedByAnother(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 1
	}
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: 0x40000002, Len: 510}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l); err != nil {
		return 1
	}
	if l.Type == unix.F_UNLCK {
		return 3
	}
	return 0
}

// TestLocksOutliveOtherConnections keeps a connection open while the same process
// does all that this package offers on the same file. Another process must see the
// lock after each: without it, the close of the other's last connection deletes
// the journal that this one is about to write to.
func TestLocksOutliveOtherConnections(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	holder := open(t, path)
	if _, err := holder.ExecContext(t.Context(), "CREATE TABLE t (x); INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	again := func(o Options) error {
		o.Path, o.Busy = path, time.Second
		db, err := Open(t.Context(), o)
		if err != nil {
			return err
		}
		return db.Close()
	}
	for name, act := range map[string]func() error{
		"nothing":         func() error { return nil },
		"open and close":  func() error { return again(Options{}) },
		"open to read":    func() error { return again(Options{ReadOnly: true}) },
		"open unchanging": func() error { return again(Options{ReadOnly: true, Immutable: true}) },
		"create":          func() error { _, err := create(path); return err },
		"back up": func() error {
			db, err := Open(t.Context(), Options{Path: path, Busy: time.Second})
			if err != nil {
				return err
			}
			return errors.Join(db.Backup(t.Context(), filepath.Join(dir, "copy.db")), db.Close())
		},
		"check": func() error {
			db, err := Open(t.Context(), Options{Path: path, Busy: time.Second})
			if err != nil {
				return err
			}
			return errors.Join(db.Check(t.Context()), db.Close())
		},
	} {
		if err := act(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), lockChild+"="+path)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%s: the lock is gone: %v %s", name, err, out)
		}
	}
}

func TestCreateLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	for range 2 {
		if _, err := create(path); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file is readable for others: %v, %v", st.Mode(), err)
	}
}

func TestGenerations(t *testing.T) {
	g := Generations{Dir: t.TempDir(), Name: "x.v1"}
	first := g.Current()
	must.Write(t, first, []byte(strings.Repeat("no database, but text. ", 50)))
	opener := func(path string) (*DB, error) {
		db, err := Open(t.Context(), Options{Path: path, Busy: time.Second})
		if err != nil {
			return nil, err
		}
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS t (x)"); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return db, nil
	}
	db, err := g.Open(opener)
	must.OK(t, err)
	must.OK(t, db.Close())
	if db.Path() == first || g.Current() != db.Path() {
		t.Errorf("the new one is %s, current is %s, the damaged one was %s", db.Path(), g.Current(), first)
	}
	if _, err := os.Stat(first); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the damaged one is still there: %v", err)
	}
	if next, err := g.Next(first); err != nil || next != db.Path() {
		t.Errorf("who found the old one damaged later gets %s (%v), want %s", next, err, db.Path())
	}
}
