package sqlfile

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

func open(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{Path: path, Busy: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // a second close in a test is harmless
	return db
}

func TestOpenSetsPragmas(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "odd name ?#%.db"))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "1", "foreign_keys": "1", "busy_timeout": "1000"} {
		var got string
		if err := db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", pragma, got, err, want)
		}
	}
	if _, err := os.Stat(db.Path()); err != nil {
		t.Errorf("the file is not where it was asked for: %v", err)
	}
}

func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	one := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (x INTEGER PRIMARY KEY)")}}
	two := fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE b (y); INSERT INTO b VALUES (7)")}}
	db := open(t, path)
	backedUp := 0
	before := func(int) error { backedUp++; return nil }
	for _, fsys := range []fstest.MapFS{one, one, two} {
		if err := db.Migrate(t.Context(), fsys, before); err != nil {
			t.Fatal(err)
		}
	}
	if backedUp != 1 {
		t.Errorf("backed up %d times, want once", backedUp)
	}
	if err := db.Migrate(t.Context(), one, nil); !errors.Is(err, ErrNewer) {
		t.Errorf("an older binary got %v, want ErrNewer", err)
	}
	broken := fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": two["0002_b.sql"],
		"0003_c.sql": {Data: []byte("CREATE TABLE c (z); SELECT * FROM nowhere")}}
	if err := db.Migrate(t.Context(), broken, nil); err == nil {
		t.Error("a broken migration passed")
	}
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_master WHERE name = 'c'").Scan(&n); err != nil || n != 0 {
		t.Errorf("a broken migration left %d tables behind (%v)", n, err)
	}
}

func TestTxReturnsTheCommitError(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"))
	const schema = `CREATE TABLE p (id INTEGER PRIMARY KEY);
		CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)`
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	err := db.Tx(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "INSERT INTO c VALUES (1)")
		return err
	})
	if err == nil {
		t.Fatal("the commit broke a foreign key and no error came back")
	}
}

func TestCorrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, []byte("this is text and surely no database, whatever its name says"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), Options{Path: path, Busy: time.Second})
	if err == nil {
		err = errors.Join(db.Check(t.Context()), db.Close())
	}
	if !IsCorrupt(err) {
		t.Errorf("got %v, want a corrupt database", err)
	}
}

func TestReadOnlyCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	w := open(t, path)
	if _, err := w.ExecContext(t.Context(), "CREATE TABLE a (x)"); err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), Options{Path: path, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // nothing was written
	if _, err := r.ExecContext(t.Context(), "INSERT INTO a VALUES (1)"); err == nil {
		t.Error("a read-only database took a row")
	}
}
