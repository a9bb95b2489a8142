package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory/file"
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
		must(t, err)
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
		must(t, err)
		if q.db == nil {
			t.Error("it reads the files")
		}
		rows, err = f(q)
		must(t, err)
		must(t, q.Close())
		var got []string
		for _, r := range rows {
			m, err := r.Memory()
			must(t, err)
			got = append(got, strings.TrimLeft(m.UUID[24:], "0"))
		}
		slices.Sort(got)
		return strings.Join(got, " "), rows
	}
	reaching := func(rel string, isDir bool) func(q *FastReader) ([]Row, error) {
		return func(q *FastReader) ([]Row, error) { return q.Reaching(t.Context(), rel, isDir, true) }
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
	want("by ids", "2 3", func(q *FastReader) ([]Row, error) { return q.ByUUID(t.Context(), []string{uuid(2), uuid(3)}) })

	write(8, func(m *file.Memory) { m.Importance = file.High })
	elsewhere := write(7, func(m *file.Memory) { m.Layer, m.Scope = file.Technical, file.Scope{"lib/**"} })
	must(t, os.WriteFile(filepath.Join(mem, filepath.FromSlash(sample(9).RelPath())), []byte("{"), 0o600))
	for _, r := range want("some came", "3 4 5 7 8", reaching("src/x.go", false)) {
		m, err := r.Memory()
		must(t, err)
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
	must(t, err)
	if rows, err := q.ByPaths(t.Context(), []string{sample(8).RelPath(), "../x.json"}); err != nil || len(rows) != 1 || !rows[0].Unjudged {
		t.Errorf("without a database, by paths: %+v, %v", rows, err)
	}
	if rows, err := q.Search(t.Context(), "pitfalls", 9); err != nil || len(rows) != 0 {
		t.Errorf("without a database, by words: %+v, %v", rows, err)
	}
	if rows, err := q.ByUUID(t.Context(), []string{uuid(2)}); err != nil || len(rows) != 0 {
		t.Errorf("without a database, by ids: %+v, %v", rows, err)
	}
	must(t, q.Close())
}

// TestCountLive: the number that the text index keeps is that of the memories, whatever
// is written, replaced, superseded or removed.
func TestCountLive(t *testing.T) {
	for record, want := range map[string]int{"\x05": 5, "\x81\x00": 128, "\x86\x8d\x20": 6<<14 | 13<<7 | 32} {
		if got, ok := firstVarint([]byte(record)); !ok || got != want {
			t.Errorf("%x: %d, %v, want %d", record, got, ok, want)
		}
	}
	for _, record := range []string{"", "\x80", "\xff\xff\xff\xff\xff"} {
		if _, ok := firstVarint([]byte(record)); ok {
			t.Errorf("%x is a number", record)
		}
	}
	s, dir := fixture(t, 300)
	mem := filepath.Join(dir, "memories")
	check := func(want int) {
		t.Helper()
		synced(t, s)
		var counted, kept int
		must(t, s.read(t.Context(), func(db DB) (err error) {
			if err := scan(t.Context(), db, qTotal, nil, func(r *sql.Rows) error { return r.Scan(&counted) }); err != nil {
				return err
			}
			kept, err = countLive(t.Context(), db)
			return err
		}))
		if counted != want || kept != want {
			t.Errorf("counted %d, kept %d, want %d", counted, kept, want)
		}
	}
	check(300)
	for n := range 40 {
		must(t, os.Remove(filepath.Join(mem, filepath.FromSlash(sample(n).RelPath()))))
	}
	check(260)
	changed := sample(50)
	changed.What, changed.Relations = "Other words", []file.Relation{{Type: "supersedes", Memory: uuid(51), Confidence: 1}}
	_, err := file.Write(mem, changed)
	must(t, err)
	check(259)
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
		must(t, err)
	}
	synced(t, s)
	q, err := OpenFastReader(t.Context(), Config{CacheDir: filepath.Join(dir, "cache"), Dir: mem, Scopes: scope.Options{}})
	must(t, err)
	defer func() { must(t, q.Close()) }()
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
		rows, err := q.Reaching(t.Context(), c.rel, c.dir, c.project)
		must(t, err)
		var got []string
		for _, r := range rows {
			m, err := r.Memory()
			must(t, err)
			got = append(got, strings.TrimLeft(m.UUID[24:], "0"))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
