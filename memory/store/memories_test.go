package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/scope"
)

func uuid(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012x", n) }

func sample(n int) *file.Memory {
	at := file.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return &file.Memory{Format: 1, UUID: uuid(n), Type: file.Gotcha, Layer: file.AreaContext,
		What: fmt.Sprintf("Number %d of the tokenRefresh pitfalls", n), Why: "because of Redis",
		Scope: file.Scope{fmt.Sprintf("src/m%d/**", n%100)}, Visibility: file.Project, Importance: file.Medium, Confidence: 1,
		Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}, CreatedAt: at, UpdatedAt: at}
}

// fixture is a folder of memory files and a store over it. The clock is an
// hour ahead, so that no file counts as just changed.
func fixture(t testing.TB, n int) (*Memories, string) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		if _, err := file.Write(filepath.Join(dir, "memories"), sample(i)); err != nil {
			t.Fatal(err)
		}
	}
	return reopen(t, dir), dir
}

func reopen(t testing.TB, dir string) *Memories {
	t.Helper()
	s := OpenMemories(Config{CacheDir: filepath.Join(dir, "cache"), Dir: filepath.Join(dir, "memories"),
		Scopes: scope.Options{}, Now: func() time.Time { return time.Now().Add(time.Hour) }})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func count(t testing.TB, s *Memories) int {
	t.Helper()
	if _, err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := s.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

func TestSyncFollowsTheFiles(t *testing.T) {
	s, dir := fixture(t, 5)
	mem := filepath.Join(dir, "memories")
	if got := count(t, s); got != 5 {
		t.Fatalf("%d memories, want 5", got)
	}
	edited := sample(1)
	edited.What = "Quite another thing about zebras"
	if _, err := file.Write(mem, edited); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(mem, sample(2).RelPath())); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mem, sample(3).RelPath()), []byte("{\n  half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(mem, sample(7)); err != nil {
		t.Fatal(err)
	}
	r, err := s.Sync(t.Context())
	if err != nil || r.Added != 1 || r.Changed != 1 || r.Removed != 1 || r.Problems != 1 {
		t.Errorf("sync reports %+v, %v", r, err)
	}
	faults, err := s.Faults(t.Context())
	if err != nil || len(faults) != 1 || faults[0].Line != 2 || faults[0].Path != sample(3).RelPath() {
		t.Errorf("faults %+v, %v", faults, err)
	}
	hits, err := s.Search(t.Context(), "zebras", 5)
	if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Path, uuid(1)) {
		t.Errorf("search after an edit: %v, %v", hits, err)
	}
	if hits, err = s.Search(t.Context(), "pitfalls", 50); err != nil || len(hits) != 3 {
		t.Errorf("%d memories speak of pitfalls, want 3 (%v)", len(hits), err)
	}
	if _, err := file.Write(mem, sample(3)); err != nil {
		t.Fatal(err)
	}
	if got := count(t, s); got != 5 {
		t.Errorf("%d memories after the mending, want 5", got)
	}
	if faults, err = s.Faults(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("faults %+v, %v", faults, err)
	}
}

func TestTwoFilesWithOneUUID(t *testing.T) {
	s, dir := fixture(t, 1)
	mem := filepath.Join(dir, "memories")
	twin := sample(0)
	twin.Layer = file.Technical
	if _, err := file.Write(mem, twin); err != nil {
		t.Fatal(err)
	}
	if got := count(t, s); got != 1 {
		t.Fatalf("%d memories, want 1", got)
	}
	if err := os.Remove(filepath.Join(mem, sample(0).RelPath())); err != nil {
		t.Fatal(err)
	}
	if got := count(t, s); got != 1 {
		t.Errorf("%d memories once the first is gone, want the second", got)
	}
	if faults, err := s.Faults(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("faults %+v, %v", faults, err)
	}
}

func TestReaching(t *testing.T) {
	s, dir := fixture(t, 0)
	mem := filepath.Join(dir, "memories")
	add := func(n int, sc file.Scope, at ...string) {
		m := sample(n)
		m.Scope = sc
		for _, p := range at {
			m.Anchors = append(m.Anchors, anchor.Anchor{Kind: anchor.KindFile, Path: p})
		}
		if _, err := file.Write(mem, m); err != nil {
			t.Fatal(err)
		}
	}
	add(1, nil)
	add(2, file.Scope{"src/auth/**"})
	add(3, file.Scope{"**/*.ts"})
	add(4, nil, "src/auth/x.ts")
	add(5, file.Scope{"lib/**", "src/auth/deep/**"})
	tests := []struct {
		path string
		dir  bool
		want string
	}{
		{"src/auth/x.ts", false, "1 2 3 4"},
		{"src/db/x.go", false, "1 3"},
		{"src", true, "1 2 3 4 5"},
		{"", true, "1 2 3 4 5"},
		{"src/auth/deep/y.ts", false, "1 2 3 5"},
	}
	if _, err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		rows, err := s.Reaching(t.Context(), tt.path, tt.dir)
		if err != nil {
			t.Fatal(err)
		}
		short, err := s.OutlinesReaching(t.Context(), tt.path, tt.dir)
		same := func(a, b Row) bool { return a.Path == b.Path }
		byPath := func(a, b Row) int { return strings.Compare(a.Path, b.Path) }
		if err != nil || !slices.EqualFunc(slices.SortedFunc(slices.Values(short), byPath), rows, same) {
			t.Errorf("%q: %d outlines of %d memories, %v", tt.path, len(short), len(rows), err)
		}
		var got []string
		for _, r := range rows {
			m, err := r.Memory()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimLeft(m.UUID[24:], "0"))
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%q: %s, want %s", tt.path, g, tt.want)
		}
	}
}

// TestCounts: by layer, in the order of recall, and in a layer by type.
func TestCounts(t *testing.T) {
	s, dir := fixture(t, 2)
	var want []Count
	for i, l := range file.Layers() {
		for j, kind := range []file.Type{file.Decision, file.Gotcha} {
			m := sample(10 + 2*i + j)
			m.Layer, m.Type = l, kind
			_, err := file.Write(filepath.Join(dir, "memories"), m)
			must.OK(t, err)
			c := Count{Layer: l, Type: kind, N: 1}
			if l == file.AreaContext && kind == file.Gotcha {
				c.N = 3
			}
			want = append(want, c)
		}
	}
	synced(t, s)
	if counts, err := s.Counts(t.Context()); err != nil || !slices.Equal(counts, want) {
		t.Errorf("%v, want %v (%v)", counts, want, err)
	}
}

// TestCheckRepairs: an index of words that lost its words is noticed by a check, and built again.
func TestCheckRepairs(t *testing.T) {
	s, _ := fixture(t, 3)
	synced(t, s)
	must.OK(t, s.Check(t.Context()))
	must.OK(t, s.write(t.Context(), func(tx *sql.Tx) error {
		return exec(t.Context(), tx, "lose the words", `INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')`)
	}))
	found := func() int {
		rows, err := s.Search(t.Context(), "redis pitfalls", 10)
		must.OK(t, err)
		return len(rows)
	}
	if n := found(); n != 0 {
		t.Fatalf("%d found without words", n)
	}
	err := s.Check(t.Context())
	synced(t, s)
	if n := found(); n != 3 {
		t.Errorf("%d found after the check, which said %v", n, err)
	}
}

// TestByDedupeKey finds the memory that says the same, and none where nobody says it.
func TestByDedupeKey(t *testing.T) {
	s, _ := fixture(t, 3)
	synced(t, s)
	if r, ok, err := s.ByDedupeKey(t.Context(), sample(1).DedupeKey()); err != nil || !ok || !strings.Contains(r.Path, uuid(1)) {
		t.Errorf("%s %t, %v", r.Path, ok, err)
	}
	if r, ok, err := s.ByDedupeKey(t.Context(), "none"); err != nil || ok {
		t.Errorf("%s %t, %v", r.Path, ok, err)
	}
}

func TestSupersededIsNotFound(t *testing.T) {
	s, dir := fixture(t, 3)
	m := sample(9)
	m.Relations = []file.Relation{{Type: "supersedes", Memory: uuid(1), Confidence: 1}}
	name, err := file.Write(filepath.Join(dir, "memories"), m)
	if err != nil {
		t.Fatal(err)
	}
	search := func() int {
		if _, err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Search(t.Context(), "pitfalls", 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	if got := search(); got != 3 {
		t.Errorf("%d found, want 3 of 4", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if got := search(); got != 3 {
		t.Errorf("%d found once the successor is gone, want 3", got)
	}
}

func TestSearchForms(t *testing.T) {
	s, _ := fixture(t, 3)
	if _, err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"tokenRefresh": 3, "token refresh": 3, "pitfall": 3, "number 1": 3, "REDIS": 3,
		`"unbalanced`: 0, "AND OR NOT": 0, "***": 0, "what:x": 0, "": 0, "of the": 3, "itfal": 3, "100%": 0, "src/m1": 3,
	} {
		rows, err := s.Search(t.Context(), query, 10)
		if err != nil || len(rows) != want {
			t.Errorf("%q: %d rows (%v), want %d", query, len(rows), err, want)
		}
	}
	rows, err := s.Search(t.Context(), "number 1", 10)
	if err != nil || !strings.Contains(rows[0].Path, uuid(1)) {
		t.Errorf("the best match comes first: %v %v", rows[0].Path, err)
	}
}

// TestDamageCostsARebuild does to the database file what can happen to a file,
// with another store that has it open, and expects the same answers.
func TestDamageCostsARebuild(t *testing.T) {
	s, dir := fixture(t, 200)
	other := reopen(t, dir)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, harm := range []struct {
		name string
		do   func(path string) error
	}{
		{"deleted", os.Remove},
		{"truncated", func(p string) error { return os.Truncate(p, 5000) }},
		{"emptied", func(p string) error { return os.Truncate(p, 0) }},
		{"text", func(p string) error { return os.WriteFile(p, []byte("not a database at all, just text"), 0o600) }},
		{"random bytes", func(p string) error { return scribble(p, rnd, 1) }},
		{"more random bytes", func(p string) error { return scribble(p, rnd, 50) }},
		{"pointer gone", func(p string) error { return os.Remove(s.pointerFile()) }},
		{"pointer broken", func(p string) error { return os.WriteFile(s.pointerFile(), []byte("{"), 0o600) }},
		{"pointer astray", func(p string) error {
			return os.WriteFile(s.pointerFile(), []byte(`{"file":"../../x"}`), 0o600)
		}},
		{"all gone", func(p string) error { return os.RemoveAll(filepath.Dir(p)) }},
	} {
		for _, st := range []*Memories{s, other} {
			if got := count(t, st); got != 200 {
				t.Fatalf("before %s: %d memories", harm.name, got)
			}
		}
		if err := harm.do(s.Path()); err != nil {
			t.Fatal(err)
		}
		victims := []*Memories{s, other}
		if i%2 == 1 {
			victims = []*Memories{other, s}
		}
		for _, st := range victims {
			if got := count(t, st); got != 200 {
				t.Errorf("%s: %d memories, want 200", harm.name, got)
			}
			rows, err := st.Search(t.Context(), "pitfalls", 300)
			if err != nil || len(rows) != 200 {
				t.Errorf("%s: search finds %d (%v)", harm.name, len(rows), err)
			}
			rows, err = st.Reaching(t.Context(), "src/m7/x.go", false)
			if err != nil || len(rows) != 2 {
				t.Errorf("%s: %d reach the path (%v)", harm.name, len(rows), err)
			}
		}
		left, err := filepath.Glob(filepath.Join(dir, "cache", "memories.v*.db"))
		if err != nil || len(left) != 1 {
			t.Errorf("%s: generations left behind: %v %v", harm.name, left, err)
		}
	}
}

func scribble(path string, rnd *rand.Rand, times int) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	for range times {
		if _, err := f.WriteAt([]byte{byte(rnd.Uint32()), byte(rnd.Uint32()), byte(rnd.Uint32())}, rnd.Int64N(st.Size())); err != nil {
			return err
		}
	}
	return nil
}

func TestConcurrentStores(t *testing.T) {
	s, dir := fixture(t, 0)
	mem := filepath.Join(dir, "memories")
	var wg sync.WaitGroup
	for w := range 4 {
		st := reopen(t, dir)
		wg.Go(func() {
			for i := range 20 {
				m := sample(100*w + i)
				before := st.FolderTime(m.RelPath())
				if _, err := file.Write(mem, m); err != nil {
					t.Error(err)
				}
				if err := st.SyncPath(t.Context(), m.RelPath(), before); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := count(t, s); got != 80 {
		t.Errorf("%d memories, want 80", got)
	}
}

func TestUnwritableCache(t *testing.T) {
	_, dir := fixture(t, 3)
	block := filepath.Join(dir, "blocked")
	if err := os.WriteFile(block, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := OpenMemories(Config{CacheDir: filepath.Join(block, "x"), Dir: filepath.Join(dir, "memories")})
	defer func() { _ = s.Close() }() // in memory
	if rows, err := s.All(t.Context()); err != nil || len(rows) != 3 {
		t.Errorf("%d memories before any look, %v", len(rows), err)
	}
	before := s.FolderTime(sample(7).RelPath())
	if _, err := file.Write(filepath.Join(dir, "memories"), sample(7)); err != nil {
		t.Fatal(err)
	}
	must.OK(t, s.SyncPath(t.Context(), sample(7).RelPath(), before))
	if rows, err := s.All(t.Context()); err != nil || len(rows) != 4 {
		t.Errorf("%d memories after a write, %v", len(rows), err)
	}
	must.OK(t, os.Remove(filepath.Join(dir, "memories", filepath.FromSlash(sample(7).RelPath()))))
	if got := count(t, s); got != 3 {
		t.Errorf("%d memories without a cache folder, want 3", got)
	}
}

// TestDeletedWhileBuilt: the cache folder may be deleted at any time, also while the database is built in it.
func TestDeletedWhileBuilt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	_, dir := fixture(t, 3)
	cache := filepath.Join(dir, "cache")
	var judged atomic.Int32
	s := OpenMemories(Config{CacheDir: cache, Dir: filepath.Join(dir, "memories"), Judge: func(context.Context, *file.Memory) error {
		if n := judged.Add(1); n == 1 || n == 4 { // in the first and the second build
			must.OK(t, os.RemoveAll(cache))
		}
		return nil
	}})
	defer func() { must.OK(t, s.Close()) }()
	if rows, err := s.All(t.Context()); err != nil || len(rows) != 3 {
		t.Errorf("%d memories, %v", len(rows), err)
	}
	if path := s.Path(); filepath.Dir(path) != cache {
		t.Errorf("the database is %q", path)
	}
}

// TestRebuildIsNew: who asks for another database gets one, also of a store that has
// not read the one there is.
func TestRebuildIsNew(t *testing.T) {
	s, dir := fixture(t, 3)
	count(t, s)
	for _, st := range []*Memories{s, reopen(t, dir)} {
		was := st.Path()
		must.OK(t, st.Rebuild(t.Context()))
		if is := st.Path(); is == was || is == "" {
			t.Errorf("it is still %q", is)
		}
		if n := count(t, st); n != 3 {
			t.Errorf("%d memories", n)
		}
	}
}

func BenchmarkBuild10k(b *testing.B) {
	s, _ := fixture(b, 10_000)
	for b.Loop() {
		if err := os.Remove(s.pointerFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
		if _, err := s.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSyncNothing10k(b *testing.B) {
	s, _ := fixture(b, 10_000)
	count(b, s)
	for b.Loop() {
		if _, err := s.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReaching10k(b *testing.B) {
	s, _ := fixture(b, 10_000)
	count(b, s)
	for b.Loop() {
		if _, err := s.Reaching(b.Context(), "src/m7/a/b/c.go", false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch10k(b *testing.B) {
	s, _ := fixture(b, 10_000)
	count(b, s)
	for b.Loop() {
		if _, err := s.Search(b.Context(), "number 77 tokenRefresh", 20); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRelationsAreBounded: of thousands of relations, which only a clone's file may have, the first ones are indexed.
func TestRelationsAreBounded(t *testing.T) {
	s, dir := fixture(t, 0)
	m := sample(1)
	for i := range 4 * maxRelations {
		m.Relations = append(m.Relations, file.Relation{Type: "related_to", Memory: uuid(10 + i)})
	}
	if _, err := file.Write(filepath.Join(dir, "memories"), m); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s); n != 1 {
		t.Fatalf("%d memories", n)
	}
	for i, want := range map[int]int{0: 1, maxRelations - 1: 1, maxRelations: 0, 4*maxRelations - 1: 0} {
		rows, err := s.Naming(t.Context(), uuid(10+i))
		if err != nil || len(rows) != want {
			t.Errorf("relation %d: %d memories name it, %v, want %d", i, len(rows), err, want)
		}
	}
}
