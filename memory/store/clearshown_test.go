package store

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"manicule/indexer/must"
)

// TestClearedInBackups: what was shown is cleared in the backups, too, in every byte; the rest of a backup stays, and one
// that is damaged is removed.
func TestClearedInBackups(t *testing.T) {
	ctx := t.Context()
	s, _ := stateFixture(t)
	must.OK(t, s.Shown().Put(ctx, []ShownLog{{Name: "s-b", Rows: []ShownRow{
		{UUID: "u", At: 2, Surface: "hook", Agent: "planted-agent", Log: "s-b", Verdict: "followed", Phase: "implement", Type: "gotcha"},
	}}}))
	must.OK(t, s.Backup(ctx))
	broken := s.Path() + ".backup-19990101T000000.000-v1"
	must.OK(t, os.WriteFile(broken, []byte("no database, but planted-agent"), 0o600))
	must.OK(t, s.Shown().Clear(ctx))
	left := s.db.backups.list()
	if len(left) != 1 {
		t.Fatalf("backups %v", left)
	}
	for _, name := range append(left, s.Path(), s.Path()+"-wal") {
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte("planted-agent")) {
			t.Errorf("%s still has what was shown", name)
		}
	}
	must.OK(t, os.Remove(s.Path()))
	_ = os.Remove(s.Path() + "-wal")
	_ = os.Remove(s.Path() + "-shm")
	if got, err := s.Shown().Phases(ctx); err != nil || len(got) != 0 {
		t.Errorf("restored: %v, %v", got, err)
	}
	if d := s.Damaged(); len(d) != 1 || !d[0].Lost {
		t.Errorf("not restored from the backup: %v", fmt.Sprint(d))
	}
}
