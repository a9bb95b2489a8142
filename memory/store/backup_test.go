package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
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
		must.OK(t, os.WriteFile(name, nil, 0o600))
		at := now.Add(5*time.Hour - age) // of the last backup
		must.OK(t, os.Chtimes(name, at, at))
	}
	for range 5 {
		now = now.Add(time.Hour)
		must.OK(t, s.Usage().Count(ctx, "search"))
		must.OK(t, s.Backup(ctx))
		if _, err := os.Stat(young); err != nil {
			t.Fatalf("a copy that is being made was taken away: %v", err)
		}
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("what a killed copy left is still there")
	}
	list := s.db.backups.list()
	if len(list) != backupsKept {
		t.Fatalf("backups %v, want %d", list, backupsKept)
	}
	for i, want := range []int{5, 4} {
		must.OK(t, os.WriteFile(s.Path(), []byte("no database, whatever the name says it is"), 0o600))
		if u, err := s.Usage().Since(ctx, time.Time{}); err != nil || u["search"] != want {
			t.Errorf("after damage %d: %v, %v, want %d", i+1, u, err, want)
		}
		now = now.Add(time.Second)
		must.OK(t, os.WriteFile(list[len(list)-1], []byte("no database either"), 0o600))
	}
	if len(s.Damaged()) != 2 {
		t.Errorf("set aside: %v", s.Damaged())
	}
}

// TestEmptiedState: a state without a byte beside a backup is a lost one, on a connection that is held too, and one
// without a backup is a new one.
func TestEmptiedState(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	for name, hold := range map[string]bool{"opened for each use": false, "held": true} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := OpenState(t.TempDir(), "", func() time.Time { return now })
			must.OK(t, os.WriteFile(s.Path(), nil, 0o600))
			must.OK(t, s.Usage().Count(ctx, "search"))
			if len(s.Damaged()) > 0 {
				t.Fatalf("a new state was set aside: %v", s.Damaged())
			}
			must.OK(t, s.Backup(ctx))
			for _, beside := range []string{"-wal", "-shm"} {
				must.OK(t, os.RemoveAll(s.Path()+beside))
			}
			must.OK(t, os.WriteFile(s.Path(), nil, 0o600))
			if hold {
				release := s.Hold()
				defer func() { must.OK(t, release()) }()
			}
			if u, err := s.Usage().Since(ctx, time.Time{}); err != nil || u["search"] != 1 {
				t.Errorf("after it was emptied: %v, %v", u, err)
			}
			if err := s.Check(ctx); err != nil || len(s.Damaged()) != 1 {
				t.Errorf("set aside: %v, %v", s.Damaged(), err)
			}
		})
	}
}

// TestLostState: a state that is gone while a backup is there is restored, by a read, a write and a check, on a held
// connection too, and it is noted. Without a backup it is a new one, and backups that are damaged don't keep it from
// beginning anew.
func TestLostState(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	ctx := t.Context()
	lost := func(t *testing.T) *State {
		s := OpenState(t.TempDir(), "", func() time.Time { return now })
		must.OK(t, s.Usage().Count(ctx, "search"))
		must.OK(t, s.Backup(ctx))
		must.OK(t, os.Remove(s.Path()))
		return s
	}
	for name, use := range map[string]func(*State) error{
		"read":  func(s *State) error { _, err := s.Usage().Since(ctx, time.Time{}); return err },
		"write": func(s *State) error { return s.Usage().Count(ctx, "recall") },
		"check": func(s *State) error { return s.Check(ctx) },
		"texts": func(s *State) error { _, err := s.Texts(ctx); return err },
		"held": func(s *State) error {
			release := s.Hold()
			return errors.Join(s.Usage().Count(ctx, "recall"), release())
		},
		"erase": func(s *State) error {
			_, err := s.ErasePersonal(ctx, nil, func([]byte) bool { return false })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := lost(t)
			must.OK(t, use(s))
			if u, err := s.Usage().Since(ctx, time.Time{}); err != nil || u["search"] != 1 {
				t.Errorf("restored: %v, %v", u, err)
			}
			if d := s.Damaged(); len(d) != 1 || !d[0].Lost {
				t.Errorf("noted: %+v", d)
			}
		})
	}
	t.Run("damaged backup", func(t *testing.T) {
		s := lost(t)
		must.OK(t, os.WriteFile(s.db.backups.list()[0], []byte("no database"), 0o600))
		for range 2 {
			must.OK(t, s.Usage().Count(ctx, "search"))
			now = now.Add(time.Second)
		}
		if u, err := s.Usage().Since(ctx, time.Time{}); err != nil || u["search"] != 2 || len(s.Damaged()) != 1 {
			t.Errorf("begun anew: %v, %v, %v", u, err, s.Damaged())
		}
	})
	t.Run("no backup", func(t *testing.T) {
		s := lost(t)
		must.OK(t, os.Remove(s.db.backups.list()[0]))
		u, err := s.Usage().Since(ctx, time.Time{})
		if _, serr := os.Stat(s.Path()); err != nil || len(u) > 0 || serr == nil || len(s.Damaged()) > 0 {
			t.Errorf("a state that was never there: %v, %v, %v, %v", u, err, serr, s.Damaged())
		}
	})
}

// TestBackupsBelowAnyName: the name of a folder is no pattern. In one with brackets there was a backup for each write.
func TestBackupsBelowAnyName(t *testing.T) {
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	s := OpenState(filepath.Join(t.TempDir(), "[home]"), "", func() time.Time { return at })
	for i := range 3 {
		at = at.Add(time.Minute)
		must.OK(t, s.Versions().Put(t.Context(), "wt", sample(i)))
	}
	entries, err := os.ReadDir(filepath.Dir(s.Path()))
	must.OK(t, err)
	n := 0
	for _, e := range entries {
		if strings.Contains(e.Name(), ".backup-") {
			n++
		}
	}
	if n > 1 {
		t.Errorf("%d backups of a day", n)
	}
	must.OK(t, s.Backup(t.Context()))
	must.OK(t, os.WriteFile(s.Path(), []byte("no database, whatever the name says it is"), 0o600))
	if v, err := s.Versions().Of(t.Context(), sample(0).UUID); err != nil || len(v) != 1 || len(s.Damaged()) != 1 {
		t.Errorf("after the damage: %d versions, %v; set aside %v", len(v), err, s.Damaged())
	}
}

// TestBackupsOfAWrongClock: what was backed up while the clock was years ahead is no newer than what came after.
func TestBackupsOfAWrongClock(t *testing.T) {
	at := time.Date(2031, 1, 1, 9, 0, 0, 0, time.UTC)
	s := OpenState(t.TempDir(), "", func() time.Time { return at })
	for range 3 {
		must.OK(t, s.Usage().Count(t.Context(), "search"))
		must.OK(t, s.Backup(t.Context()))
		at = at.Add(time.Hour)
	}
	at = time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC) // it is put right
	for range 4 {
		must.OK(t, s.Usage().Count(t.Context(), "search"))
		must.OK(t, s.Backup(t.Context()))
		at = at.Add(time.Hour)
	}
	list := s.db.backups.list()
	if len(list) != backupsKept || !strings.Contains(list[0], "backup-20260501") {
		t.Errorf("kept: %q", list)
	}
	must.OK(t, os.WriteFile(s.Path(), []byte("no database, whatever the name says it is"), 0o600))
	if u, err := s.Usage().Since(t.Context(), time.Time{}); err != nil || u["search"] != 7 {
		t.Errorf("after the damage: %v, %v, want 7", u, err)
	}
}

// TestBackupBeforeAnUpdateIsKept: who goes back to an earlier program finds the state of before the update, also after
// days in which others were backed up; after a month it goes.
func TestBackupBeforeAnUpdateIsKept(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	s := OpenState(t.TempDir(), "", func() time.Time { return now })
	db := earlierState(t, s, "0019")
	must.OK(t, db.Close())
	must.OK(t, s.Usage().Count(t.Context(), "search"))
	earlier := func() (out []string) {
		for _, b := range s.db.backups.list() {
			if backupSchema(b) < StateSchema() {
				out = append(out, b)
			}
		}
		return out
	}
	before := earlier()
	if len(before) != 1 || !strings.HasSuffix(before[0], "-v18") {
		t.Fatalf("before the update: %v", before)
	}
	for range 29 {
		now = now.AddDate(0, 0, 1)
		must.OK(t, s.Backup(t.Context()))
		if got := earlier(); !slices.Equal(got, before) || len(s.db.backups.list()) > backupsKept+1 {
			t.Fatalf("at %s: %v of %v", now, got, s.db.backups.list())
		}
	}
	now = now.AddDate(0, 0, 2)
	must.OK(t, s.Backup(t.Context()))
	if len(earlier()) > 0 || len(s.db.backups.list()) != backupsKept {
		t.Errorf("after a month: %v", s.db.backups.list())
	}
}

// TestUpdatedByManyAtOnce: programs that begin at once after an update migrate once, and keep what was before.
func TestUpdatedByManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	first := OpenState(dir, "", time.Now)
	db := earlierState(t, first, "0019")
	must.OK(t, db.Close())
	var all errgroup.Group
	for range 20 {
		all.Go(func() error { return OpenState(dir, "", time.Now).Usage().Count(t.Context(), "search") })
	}
	must.OK(t, all.Wait())
	list := first.db.backups.list()
	if len(list) == 0 {
		t.Fatal("no backup")
	}
	for _, b := range list {
		copied, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: b, ReadOnly: true, Immutable: true})
		must.OK(t, err)
		v, err := copied.Version(t.Context())
		must.OK(t, errors.Join(err, copied.Close()))
		if v != backupSchema(b) {
			t.Errorf("%s has schema %d", filepath.Base(b), v)
		}
	}
	if n := len(list); backupSchema(list[0]) != 18 {
		t.Errorf("%d backups, none from before: %v", n, list)
	}
	if u, err := first.Usage().Since(t.Context(), time.Time{}); err != nil || u["search"] != 20 {
		t.Errorf("%v, %v", u, err)
	}
}
