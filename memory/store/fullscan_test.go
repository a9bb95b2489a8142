package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// glancing is a store that trusts a whole look for ten seconds, by a clock that
// the test moves.
func glancing(t testing.TB, n int) (s *Memories, memories string, wait func(time.Duration)) {
	_, dir := fixture(t, n)
	now := time.Now().Add(time.Hour)
	memories = filepath.Join(dir, "memories")
	s = OpenMemories(Config{CacheDir: filepath.Join(dir, "cache"), Dir: memories, Scopes: scope.Options{}, Now: func() time.Time { return now }})
	s.trust = func(int) time.Duration { return 10 * time.Second }
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, memories, func(d time.Duration) { now = now.Add(d) }
}

func syncIfStale(t *testing.T, s *Memories) Report {
	t.Helper()
	r, err := s.SyncIfStale(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// saying finds the memories that have a word.
func saying(t *testing.T, s *Memories, word string) int {
	t.Helper()
	rows, err := s.Search(t.Context(), word, 10)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

// overwrite writes a memory file as some editors do: its folder does not change.
func overwrite(t *testing.T, memories string, m *file.Memory) {
	t.Helper()
	data, err := m.Marshal()
	if err == nil {
		err = os.WriteFile(filepath.Join(memories, m.RelPath()), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestGlanceMissesNothingForLong: what was written in place is seen when the trust
// is over, and at once by who asks for a whole look.
func TestGlanceMissesNothingForLong(t *testing.T) {
	s, memories, wait := glancing(t, 3)
	whole, err := s.Sync(t.Context()) // builds the database
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sync(t.Context()); err != nil { // finds it right, and notes that
		t.Fatal(err)
	}
	edited := sample(1)
	edited.What = "Quite another thing about zebras"
	overwrite(t, memories, edited)
	if r := syncIfStale(t, s); r.Any() || r.Key != whole.Key || saying(t, s, "zebras") != 0 {
		t.Errorf("within the trust: %+v", r)
	}
	wait(10 * time.Second)
	if r := syncIfStale(t, s); r.Changed != 1 || saying(t, s, "zebras") != 1 {
		t.Errorf("after it: %+v", r)
	}
	syncIfStale(t, s)
	edited.What = "Nothing of giraffes"
	overwrite(t, memories, edited)
	if r, err := s.Sync(t.Context()); err != nil || r.Changed != 1 || saying(t, s, "giraffes") != 1 {
		t.Errorf("a whole look: %+v, %v", r, err)
	}
	wait(-time.Hour)
	edited.What = "A clock that went back to lions"
	overwrite(t, memories, edited)
	if r := syncIfStale(t, s); r.Changed != 1 {
		t.Errorf("a clock that goes back is no reason to trust: %+v", r)
	}
}

// TestGlanceSeesFolders: what git and this program write is seen at once.
func TestGlanceSeesFolders(t *testing.T) {
	s, memories, _ := glancing(t, 3)
	settle := func() {
		t.Helper()
		for range 2 {
			if _, err := s.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := s.unchangedSinceScan(t.Context()); !ok {
			t.Fatal("a whole look is not trusted")
		}
	}
	settle()
	other := sample(7)
	if _, err := file.Write(memories, other); err != nil {
		t.Fatal(err)
	}
	if r := syncIfStale(t, s); r.Added != 1 {
		t.Errorf("a new file: %+v", r)
	}
	settle()
	if err := os.Remove(filepath.Join(memories, other.RelPath())); err != nil {
		t.Fatal(err)
	}
	if r := syncIfStale(t, s); r.Removed != 1 {
		t.Errorf("a file that went: %+v", r)
	}
	settle()
	// A file of our own, which is noted right away, costs the next one no look.
	before := s.FolderTime(other.RelPath())
	if _, err := file.Write(memories, other); err != nil {
		t.Fatal(err)
	}
	if err := s.SyncPath(t.Context(), other.RelPath(), before); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.unchangedSinceScan(t.Context()); !ok || saying(t, s, "pitfalls") == 0 {
		t.Error("a file of our own costs a whole look")
	}
	// One that another process wrote just before is not taken for ours.
	before = s.FolderTime(other.RelPath())
	foreign := sample(8)
	if _, err := file.Write(memories, foreign); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(memories, "area_context"), time.Now(), time.Unix(0, before).Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	middle := s.FolderTime(other.RelPath())
	if err := os.Remove(filepath.Join(memories, other.RelPath())); err != nil {
		t.Fatal(err)
	}
	if err := s.SyncPath(t.Context(), other.RelPath(), middle); err != nil {
		t.Fatal(err)
	}
	if r := syncIfStale(t, s); r.Added != 1 {
		t.Errorf("another's file: %+v", r)
	}
}

// TestGlanceOfAnotherDatabase: one that was built again, or that another process
// changed, is not what the look found.
func TestGlanceOfAnotherDatabase(t *testing.T) {
	s, _, wait := glancing(t, 3)
	for range 2 {
		if _, err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	wait(time.Second)
	if err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.unchangedSinceScan(t.Context()); ok {
		t.Error("the look at another database is trusted")
	}
	if err := os.WriteFile(s.fullScanFile(), []byte(`{"key": "3:`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := syncIfStale(t, s); r.Any() {
		t.Errorf("a torn note: %+v", r)
	}
}

func TestTrust(t *testing.T) {
	for files, want := range map[int]time.Duration{0: 0, 2000: 0, 10_000: 10 * time.Second, 1_000_000: time.Minute} {
		if got := trustFor(files); got != want {
			t.Errorf("%d files: %v, want %v", files, got, want)
		}
	}
}

// TestGlanceDistrustsAFolderThatJustChanged: a second change within a tick of the clock
// leaves the folder's time as it is, so that it says nothing.
func TestGlanceDistrustsAFolderThatJustChanged(t *testing.T) {
	changed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		lookedAfter time.Duration
		sees        bool
	}{{-racy, false}, {1 - racy, true}, {0, true}, {racy - 1, true}, {racy, false}, {time.Hour, false}} {
		dir := t.TempDir()
		mem := filepath.Join(dir, "memories")
		now := changed.Add(c.lookedAfter)
		s := OpenMemories(Config{CacheDir: filepath.Join(dir, "cache"), Dir: mem, Scopes: scope.Options{}, Now: func() time.Time { return now }})
		s.trust = func(int) time.Duration { return 10 * time.Second }
		write := func(n int) {
			t.Helper()
			name, err := file.Write(mem, sample(n))
			must.OK(t, err)
			must.OK(t, os.Chtimes(name, changed.Add(-time.Hour), changed.Add(-time.Hour)))
			for _, folder := range []string{mem, filepath.Dir(name)} {
				must.OK(t, os.Chtimes(folder, changed, changed))
			}
		}
		write(1)
		synced(t, s)
		synced(t, s) // finds it right, and notes that
		write(2)
		now = now.Add(time.Second)
		if r := syncIfStale(t, s); r.Any() != c.sees {
			t.Errorf("looked at %v after the folder changed: %+v", c.lookedAfter, r)
		}
		must.OK(t, s.Close())
	}
}
