package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
	"manicule/indexer/words"
	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/scope"
)

// TestFastReader reads the database as hooks do: with what has come since, of which
// nobody has judged a word, and without what was superseded.
func TestFastReader(t *testing.T) {
	s, dir := fixture(t, 0)
	mem := filepath.Join(dir, "memories")
	write := func(n int, change func(*file.Memory)) *file.Memory {
		t.Helper()
		m := sample(n)
		m.Scope = file.Scope{"src/**"}
		change(m)
		_, err := file.Write(mem, m)
		must.OK(t, err)
		return m
	}
	write(1, func(*file.Memory) {})
	write(2, func(m *file.Memory) { m.Scope = file.Scope{"lib/**"} })
	write(3, func(m *file.Memory) { m.Scope = nil })
	write(4, func(m *file.Memory) { m.Pinned = true })
	write(5, func(m *file.Memory) {
		m.Relations = []file.Relation{{Type: "supersedes", Memory: uuid(1), Confidence: 1}}
	})
	write(6, func(m *file.Memory) { m.Scope = file.Scope{"src/deep/**", "src/deep/er/**"} })
	synced(t, s)
	ask := func(f func(q *FastReader) ([]Row, error)) (numbers string, rows []Row) {
		t.Helper()
		q, err := OpenFastReader(t.Context(), Config{CacheDir: filepath.Join(dir, "cache"), Dir: mem, Scopes: scope.Options{}})
		must.OK(t, err)
		if q.index == nil {
			t.Error("it reads the files")
		}
		rows, err = f(q)
		must.OK(t, err)
		must.OK(t, q.Close())
		var got []string
		for _, r := range rows {
			m, err := r.Memory()
			must.OK(t, err)
			got = append(got, strings.TrimLeft(m.UUID[24:], "0"))
		}
		slices.Sort(got)
		return strings.Join(got, " "), rows
	}
	reaching := func(rel string, isDir bool) func(q *FastReader) ([]Row, error) {
		return func(q *FastReader) ([]Row, error) {
			return q.Reaching(t.Context(), PathQuery{Path: rel, Dir: isDir, Project: true})
		}
	}
	brief := func(total int) func(q *FastReader) ([]Row, error) {
		return func(q *FastReader) ([]Row, error) {
			rows, n, err := q.Brief(t.Context())
			if n != total {
				t.Errorf("the brief counts %d, want %d", n, total)
			}
			return rows, err
		}
	}
	of := func(ns ...int) func(q *FastReader) ([]Row, error) {
		var paths []string
		for _, n := range ns {
			paths = append(paths, sample(n).RelPath())
		}
		return func(q *FastReader) ([]Row, error) { return q.ByPaths(t.Context(), paths) }
	}
	want := func(what, numbers string, f func(q *FastReader) ([]Row, error)) []Row {
		t.Helper()
		got, rows := ask(f)
		if got != numbers {
			t.Errorf("%s: %q, want %q", what, got, numbers)
		}
		return rows
	}
	want("a file", "3 4 5", reaching("src/x.go", false))
	want("a file that two of its globs are about", "3 4 5 6", reaching("src/deep/er/x.go", false))
	want("a folder", "3 4 5 6", reaching("src", true))
	want("the root", "2 3 4 5 6", reaching("", true))
	want("the brief", "3 4", brief(5))
	want("by their files", "2 4", of(1, 2, 4))
	want("by no files", "", of())
	want("by words", "2 3 4 5 6", func(q *FastReader) ([]Row, error) { return q.Search(t.Context(), "pitfalls", 9) })
	want("within a word", "", func(q *FastReader) ([]Row, error) { return q.Search(t.Context(), "itfal", 9) })
	want("by ids", "2 3", func(q *FastReader) ([]Row, error) { return q.ByUUID([]string{uuid(2), uuid(3)}) })

	write(8, func(m *file.Memory) { m.Importance = file.High })
	elsewhere := write(7, func(m *file.Memory) { m.Layer, m.Scope = file.Technical, file.Scope{"lib/**"} })
	must.OK(t, os.WriteFile(filepath.Join(mem, filepath.FromSlash(sample(9).RelPath())), []byte("{"), 0o600))
	for _, r := range want("some came", "3 4 5 7 8", reaching("src/x.go", false)) {
		m, err := r.Memory()
		must.OK(t, err)
		if fresh := m.UUID == uuid(8) || m.UUID == uuid(7); r.Unjudged != fresh || fresh && (m.What != "" || m.Importance != file.Low || !m.Trust.Unreviewed) {
			t.Errorf("%s: %+v", m.UUID, m)
		}
	}
	want("one came into another folder", "2 3 7 8", reaching("lib/x.go", false)) // those that came are sorted out by their scopes later
	want("the brief with them", "3 4 7 8", brief(7))
	want("by its file there", "7", func(q *FastReader) ([]Row, error) { return q.ByPaths(t.Context(), []string{elsewhere.RelPath()}) })
	want("by its file", "2 8", of(2, 8))

	none := Config{CacheDir: filepath.Join(dir, "none"), Dir: mem, Scopes: scope.Options{}}
	q, err := OpenFastReader(t.Context(), none)
	must.OK(t, err)
	if rows, err := q.ByPaths(t.Context(), []string{sample(8).RelPath(), "../x.json"}); err != nil || len(rows) != 1 || !rows[0].Unjudged {
		t.Errorf("without a database, by paths: %+v, %v", rows, err)
	}
	if rows, err := q.Search(t.Context(), "pitfalls", 9); err != nil || len(rows) != 0 {
		t.Errorf("without a database, by words: %+v, %v", rows, err)
	}
	if rows, err := q.ByUUID([]string{uuid(2)}); err != nil || len(rows) != 0 {
		t.Errorf("without a database, by ids: %+v, %v", rows, err)
	}
	must.OK(t, q.Close())
}

// TestHooksFile: whatever is written, replaced, superseded, broken or removed, the hooks' file says
// what one made anew from the database says.
func TestHooksFile(t *testing.T) {
	s, dir := fixture(t, 300)
	mem := filepath.Join(dir, "memories")
	rng := rand.New(rand.NewPCG(5, 6))
	synced(t, s)
	appended, changes := 0, 40
	if testing.Short() {
		changes = 5
	}
	for range changes {
		n := rng.IntN(320)
		m := sample(n)
		path := filepath.Join(mem, filepath.FromSlash(m.RelPath()))
		switch rng.IntN(5) {
		case 0:
			_ = os.Remove(path) // it may be gone
		case 1:
			must.OK(t, os.WriteFile(path, []byte("{"), 0o600))
		default:
			m.What, m.Pinned = fmt.Sprintf("Reworded %d times", rng.IntN(1000)), rng.IntN(4) == 0
			m.Scope = file.Scope{fmt.Sprintf("lib/%d/**", rng.IntN(5))}
			if rng.IntN(3) == 0 {
				m.Relations = []file.Relation{{Type: "supersedes", Memory: uuid(rng.IntN(320)), Confidence: 1}}
			}
			_, err := file.Write(mem, m)
			must.OK(t, err)
		}
		before := hooksOf(t, s)
		if rng.IntN(2) == 0 {
			must.OK(t, s.SyncPath(t.Context(), m.RelPath(), 0))
		} else {
			synced(t, s)
		}
		now := hooksOf(t, s)
		if now.File == before.File && now.Size > before.Size {
			appended++
		}
		fresh := OpenMemories(Config{CacheDir: filepath.Join(dir, "other"), Dir: mem, Now: s.now})
		must.OK(t, fresh.Rebuild(t.Context()))
		if got, want := allOf(t, s), allOf(t, fresh); got != want {
			t.Fatalf("after %d appended changes:\n%s\nwant\n%s", appended, got, want)
		}
		must.OK(t, fresh.Close())
	}
	if appended < changes/2 {
		t.Errorf("only %d changes were appended", appended)
	}
}

func hooksOf(t *testing.T, s *Memories) hooksPointer {
	t.Helper()
	p, err := s.readPointer()
	must.OK(t, err)
	return p.Hooks
}

// allOf returns what hooks read of a store.
func allOf(t *testing.T, s *Memories) string {
	t.Helper()
	q, err := OpenFastReader(t.Context(), Config{CacheDir: s.cacheDir, Dir: s.writer.dir})
	must.OK(t, err)
	defer func() { must.OK(t, q.Close()) }()
	if q.index == nil {
		t.Fatal("it reads the files")
	}
	if len(q.fresh) > 0 {
		t.Errorf("%d files were written since", len(q.fresh))
	}
	var out strings.Builder
	show := func(what string, rows []Row, err error) {
		must.OK(t, err)
		slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
		for _, r := range rows {
			m, err := r.Memory()
			must.OK(t, err)
			fmt.Fprintln(&out, what, r.Path, m.What, m.Pinned, r.Key, fmt.Sprintf("%.9f", r.Rank))
		}
	}
	rows, err := q.Reaching(t.Context(), PathQuery{Path: "lib/2/x.go", Project: true})
	show("a file", rows, err)
	rows, err = q.Reaching(t.Context(), PathQuery{Dir: true, Project: true})
	show("the root", rows, err)
	rows, total, err := q.Brief(t.Context())
	show(fmt.Sprint("the brief of ", total), rows, err)
	rows, err = q.Search(t.Context(), "reworded pitfalls times", 1000)
	show("words", rows, err)
	rows, err = q.ByUUID([]string{uuid(7), uuid(9)})
	show("ids", rows, err)
	fmt.Fprintln(&out, q.Having("reworded"), q.Total(), Unusable(s.cacheDir))
	return out.String()
}

// TestCatchUpEndsInTime: in a folder that changed since the hooks' file was written, what there is no time for is left, and the
// memories from before are found.
func TestCatchUpEndsInTime(t *testing.T) {
	s, dir := fixture(t, 30)
	synced(t, s)
	_, err := file.Write(filepath.Join(dir, "memories"), sample(77))
	must.OK(t, err)
	config := Config{CacheDir: filepath.Join(dir, "cache"), Dir: filepath.Join(dir, "memories"), Scopes: scope.Options{}}
	for _, c := range []struct {
		left  time.Duration
		total int
	}{{time.Minute, 31}, {2 * time.Nanosecond, 30}} {
		q, err := OpenFastReader(deadlineOnly{t.Context(), time.Now().Add(c.left)}, config)
		must.OK(t, err)
		if q.index == nil {
			t.Fatal("it reads the files")
		}
		_, total, err := q.Brief(t.Context())
		must.OK(t, err)
		if total != c.total {
			t.Errorf("%s before the end: %d memories, want %d", c.left, total, c.total)
		}
		must.OK(t, q.Close())
	}
}

// deadlineOnly is a context that says when its end is, and goes on then, as that of a hook.
type deadlineOnly struct {
	context.Context
	end time.Time
}

func (d deadlineOnly) Deadline() (time.Time, bool) { return d.end, true }

// TestRecallsMakeNoNewTable: recalls change the same memories again and again. What is left of that is copied beside the table,
// and hooks find the last of it.
func TestRecallsMakeNoNewTable(t *testing.T) {
	s, _ := fixture(t, 40)
	synced(t, s)
	first, err := s.readPointer()
	must.OK(t, err)
	table, err := os.ReadFile(filepath.Join(s.cacheDir, first.Hooks.File))
	must.OK(t, err)
	copied := 0
	for n := 1; n <= 120; n++ {
		before, err := s.readPointer()
		must.OK(t, err)
		_, err = s.NoteUses(t.Context(), []string{uuid(3), uuid(4)}, func(string, life.Use) life.Use { return life.Use{Uses: n} })
		must.OK(t, err)
		now, err := s.readPointer()
		must.OK(t, err)
		if now.Hooks.File != before.Hooks.File {
			copied++
		}
		if now.Hooks.Size-now.Hooks.Table > 80<<10 {
			t.Fatalf("%d bytes of changes", now.Hooks.Size-now.Hooks.Table)
		}
	}
	p, err := s.readPointer()
	must.OK(t, err)
	data, err := os.ReadFile(filepath.Join(s.cacheDir, p.Hooks.File))
	must.OK(t, err)
	if copied == 0 || !bytes.HasPrefix(data, table) {
		t.Errorf("copied %d times; the table is another: %t", copied, !bytes.HasPrefix(data, table))
	}
	q, err := OpenFastReader(t.Context(), Config{CacheDir: s.cacheDir, Dir: s.writer.dir})
	must.OK(t, err)
	rows, err := q.ByUUID([]string{uuid(3), uuid(5)})
	must.OK(t, err)
	if len(rows) != 2 || q.index == nil || rows[0].Use().Uses+rows[1].Use().Uses != 120 {
		t.Errorf("%d memories, uses %v", len(rows), rows)
	}
	must.OK(t, q.Close())
}

// TestHooksFileAfterACrash: what a process committed before it could publish its pointer is in the
// hooks' file after the next write.
func TestHooksFileAfterACrash(t *testing.T) {
	s, dir := fixture(t, 30)
	synced(t, s)
	before, err := os.ReadFile(s.pointerFile())
	must.OK(t, err)
	p, err := s.readPointer()
	must.OK(t, err)
	lost, next := sample(77), sample(78)
	for _, m := range []*file.Memory{lost, next} {
		_, err := file.Write(filepath.Join(dir, "memories"), m)
		must.OK(t, err)
		if m == next {
			must.OK(t, s.SyncPath(t.Context(), m.RelPath(), s.FolderTime(m.RelPath())))
			continue
		}
		db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: filepath.Join(s.cacheDir, p.File), Busy: time.Second})
		must.OK(t, err)
		must.OK(t, db.Tx(t.Context(), func(tx *sql.Tx) error { // as writeFile does until it is killed
			var r Report
			if err := s.writer.load(t.Context(), tx, m.RelPath(), diskFile{mtimeNS: 1, size: 1}, known{}, &r); err != nil {
				return err
			}
			l, err := listFiles(s.writer.dir, s.now())
			if err != nil {
				return err
			}
			if err := saveFolders(t.Context(), tx, l); err != nil {
				return err
			}
			return exec(t.Context(), tx, "count a write", qCountWrite)
		}))
		must.OK(t, db.Close())
		st, err := os.Stat(filepath.Join(s.cacheDir, p.File)) // as if its journal was not copied yet
		must.OK(t, err)
		p.Size, p.MTimeNS = st.Size(), st.ModTime().UnixNano()
		data, err := json.Marshal(p)
		must.OK(t, err)
		must.OK(t, os.WriteFile(s.pointerFile(), data, 0o600))
	}
	if now, err := os.ReadFile(s.pointerFile()); err != nil || string(now) == string(before) {
		t.Errorf("nothing was published: %v", err)
	}
	got := allOf(t, s)
	for _, m := range []*file.Memory{lost, next} {
		if !strings.Contains(got, m.RelPath()) {
			t.Errorf("%s is missing", m.RelPath())
		}
	}
}

// TestHooksFileFaults: a damaged or missing hooks' file is made again by the next write, what a write
// left behind that was cut off is not read, and meanwhile hooks read the memory files.
func TestHooksFileFaults(t *testing.T) {
	for name, harm := range map[string]func(path string, p hooksPointer) error{
		"missing": func(path string, _ hooksPointer) error { return os.Remove(path) },
		"short":   func(path string, p hooksPointer) error { return os.Truncate(path, p.Size/2) },
		"garbage": func(path string, p hooksPointer) error { return os.WriteFile(path, make([]byte, p.Size), 0o600) },
		"a change that was not published": func(path string, p hooksPointer) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("half of it")
			return errors.Join(err, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := fixture(t, 30)
			synced(t, s)
			p := hooksOf(t, s)
			must.OK(t, harm(filepath.Join(s.cacheDir, p.File), p))
			q, err := OpenFastReader(t.Context(), Config{CacheDir: s.cacheDir, Dir: s.writer.dir})
			must.OK(t, err)
			rows, err := q.Reaching(t.Context(), PathQuery{Dir: true, Project: true})
			must.OK(t, err)
			if len(rows) != 30 {
				t.Error("hooks see nothing")
			}
			must.OK(t, q.Close())
			m := sample(77)
			_, err = file.Write(filepath.Join(dir, "memories"), m)
			must.OK(t, err)
			must.OK(t, s.SyncPath(t.Context(), m.RelPath(), 0))
			synced(t, s)
			if got := allOf(t, s); !strings.Contains(got, m.RelPath()) {
				t.Errorf("the next write is missing:\n%s", got)
			}
		})
	}
}

// TestReachingFiltersScopes: patterns that reach every path are matched before a memory is
// made of a row, and memories with anchors pass to be matched with their places.
func TestReachingFiltersScopes(t *testing.T) {
	s, dir := fixture(t, 0)
	mem := filepath.Join(dir, "memories")
	for n, m := range map[int]func(*file.Memory){
		1: func(m *file.Memory) { m.Scope = file.Scope{"**/*_test.go"} },
		2: func(m *file.Memory) { m.Scope = file.Scope{"*.go", "!*_test.go"} },
		3: func(m *file.Memory) { m.Scope = nil },
		4: func(m *file.Memory) {
			m.Scope, m.Anchors = file.Scope{"**/*_test.go"}, []anchor.Anchor{{Kind: anchor.KindFile, Path: "lib/x.py"}}
		},
		5: func(m *file.Memory) { m.Scope = file.Scope{"!lib/**"} },
	} {
		memory := sample(n)
		memory.Anchors = nil
		m(memory)
		_, err := file.Write(mem, memory)
		must.OK(t, err)
	}
	synced(t, s)
	q, err := OpenFastReader(t.Context(), Config{CacheDir: filepath.Join(dir, "cache"), Dir: mem, Scopes: scope.Options{}})
	must.OK(t, err)
	defer func() { must.OK(t, q.Close()) }()
	for _, c := range []struct {
		rel          string
		dir, project bool
		want         string
	}{
		{"src/a_test.go", false, true, "1 3 4 5"},
		{"src/a.go", false, true, "2 3 4 5"},
		{"src/a.go", false, false, "2 4 5"},
		{"lib/a.py", false, false, "4"},
		{"src", true, false, "1 2 4 5"},
	} {
		rows, err := q.Reaching(t.Context(), PathQuery{Path: c.rel, Dir: c.dir, Project: c.project})
		must.OK(t, err)
		var got []string
		for _, r := range rows {
			m, err := r.Memory()
			must.OK(t, err)
			got = append(got, strings.TrimLeft(m.UUID[24:], "0"))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestHooksFileOfAnotherVersion: the first command after an update writes the hooks' file again, as
// hooks would read all memory files until something is written.
func TestHooksFileOfAnotherVersion(t *testing.T) {
	s, dir := fixture(t, 3)
	synced(t, s)
	cache := filepath.Join(dir, "cache")
	p, err := s.readPointer()
	must.OK(t, err)
	old := "hooks.v0.0.old"
	must.OK(t, os.Rename(filepath.Join(cache, p.Hooks.File), filepath.Join(cache, old)))
	p.Hooks.File = old
	must.OK(t, s.point(p.File, p.Hooks))
	for _, sync := range []func() error{
		func() error { _, err := s.SyncIfStale(t.Context()); return err },
		func() error { _, err := s.Sync(t.Context()); return err },
	} {
		must.OK(t, sync())
		now, err := s.readPointer()
		must.OK(t, err)
		if !strings.HasPrefix(now.Hooks.File, hooksPrefix()) {
			t.Fatalf("it is still %s", now.Hooks.File)
		}
		q, err := OpenFastReader(t.Context(), Config{CacheDir: cache, Dir: filepath.Join(dir, "memories"), Scopes: scope.Options{}})
		must.OK(t, err)
		if n := q.Total(); q.index == nil || n != 3 {
			t.Errorf("hooks know %d memories", n)
		}
		must.OK(t, q.Close())
	}
}

// TestBriefOfMany: of a project that has very much about itself, the brief is chosen from the most telling, and what was
// imported takes no place of what was written.
func TestBriefOfMany(t *testing.T) {
	line := func(n int, importance, confidence, pinned, origin, standing string) string {
		return joinFields(fmt.Sprintf("area/%04d.json", n), uuid(n), "convention", "area_context", importance, confidence, pinned, origin, "0", "what",
			"", "", "", "", "", standing, "")
	}
	var lines []string
	for n := range 1000 {
		lines = append(lines, line(n, "normal", "0.5", "", "user_taught", ""))
	}
	for n := range 500 {
		lines = append(lines, line(2000+n, "high", "0.9", "", "import", ""))
	}
	special := []string{
		line(9001, "low", "0.1", "1", "user_taught", ""), line(9002, "high", "0.1", "", "user_taught", ""),
		line(9003, "normal", "0.1", "", "user_taught", "\x1e0\x1e\x1e\x1e"), line(9004, "normal", "0.6", "", "user_taught", ""),
	}
	got := mostTelling(slices.Concat(lines, special))
	if len(got) != maxBriefWritten+maxBriefImported {
		t.Errorf("%d lines", len(got))
	}
	if !slices.Equal(got[:len(special)], special) {
		t.Errorf("the most telling are %q", got[:len(special)])
	}
	few := slices.Concat(lines[:20], special)
	if got := mostTelling(few); !slices.Equal(got, few) {
		t.Error("of few, some are left out")
	}
}

// TestNear: what is near a text is found in the hooks' file as in the database, also behind changes.
func TestNear(t *testing.T) {
	s, dir := fixture(t, 0)
	mem := filepath.Join(dir, "memories")
	vocabulary := strings.Fields("token refresh fails silently redis unreachable cache queue export nightly invoice order price stock session customer refund coupon")
	rng := rand.New(rand.NewPCG(3, 4))
	sentence := func() string {
		var out []string
		for range 4 + rng.IntN(8) {
			out = append(out, vocabulary[int(float64(len(vocabulary))*rng.Float64()*rng.Float64())])
		}
		return strings.Join(out, " ")
	}
	write := func(n int) {
		m := sample(n)
		m.What, m.Why = sentence(), sentence()
		_, err := file.Write(mem, m)
		must.OK(t, err)
	}
	for n := range 60 {
		write(n + 1)
	}
	synced(t, s)
	for n := range 5 {
		write(61 + n)
	}
	synced(t, s)
	ranks := func(rows []Row) (out []string) {
		for _, r := range rows {
			out = append(out, r.Path)
		}
		return out
	}
	for range 50 {
		text := sentence()
		got, err := s.nearInHooks(t.Context(), text, 8)
		must.OK(t, err)
		want, err := wordSearch[Row]{limit: 8, ranked: maxNear, having: s.having(t.Context()), key: pathOf, ask: func(q words.Query, all bool) ([]Row, error) {
			return s.rows(t.Context(), qSearch, match(q, all), 8)
		}}.find(text)
		must.OK(t, err)
		a, b := ranks(got), ranks(want)
		slices.Sort(a) // equals may change places
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s: the hooks' file has %d, the database %d\n%s\n%s", text, len(a), len(b), strings.Join(a, " "), strings.Join(b, " "))
		}
	}
	p, err := s.readPointer()
	must.OK(t, err)
	must.OK(t, os.Remove(filepath.Join(dir, "cache", p.Hooks.File)))
	if rows, err := s.Near(t.Context(), "token refresh", 3); err != nil || len(rows) == 0 {
		t.Errorf("without the hooks' file %d are near; %v", len(rows), err)
	}
}
