package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
)

// earlierState makes the state.db of a version before a migration, such as "0007". The caller closes it.
func earlierState(t *testing.T, s *State, migration string) *sqlfile.DB {
	t.Helper()
	all := migrations(stateSQL, "state")
	before := fstest.MapFS{}
	found := false
	must.OK(t, fs.WalkDir(all, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if path >= migration {
			found = found || path[:len(migration)] == migration
			return nil
		}
		data, err := fs.ReadFile(all, path)
		before[path] = &fstest.MapFile{Data: data}
		return err
	}))
	if !found || len(before) == 0 {
		t.Fatalf("no migration %s after others", migration)
	}
	must.OK(t, os.MkdirAll(filepath.Dir(s.Path()), 0o700))
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: s.Path(), Busy: time.Second})
	must.OK(t, err)
	must.OK(t, db.Migrate(t.Context(), before, nil))
	return db
}
