package store

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
	"manicule/memory/file"
)

// TestImmutableReaderIsNotKept has a server that could once open its database only
// as one that does not change: what is written later is seen all the same.
func TestImmutableReaderIsNotKept(t *testing.T) {
	s, dir := fixture(t, 1)
	if got := count(t, s); got != 1 {
		t.Fatalf("%d memories", got)
	}
	p, err := s.readPointer()
	must.OK(t, err)
	must.OK(t, s.closeReader())
	s.reader, err = sqlfile.Open(t.Context(), sqlfile.Options{Path: filepath.Join(s.cacheDir, p.File), ReadOnly: true, Immutable: true})
	must.OK(t, err)
	st, ok := p.intact(s.cacheDir)
	if !ok {
		t.Fatal("the database is not as it was left")
	}
	s.current, s.opened = p, st
	if rows, err := rowsOf(t.Context(), s.reader, qAllRows); err != nil || len(rows) != 1 { // it keeps the pages
		t.Fatalf("%d memories, %v", len(rows), err)
	}
	other := reopen(t, dir)
	if _, err := file.Write(filepath.Join(dir, "memories"), sample(2)); err != nil {
		t.Fatal(err)
	}
	if got := count(t, other); got != 2 {
		t.Fatalf("the other sees %d memories", got)
	}
	rows, err := s.All(t.Context())
	if err != nil || len(rows) != 2 {
		t.Errorf("%d memories are seen, %v", len(rows), err)
	}
}

// TestFullCacheIsLeftForAWhile has a cache folder that can't be used for some time:
// the database is in memory then, and goes back.
func TestFullCacheIsLeftForAWhile(t *testing.T) {
	s, dir := fixture(t, 1)
	now := time.Now().Add(time.Hour)
	s.now = func() time.Time { return now }
	if got := count(t, s); got != 1 || s.Path() == "" {
		t.Fatalf("%d memories in %q", got, s.Path())
	}
	fault := error(syscall.ENOSPC)
	if s.writing.Lock(); !s.repair(t.Context(), &fault) {
		t.Fatal("a full disk is no reason to go on in memory")
	}
	s.writing.Unlock()
	_, err := file.Write(filepath.Join(dir, "memories"), sample(2))
	must.OK(t, err)
	for step, want := range []string{"", "a file"} {
		if got := count(t, s); got != 2 || (s.Path() == "") != (want == "") {
			t.Errorf("step %d: %d memories in %q", step, got, s.Path())
		}
		now = now.Add(2 * folderRetry)
	}
}
