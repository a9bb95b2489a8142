package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/sqlfile"
)

// openDatabases is how many files of state.db this process has open; -1 where it can't be told.
func openDatabases(t *testing.T, path string) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	n := 0
	for _, e := range list {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && to == path {
			n++
		}
	}
	return n
}

// TestHold keeps one connection for all uses, and none after the release.
func TestHold(t *testing.T) {
	ctx := t.Context()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := OpenState(dir, "", time.Now)
	release := s.Hold()
	inner := s.Hold()
	var used []*sqlfile.DB
	for range 2 {
		if err := s.db.use(ctx, func(db *sqlfile.DB) error {
			used = append(used, db)
			return s.Usage().Count(ctx, "search") // by a connection of its own
		}); err != nil {
			t.Fatal(err)
		}
	}
	if used[0] != used[1] {
		t.Error("each use opened the database")
	}
	if err := inner(); err != nil {
		t.Fatal(err)
	}
	if n := openDatabases(t, s.Path()); n == 0 {
		t.Error("the first release closed it for all")
	}
	if err := errors.Join(release(), release()); err != nil {
		t.Fatal(err)
	}
	if n := openDatabases(t, s.Path()); n > 0 {
		t.Errorf("%d are open after the release", n)
	}
	if n, err := s.Usage().Since(ctx, time.Now().Add(-24*time.Hour)); err != nil || n["search"] != 2 {
		t.Errorf("counted %v, %v", n, err)
	}
}

// TestHoldOfDamaged databases: the repair needs the lock that a holder has.
func TestHoldOfDamaged(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), busyTimeout/2)
	defer cancel()
	s := OpenState(t.TempDir(), "", time.Now)
	release := s.Hold()
	if err := s.Usage().Count(ctx, "search"); err != nil {
		t.Fatal(err)
	}
	times := 0
	if err := s.db.use(ctx, func(db *sqlfile.DB) error {
		if times++; times == 1 {
			return sqlfile.ErrCorrupt
		}
		return db.Tx(ctx, func(*sql.Tx) error { return nil })
	}); err != nil || times != 2 {
		t.Errorf("%d times: %v", times, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}
