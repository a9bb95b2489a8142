package store

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/must"
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
