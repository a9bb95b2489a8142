package eventlog

import (
	"os"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestPruneDaily: old sessions go at the first start of a day, and others are not looked at again.
func TestPruneDaily(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	old := func(session string) string {
		t.Helper()
		must.OK(t, Append(dir, Record{Session: session, Kind: "prompt"}))
		must.OK(t, os.Chtimes(Path(dir, session), now.AddDate(0, -3, 0), now.AddDate(0, -3, 0)))
		return Path(dir, session)
	}
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	first := old("first")
	must.OK(t, PruneDaily(dir, now, 60*24*time.Hour))
	if exists(first) {
		t.Error("an old session is kept")
	}
	second := old("second")
	must.OK(t, PruneDaily(dir, now.Add(time.Hour), 60*24*time.Hour))
	if !exists(second) {
		t.Error("pruned twice a day")
	}
	must.OK(t, PruneDaily(dir, now.Add(25*time.Hour), 60*24*time.Hour))
	if exists(second) {
		t.Error("not pruned on the next day")
	}
}
