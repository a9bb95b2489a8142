package sqlfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"manicule/indexer/must"
)

// TestNoMoreFiles: SQLite doesn't tell that the system opens no more files, and a person has to know it.
func TestNoMoreFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := Open(t.Context(), Options{Path: path})
	must.OK(t, err)
	must.OK(t, db.Close())
	next, err := os.Open(os.DevNull)
	must.OK(t, err)
	free := uint64(next.Fd())
	must.OK(t, next.Close())
	var was syscall.Rlimit
	must.OK(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	few := was
	few.Cur = free + 1
	must.OK(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	db, err = Open(t.Context(), Options{Path: path})
	must.OK(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
	if !errors.Is(err, syscall.EMFILE) || !IsReadOnly(err) {
		t.Errorf("with one file left: %v, %v", db, err)
	}
}
