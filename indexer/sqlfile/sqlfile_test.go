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

	"manicule/indexer/must"
)

func open(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{Path: path, Busy: time.Second})
	must.OK(t, err)
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
		must.OK(t, db.Migrate(t.Context(), fsys, before))
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
	must.OK(t, os.WriteFile(path, []byte("this is text and surely no database, whatever its name says"), 0o600))
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
	must.OK(t, err)
	defer func() { _ = r.Close() }() // nothing was written
	if _, err := r.ExecContext(t.Context(), "INSERT INTO a VALUES (1)"); err == nil {
		t.Error("a read-only database took a row")
	}
}

func TestPatience(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	holder := open(t, path)
	tx, err := holder.BeginTx(t.Context(), nil) // immediate
	must.OK(t, err)
	defer func() { _ = tx.Rollback() }() // nothing was done
	other, err := Open(t.Context(), Options{Path: path})
	must.OK(t, err)
	defer func() { _ = other.Close() }() // nothing was done
	_, busy := other.BeginTx(t.Context(), nil)
	if !IsBusy(busy) {
		t.Fatalf("got %v, want a busy database", busy)
	}
	for name, c := range map[string]struct {
		busy  time.Duration
		fails int // times that it is busy
		err   error
		want  int // calls
		ok    bool
	}{
		"at once":              {time.Minute, 0, busy, 1, true},
		"the third time":       {time.Minute, 2, busy, 3, true},
		"no time to wait":      {0, 2, busy, 1, false},
		"less than a wait":     {retryDelay, 2, busy, 1, false},
		"what does not change": {time.Minute, 2, ErrCorrupt, 1, false},
	} {
		calls := 0
		db, err := openWithRetry(t.Context(), c.busy, func() (*DB, error) {
			if calls++; calls <= c.fails {
				return nil, c.err
			}
			return holder, nil
		})
		if calls != c.want || (err == nil) != c.ok || (db != nil) != c.ok {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openWithRetry(ctx, time.Minute, func() (*DB, error) { return nil, busy }); !IsBusy(err) {
		t.Errorf("cancelled: %v", err)
	}
}

// meanwhile lists its migrations after it has let another process do something: that is after the look at the schema,
// and before the lock is asked for.
type meanwhile struct {
	fstest.MapFS
	do func() error
}

func (m meanwhile) Glob(pattern string) ([]string, error) {
	if err := m.do(); err != nil {
		return nil, err
	}
	return m.MapFS.Glob(pattern)
}

// TestMigratedMeanwhile has a newer version migrate between the look at the schema
// and the lock.
func TestMigratedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	one := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (x)")}}
	two := fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE b (y)")}}
	db, other := open(t, path), open(t, path)
	none := func(int) error { t.Error("it was backed up"); return nil }
	must.OK(t, db.Migrate(t.Context(), one, none))
	err := db.Migrate(t.Context(), meanwhile{two, func() error {
		_, err := other.ExecContext(t.Context(), "PRAGMA user_version = 3")
		return err
	}}, none)
	if !errors.Is(err, ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
	stop := errors.New("no room for a backup")
	three := fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": two["0002_b.sql"], "0003_c.sql": {Data: []byte("CREATE TABLE c (z)")}, "0004_d.sql": {Data: []byte("CREATE TABLE d (z)")}}
	if err := db.Migrate(t.Context(), three, func(int) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("it migrated without a backup: %v", err)
	}
	if v, err := db.Version(t.Context()); err != nil || v != 3 {
		t.Errorf("version %d, %v", v, err)
	}
}

// TestNobodyWritesBetweenBackupAndMigration: what a process commits at that moment would be in the migrated database alone.
func TestNobodyWritesBetweenBackupAndMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	one := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (x)")}}
	two := fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE b (y)")}}
	db := open(t, path)
	must.OK(t, db.Migrate(t.Context(), one, nil))
	err := db.Migrate(t.Context(), two, func(int) error {
		other, err := Open(t.Context(), Options{Path: path, Busy: time.Millisecond})
		if err != nil {
			return err
		}
		if _, err := other.ExecContext(t.Context(), "INSERT INTO a VALUES (1)"); !IsBusy(err) {
			t.Errorf("another wrote: %v", err)
		}
		return errors.Join(other.Backup(t.Context(), path+".copy"), other.Close())
	})
	must.OK(t, err)
	if v, err := open(t, path+".copy").Version(t.Context()); err != nil || v != 1 {
		t.Errorf("the copy has schema %d, %v", v, err)
	}
}

func TestBackupLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "x.db"))
	target := filepath.Join(dir, "copies")
	must.OK(t, os.Mkdir(target, 0o700))
	must.OK(t, os.MkdirAll(filepath.Join(target, "is-a-folder", "x"), 0o700))
	if err := db.Backup(t.Context(), filepath.Join(target, "is-a-folder")); err == nil {
		t.Error("a folder was replaced by a copy")
	}
	for _, name := range []string{CopyPrefix + "1", unfinished + "2", "kept"} {
		must.OK(t, os.WriteFile(filepath.Join(target, name), nil, 0o600))
	}
	must.OK(t, Sweep(target, time.Now().Add(-time.Hour)))
	if list, err := os.ReadDir(target); err != nil || len(list) != 4 {
		t.Errorf("what somebody may be writing was swept, or a copy was left: %v, %v", list, err)
	}
	must.OK(t, Sweep(target, time.Now().Add(time.Hour)))
	if list, err := os.ReadDir(target); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestMigratedByAnother has another process do the same migration between the look
// at the schema and the lock: there is nothing left to do.
func TestMigratedByAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	one := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (x)")}}
	two := fstest.MapFS{"0001_a.sql": one["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE b (y)")}}
	db, other := open(t, path), open(t, path)
	must.OK(t, db.Migrate(t.Context(), one, nil))
	err := db.Migrate(t.Context(), meanwhile{two, func() error { return other.Migrate(t.Context(), two, nil) }}, func(int) error {
		t.Error("what the other has migrated was backed up")
		return nil
	})
	if err != nil {
		t.Errorf("the other was quicker: %v", err)
	}
}

func TestMoveAndRemoveSayWhatFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	if err := errors.Join(Remove(path), Move(path, path+".aside")); err != nil {
		t.Errorf("what is not there: %v", err)
	}
	must.OK(t, os.MkdirAll(filepath.Join(path+"-wal", "x"), 0o700))
	if Remove(path) == nil {
		t.Error("a journal that can't be removed is passed over")
	}
	must.OK(t, os.MkdirAll(filepath.Join(path+".aside-wal", "y"), 0o700))
	if Move(path, path+".aside") == nil {
		t.Error("a journal that can't be moved is passed over")
	}
}

// TestPublish fills a new file without a log, and leaves one like the others.
func TestPublish(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := Open(t.Context(), Options{Path: path, Busy: time.Second, Private: true})
	must.OK(t, err)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE t (x); INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("a private file has a write-ahead log")
	}
	must.OK(t, db.Publish(t.Context()))
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("a log was left behind")
	}
	db, err = Open(t.Context(), Options{Path: path, Busy: time.Second, ReadOnly: true})
	must.OK(t, err)
	var mode string
	var n int
	if err := db.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("%s, %v", mode, err)
	}
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
	must.OK(t, db.Close())
}

// TestTxThatWasStopped: a statement without the context meets a transaction that its end rolled back. The error says why.
func TestTxThatWasStopped(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"))
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Tx(ctx, func(tx *sql.Tx) error {
		cancel()
		for { // it is rolled back by another goroutine
			if _, err := tx.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS t (n INTEGER)"); err != nil {
				return err
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLockedInPlainWords: that another process has the lock is said to a person in words, and a program still knows it.
func TestLockedInPlainWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	holder := open(t, path)
	must.OK(t, holder.Tx(t.Context(), func(*sql.Tx) error {
		db, err := Open(t.Context(), Options{Path: path, Busy: time.Millisecond})
		must.OK(t, err)
		err = db.Tx(t.Context(), func(*sql.Tx) error { return nil })
		if want := "begin a transaction on x.db: another process has kept it locked for too long"; err == nil || err.Error() != want || !IsBusy(err) {
			t.Errorf("%v", err)
		}
		return db.Close()
	}))
}
