package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gofrs/flock"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// pulled has a workspace of some memories, and then many files of others as after a pull.
func pulled(t *testing.T, n int) (s *Memories, dir string) {
	t.Helper()
	s, dir = fixture(t, 3)
	synced(t, s)
	for i := range n {
		if _, err := file.Write(filepath.Join(dir, "memories"), sample(100+i)); err != nil {
			t.Fatal(err)
		}
	}
	return s, dir
}

// TestOthersWriteBetweenSteps: what another process stores, and what it reads, doesn't wait until thousands of files were read.
func TestOthersWriteBetweenSteps(t *testing.T) {
	s, dir := pulled(t, 4*stepFiles)
	other := reopen(t, dir)
	var known []int // after each turn of the other process
	s.writer.progress = func(done, total int) {
		if total != 4*stepFiles {
			t.Errorf("%d of %d", done, total)
		}
		must.OK(t, other.SetScanStamp(t.Context(), "another process"))
		rows, err := other.All(t.Context())
		must.OK(t, err)
		known = append(known, len(rows))
	}
	r, err := s.Sync(t.Context())
	must.OK(t, err)
	if want := []int{3 + stepFiles, 3 + 2*stepFiles, 3 + 3*stepFiles, 3 + 4*stepFiles}; !slices.Equal(known, want) {
		t.Errorf("the other one saw %v, not %v", known, want)
	}
	if r.Added != 4*stepFiles || r.Removed != 0 || !r.Whole {
		t.Errorf("%+v", r)
	}
	if again, err := other.Sync(t.Context()); err != nil || again.Any() || again.Key != r.Key {
		t.Errorf("the other one found %+v, %v", again, err)
	}
	p, err := s.readPointer()
	must.OK(t, err)
	f, closer, err := s.openHooks(t.Context())
	must.OK(t, err)
	if n, err := f.Total(); n != 3+4*stepFiles || err != nil || p.Hooks.File == "" {
		t.Errorf("hooks know %d memories, %v", n, err)
	}
	must.OK(t, closer.Close())
}

// TestStepsThatEnded: what a process read before it was ended is no state of the folders, and the next one goes on.
func TestStepsThatEnded(t *testing.T) {
	s, dir := pulled(t, 4*stepFiles)
	before, err := s.readPointer()
	must.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s.writer.progress = func(int, int) { cancel() }
	if _, err := s.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not ended: %v", err)
	}
	other := reopen(t, dir)
	if folders, _, err := other.ScanStamp(t.Context()); folders != "" || err != nil {
		t.Errorf("it counts as current: %q, %v", folders, err)
	}
	if p, err := other.readPointer(); err != nil || p.Hooks != before.Hooks {
		t.Errorf("hooks read %+v, not what they read before, %+v (%v)", p.Hooks, before.Hooks, err)
	}
	var rest int
	other.writer.progress = func(_, total int) { rest = max(rest, total) }
	if r, err := other.Sync(t.Context()); err != nil || r.Added != 3*stepFiles || rest != 3*stepFiles {
		t.Errorf("it read %d of %+v, %v", rest, r, err)
	}
}

// TestFilesThatChangeBetweenSteps: a file that moved, one that has another's uuid, and one that is gone are judged by the
// comparison of all, as without steps.
func TestFilesThatChangeBetweenSteps(t *testing.T) {
	s, dir := pulled(t, 4*stepFiles)
	folder := filepath.Join(dir, "memories")
	all, err := filepath.Glob(filepath.Join(folder, "*", "*.json"))
	must.OK(t, err)
	twin := filepath.Join(filepath.Dir(all[0]), "00000000-0000-7000-8000-0000000000ff.json")
	must.OK(t, os.WriteFile(twin, must.Read(t, all[len(all)-1]), 0o600))
	gone := all[len(all)-2]
	s.writer.progress = func(done, _ int) {
		if done == stepFiles {
			must.OK(t, os.Remove(gone))
		}
	}
	_, err = s.Sync(t.Context())
	must.OK(t, err)
	fresh := OpenMemories(Config{CacheDir: filepath.Join(t.TempDir(), "cache"), Dir: folder})
	t.Cleanup(func() { _ = fresh.Close() })
	_, err = fresh.Sync(t.Context())
	must.OK(t, err)
	paths := func(s *Memories) (out []string) {
		rows, err := s.All(t.Context())
		must.OK(t, err)
		for _, r := range rows {
			out = append(out, r.Path)
		}
		faults, err := s.Faults(t.Context())
		must.OK(t, err)
		for _, f := range faults {
			out = append(out, f.Path+": "+f.Message)
		}
		return out
	}
	if got, want := paths(s), paths(fresh); !slices.Equal(got, want) {
		t.Errorf("%d are known, not %d: %v", len(got), len(want), got[max(0, len(got)-3):])
	}
}

// TestReadersWaitForNoWriter: while a process writes, others read what was there before, those of its own process too.
func TestReadersWaitForNoWriter(t *testing.T) {
	s, dir := fixture(t, 3)
	synced(t, s)
	other := reopen(t, dir)
	for _, m := range []*Memories{s, other} {
		if got := count(t, m); got != 3 {
			t.Fatalf("%d memories", got)
		}
	}
	must.OK(t, s.write(t.Context(), func(tx *sql.Tx) error {
		must.OK(t, exec(t.Context(), tx, "drop all", `DELETE FROM memories`))
		for _, m := range []*Memories{s, other} {
			rows, err := m.All(t.Context())
			if err != nil || len(rows) != 3 {
				t.Errorf("%d memories, %v", len(rows), err)
			}
		}
		return nil
	}))
	// A writer is between its commit and its pointer: what is open stays readable.
	l := flock.New(s.lockFile())
	if ok, err := l.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	p, err := s.readPointer()
	must.OK(t, err)
	if rows, err := other.All(t.Context()); err != nil || len(rows) != 0 {
		t.Fatalf("%d memories, %v", len(rows), err)
	}
	name := filepath.Join(s.cacheDir, p.File)
	st, err := os.Stat(name)
	must.OK(t, err)
	must.OK(t, os.Chtimes(name, st.ModTime(), st.ModTime().Add(1)))
	if rows, err := other.All(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("%d memories, %v", len(rows), err)
	}
	must.OK(t, l.Unlock())
}
