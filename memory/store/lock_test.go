package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
)

// held takes the lock beside the database as another process would.
func held(t *testing.T, s *State, shared bool) *flock.Flock {
	t.Helper()
	l := flock.New(s.Path() + ".lock")
	take := l.TryLock
	if shared {
		take = l.TryRLock
	}
	if ok, err := take(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() { _ = l.Unlock() })
	return l
}

// TestNobodyUsesWhatIsSetAside: while one process mends the database no other
// reads or writes it, and while one uses it nobody mends it.
func TestNobodyUsesWhatIsSetAside(t *testing.T) {
	s, _ := stateFixture(t)
	must.OK(t, s.Usage().Count(t.Context(), "search"))
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	l := held(t, s, false)
	if err := s.Usage().Count(soon(), "search"); err == nil {
		t.Error("written to while it is set aside")
	}
	if _, err := s.Usage().Since(soon(), time.Time{}); err == nil {
		t.Error("read while it is set aside")
	}
	must.OK(t, l.Unlock())

	l = held(t, s, true)
	if err := s.Usage().Count(t.Context(), "search"); err != nil {
		t.Errorf("beside another: %v", err)
	}
	must.OK(t, os.WriteFile(s.Path(), []byte("no database, whatever the name says it is"), 0o600))
	if _, err := s.Usage().Since(soon(), time.Time{}); err == nil || len(s.Damaged()) > 0 {
		t.Errorf("set aside while another uses it: %v, %v", s.Damaged(), err)
	}
	must.OK(t, l.Unlock())
	if _, err := s.Usage().Since(t.Context(), time.Time{}); err != nil || len(s.Damaged()) != 1 {
		t.Errorf("when the other is done: %v, %v", s.Damaged(), err)
	}
}

// TestReadersWaitForNoTurn: where processes write one after the other, a reader finds the database intact between two of
// them, and needs not be the one that gets the lock.
func TestReadersWaitForNoTurn(t *testing.T) {
	s, _ := fixture(t, 3)
	syncIfStale(t, s)
	l := flock.New(s.lockFile())
	if ok, err := l.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() { _ = l.Unlock() })
	p, err := s.readPointer()
	must.OK(t, err)
	if _, got, err := s.settled(t.Context()); err != nil || got.File != p.File {
		t.Errorf("intact, and another writer has the lock: %v, %v", got, err)
	}
	name := filepath.Join(s.cacheDir, p.File)
	must.OK(t, os.Chtimes(name, time.Time{}, time.Unix(1, 0)))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := s.settled(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a writer is between its commit and its pointer: %v", err)
	}
	must.OK(t, l.Unlock())
	if _, _, err := s.settled(t.Context()); !sqlfile.IsCorrupt(err) {
		t.Errorf("nobody writes, and it is as no writer left it: %v", err)
	}
}

// TestFailingDiskIsUnusable: the database moves into memory where a disk gives none of its files, so that memories can be
// read and written.
func TestFailingDiskIsUnusable(t *testing.T) {
	if err := (&fs.PathError{Op: "read", Path: "memories.v8.current", Err: syscall.EIO}); !unusable(fmt.Errorf("read pointer: %w", err)) {
		t.Error(err)
	}
}
