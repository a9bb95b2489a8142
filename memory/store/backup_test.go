package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestNewestSoundBackup: of several backups the newest sound one takes the place of
// a damaged state, no more are kept than said, and a copy that another process
// makes at the moment is left alone.
func TestNewestSoundBackup(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	s := OpenState(dir, "", func() time.Time { return now })
	ctx := t.Context()
	young, old := filepath.Join(dir, ".copy-young"), filepath.Join(dir, ".copy-old")
	for name, age := range map[string]time.Duration{young: time.Minute, old: 2 * time.Hour} {
		must(t, os.WriteFile(name, nil, 0o600))
		at := now.Add(5*time.Hour - age) // of the last backup
		must(t, os.Chtimes(name, at, at))
	}
	for range 5 {
		now = now.Add(time.Hour)
		must(t, s.Used(ctx, "search"))
		must(t, s.Backup(ctx))
		if _, err := os.Stat(young); err != nil {
			t.Fatalf("a copy that is being made was taken away: %v", err)
		}
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("what a killed copy left is still there")
	}
	list := s.backups()
	if len(list) != backupsKept {
		t.Fatalf("backups %v, want %d", list, backupsKept)
	}
	for i, want := range []int{5, 4} {
		must(t, os.WriteFile(s.Path(), []byte("no database, whatever the name says it is"), 0o600))
		if u, err := s.Usage(ctx, time.Time{}); err != nil || u["search"] != want {
			t.Errorf("after damage %d: %v, %v, want %d", i+1, u, err, want)
		}
		now = now.Add(time.Second)
		must(t, os.WriteFile(list[len(list)-1], []byte("no database either"), 0o600))
	}
	if len(s.Damaged()) != 2 {
		t.Errorf("set aside: %v", s.Damaged())
	}
}
