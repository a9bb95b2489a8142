package store

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
	"manicule/memory/file"
	"manicule/memory/scope"
)

func synced(t *testing.T, s *Memories) Report {
	t.Helper()
	r, err := s.Sync(t.Context())
	must.OK(t, err)
	return r
}

// TestRacyFiles: a file that was changed twice within a tick of the clock has the
// same time and size both times. What is looked at so early is looked at again.
func TestRacyFiles(t *testing.T) {
	changed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		lookedAfter time.Duration
		again       bool
	}{{-racy, false}, {1 - racy, true}, {-time.Millisecond, true}, {0, true}, {time.Millisecond, true}, {racy - 1, true}, {racy, false}, {time.Hour, false}, {-time.Hour, false}} {
		dir := t.TempDir()
		mem := filepath.Join(dir, "memories")
		now := changed.Add(c.lookedAfter)
		s := OpenMemories(Config{CacheDir: filepath.Join(dir, "cache"), Dir: mem, Scopes: scope.Options{}, Now: func() time.Time { return now }})
		write := func(what string) {
			t.Helper()
			m := sample(1)
			m.What = what
			name, err := file.Write(mem, m)
			must.OK(t, err)
			must.OK(t, os.Chtimes(name, changed, changed))
		}
		write("It says zebra")
		synced(t, s)
		write("It says panda")
		now = changed.Add(48 * time.Hour)
		r := synced(t, s)
		want := 0
		if c.again {
			want = 1
		}
		if r.Whole != c.again || saying(t, s, "panda") != want {
			t.Errorf("looked at %v after the change: %+v, panda %d times", c.lookedAfter, r, saying(t, s, "panda"))
		}
		must.OK(t, s.Close())
	}
}

// TestOwnWrites: what this process wrote is known at once, and the next look finds
// nothing to compare, whether files came, changed or went.
func TestOwnWrites(t *testing.T) {
	s, dir := fixture(t, 3)
	mem := filepath.Join(dir, "memories")
	synced(t, s)
	own := func(when string, m *file.Memory, want int, act func() error) {
		t.Helper()
		before := s.FolderTime(m.RelPath())
		must.OK(t, act())
		must.OK(t, s.SyncPath(t.Context(), m.RelPath(), before))
		if r := synced(t, s); r.Whole || r.Any() {
			t.Errorf("%s: the next look compared all files: %+v", when, r)
		}
		if n := count(t, s); n != want {
			t.Errorf("%s: %d memories, want %d", when, n, want)
		}
	}
	write := func(m *file.Memory) func() error {
		return func() error { _, err := file.Write(mem, m); return err }
	}
	edited := sample(1)
	edited.What = "Something else about it"
	own("added", sample(7), 4, write(sample(7)))
	own("added", sample(8), 5, write(sample(8)))
	own("edited", edited, 5, write(edited))
	own("removed", sample(2), 4, func() error { return os.Remove(filepath.Join(mem, filepath.FromSlash(sample(2).RelPath()))) })
	own("removed before it was known", sample(9), 4, func() error { return nil })
	must.OK(t, os.Remove(filepath.Join(mem, filepath.FromSlash(sample(7).RelPath()))))
	if _, err := file.Write(mem, sample(10)); err != nil {
		t.Fatal(err)
	}
	if r := synced(t, s); !r.Any() || r.Added != 1 || r.Removed != 1 {
		t.Errorf("one came, one went: %+v", r)
	}
	edited.What = "Something else again"
	for _, m := range []*file.Memory{edited, sample(11)} {
		if _, err := file.Write(mem, m); err != nil {
			t.Fatal(err)
		}
	}
	if r := synced(t, s); !r.Any() || r.Added != 1 || r.Changed != 1 {
		t.Errorf("one came, one changed: %+v", r)
	}
}

// TestUnreadThenGone: a file that can't be read keeps its memory, and takes it along
// when it is removed: what was forgotten must not be shown.
func TestUnreadThenGone(t *testing.T) {
	s, dir := fixture(t, 3)
	synced(t, s)
	path := sample(1).RelPath()
	must.OK(t, s.write(t.Context(), func(tx *sql.Tx) error {
		if err := s.writer.saveProblem(t.Context(), tx, path, diskFile{}, os.ErrPermission); err != nil {
			return err
		}
		return setDigest(t.Context(), tx, listing{}) // which is not sure of the files
	}))
	if rows, err := s.All(t.Context()); err != nil || len(rows) != 3 {
		t.Fatalf("while it can't be read: %d memories, %v", len(rows), err)
	}
	must.OK(t, os.Remove(filepath.Join(dir, "memories", filepath.FromSlash(path))))
	if n := count(t, s); n != 2 {
		t.Errorf("removed: %d memories", n)
	}
	if faults, err := s.Faults(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("faults %+v, %v", faults, err)
	}
}

// TestManyAtOnce: a database that is built from many files has all their words, and
// those of what comes later.
func TestManyAtOnce(t *testing.T) {
	s, dir := fixture(t, bulk+largeFolder/10)
	synced(t, s)
	found := func(when, text string, n int) {
		t.Helper()
		ranked, err := s.rows(t.Context(), qSearch, text, 5000) // the word index alone, and before Check mends it
		if err != nil || len(ranked) != n {
			t.Errorf("%s: %d memories speak of %s, want %d (%v)", when, len(ranked), text, n, err)
		}
		must.OK(t, s.Check(t.Context()))
	}
	found("at once", "redis", bulk+largeFolder/10)
	m := sample(5000)
	m.What = "Something about zebras"
	_, err := file.Write(filepath.Join(dir, "memories"), m)
	must.OK(t, err)
	synced(t, s)
	found("later", "zebras", 1)
	must.OK(t, s.write(t.Context(), func(tx *sql.Tx) error {
		return exec(t.Context(), tx, "lose the words", "INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')")
	}))
	must.OK(t, s.Check(t.Context()))
	found("after a check", "zebras", 1)
}

// TestOddFiles: links and folders in the place of files are named, each of them, and
// hide nothing else.
func TestOddFiles(t *testing.T) {
	s, dir := fixture(t, 3)
	mem := filepath.Join(dir, "memories")
	synced(t, s)
	outside := filepath.Join(t.TempDir(), "x.json")
	must.OK(t, os.WriteFile(outside, []byte("{}"), 0o600))
	odd := map[string]bool{}
	for i, folder := range []string{"area_context", "technical", "guidelines"} {
		rel := folder + "/" + uuid(50+i) + ".json"
		odd[rel] = true
		must.OK(t, os.MkdirAll(filepath.Join(mem, folder), 0o755))
		if i == 1 {
			must.OK(t, os.Mkdir(filepath.Join(mem, filepath.FromSlash(rel)), 0o755))
		} else if err := os.Symlink(outside, filepath.Join(mem, filepath.FromSlash(rel))); err != nil {
			t.Skip(err)
		}
	}
	check := func(when string, want int) {
		t.Helper()
		r := synced(t, s)
		faults, err := s.Faults(t.Context())
		must.OK(t, err)
		if r.Problems != want || len(faults) != want {
			t.Errorf("%s: %+v, faults %+v, want %d", when, r, faults, want)
		}
		for _, f := range faults {
			if !odd[f.Path] || f.Hint == "" {
				t.Errorf("%s: %+v", when, f)
			}
		}
		if n := count(t, s); n != 3 {
			t.Errorf("%s: %d memories", when, n)
		}
	}
	check("with odd files", 3)
	for rel := range odd {
		must.OK(t, os.Remove(filepath.Join(mem, filepath.FromSlash(rel))))
	}
	check("without", 0)
	must.OK(t, os.Rename(filepath.Join(mem, "area_context"), filepath.Join(dir, "elsewhere")))
	must.OK(t, os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(mem, "area_context")))
	if n := count(t, s); n != 0 {
		t.Errorf("%d memories through a linked folder", n)
	}
	if faults, err := s.Faults(t.Context()); err != nil || len(faults) != 1 || faults[0].Path != "area_context" {
		t.Errorf("faults %+v, %v", faults, err)
	}
}

// TestClashNamesTheOther: of two files with one uuid a person is told which.
func TestClashNamesTheOther(t *testing.T) {
	s, dir := fixture(t, 1)
	twin := sample(0)
	twin.Layer = file.Technical
	_, err := file.Write(filepath.Join(dir, "memories"), twin)
	must.OK(t, err)
	synced(t, s)
	faults, err := s.Faults(t.Context())
	if err != nil || len(faults) != 1 || !strings.Contains(faults[0].Message, sample(0).RelPath()) && !strings.Contains(faults[0].Message, twin.RelPath()) {
		t.Errorf("faults %+v, %v", faults, err)
	}
}

// TestEditMovesAMemory: an edited memory is found where it applies now, and no more
// where it did, and so are those that it supersedes.
func TestEditMovesAMemory(t *testing.T) {
	s, dir := fixture(t, 3)
	mem := filepath.Join(dir, "memories")
	m := sample(9)
	edit := func(scope string, supersedes ...int) {
		t.Helper()
		m.Scope, m.Relations = file.Scope{scope}, nil
		for _, n := range supersedes {
			m.Relations = append(m.Relations, file.Relation{Type: "supersedes", Memory: uuid(n), Confidence: 1})
		}
		_, err := file.Write(mem, m)
		must.OK(t, err)
		synced(t, s)
	}
	want := func(when, path string, n, live int) {
		t.Helper()
		total, err := s.Total(t.Context())
		must.OK(t, err)
		if got := paths(t, s, path); got != n || total != live {
			t.Errorf("%s: %d memories reach %s, want %d; %d count, want %d", when, got, path, n, total, live)
		}
	}
	edit("new/**", 0, 1)
	want("as it was written", "new/x.go", 1, 2)
	edit("other/**", 2)
	want("edited", "new/x.go", 0, 3)
	want("edited", "other/x.go", 1, 3)
	edit("third/**")
	want("edited again", "other/x.go", 0, 4)
	want("edited again", "third/x.go", 1, 4)
}

// TestNotesOfManyPlaces: a look at the anchors of several memories keeps all of it.
func TestNotesOfManyPlaces(t *testing.T) {
	s, dir := fixture(t, 0)
	places := map[string][]Place{}
	for n := range 3 {
		m := sample(n)
		m.Scope, m.Anchors = nil, []anchor.Anchor{{Kind: anchor.KindSymbol, Path: "a.go", Symbol: "X"}}
		_, err := file.Write(filepath.Join(dir, "memories"), m)
		must.OK(t, err)
		places[m.UUID] = []Place{{Key: AnchorKey(m.Anchors[0]), State: anchor.Followed, Path: "b.go", Line: 3}}
	}
	synced(t, s)
	found := []CachedResolution{{Anchor: "k1/4", Seen: "s", Place: Place{State: anchor.Fresh, Path: "a.go"}}, {Anchor: "k2/4", Seen: "s"}, {Anchor: "k3/4", Seen: "s"}}
	must.OK(t, s.NotePlaces(t.Context(), places, found)) // as many of the ones as of the others
	noted, err := s.Places(t.Context())
	must.OK(t, err)
	cached, err := s.CachedResolutions(t.Context())
	must.OK(t, err)
	if len(noted) != 3 || len(cached) != 3 || paths(t, s, "b.go") != 3 {
		t.Errorf("%d places, %d in the cache, %d under the new path", len(noted), len(cached), paths(t, s, "b.go"))
	}
	edited := sample(1)
	edited.What, edited.Scope, edited.Anchors = "Said in other words", nil, []anchor.Anchor{{Kind: anchor.KindSymbol, Path: "a.go", Symbol: "X"}}
	_, err = file.Write(filepath.Join(dir, "memories"), edited)
	must.OK(t, err)
	synced(t, s)
	if paths(t, s, "a.go") != 3 || paths(t, s, "b.go") != 3 {
		t.Errorf("edited: %d under its path, %d where it was followed", paths(t, s, "a.go"), paths(t, s, "b.go"))
	}
	if of, err := s.CachedResolutions(t.Context(), "k2/4"); err != nil || len(of) != 1 || len(of["k2/4"]) != 1 {
		t.Errorf("of one anchor: %+v, %v", of, err)
	}
}

// TestOutlines say of a memory what its file says, as far as hooks rank by it.
func TestOutlines(t *testing.T) {
	for name, change := range map[string]func(m *file.Memory){
		"of the project":    func(*file.Memory) {},
		"below two folders": func(m *file.Memory) { m.Scope = file.Scope{"src/**", "lib/**"} },
		"with anchors": func(m *file.Memory) {
			m.Anchors = []anchor.Anchor{{Kind: anchor.KindFile, Path: "a.go"}, {Kind: anchor.KindFile, Path: "b.go"}}
		},
		"reviewed, not pinned": func(m *file.Memory) { m.Trust.Unreviewed, m.Pinned = false, false },
		"long confidence":      func(m *file.Memory) { m.Confidence = 1.0 / 3 },
	} {
		m := sample(1)
		m.Scope, m.Pinned, m.Trust.Unreviewed, m.Confidence = nil, true, true, 0.5
		change(m)
		r, err := fromOutline(outline("p", m, nil, ""))
		must.OK(t, err)
		got, err := r.Memory()
		must.OK(t, err)
		if got.UUID != m.UUID || got.Type != m.Type || got.Layer != m.Layer || got.Importance != m.Importance || got.Confidence != m.Confidence || got.Pinned != m.Pinned ||
			got.Trust.Origin != m.Trust.Origin || got.Trust.Unreviewed != m.Trust.Unreviewed || !got.UpdatedAt.Equal(m.UpdatedAt.Time) || got.What != m.What || strings.Join(got.Scope, " ") != strings.Join(m.Scope, " ") || len(got.Anchors) != len(m.Anchors) {
			t.Errorf("%s: %+v, want %+v", name, got, m)
		}
		if (got.Scope == nil) != (m.Scope == nil) || r.Key != m.TextKey() {
			t.Errorf("%s: scope %#v, key %q", name, got.Scope, r.Key)
		}
	}
}

// TestGivesUp: a fault that building the database again does not remove is told, and
// a write that failed is not taken for one that was made.
func TestGivesUp(t *testing.T) {
	s, _ := fixture(t, 1)
	synced(t, s)
	other := errors.New("something else")
	for name, run := range map[string]func(f func() error) error{
		"read":  func(f func() error) error { return s.read(t.Context(), func(DB) error { return f() }) },
		"write": func(f func() error) error { return s.write(t.Context(), func(*sql.Tx) error { return f() }) },
	} {
		n := 0
		err := run(func() error {
			if n++; n > 10 {
				return nil
			}
			return sqlfile.ErrCorrupt
		})
		if !errors.Is(err, sqlfile.ErrCorrupt) || n != 3 {
			t.Errorf("%s: %v after %d times", name, err, n)
		}
		n = 0
		if err := run(func() error { n++; return other }); !errors.Is(err, other) || n != 1 {
			t.Errorf("%s: %v after %d times", name, err, n)
		}
	}
	if n := count(t, s); n != 1 {
		t.Errorf("%d memories after it", n)
	}
	state, _ := stateFixture(t)
	must.OK(t, state.Usage().Count(t.Context(), "search"))
	n := 0
	err := state.db.use(t.Context(), func(*sqlfile.DB) error {
		if n++; n > 10 {
			return nil
		}
		return sqlfile.ErrCorrupt
	})
	if !errors.Is(err, sqlfile.ErrCorrupt) || n != 2 {
		t.Errorf("state: %v after %d times", err, n)
	}
}
