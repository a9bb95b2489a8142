package code

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/graph"
	"manicule/indexer/must"
)

func openAt(t *testing.T, dir, root string) *Index {
	t.Helper()
	x, err := Open(t.Context(), dir, root, time.Now)
	must.OK(t, err)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// symbols are the symbols of pieces, in their order.
func symbols(t *testing.T, x *Index, found []Ranked) (out []string) {
	t.Helper()
	for _, r := range found {
		list, err := x.Pieces(t.Context(), []int64{r.ID})
		must.OK(t, err)
		for _, p := range list {
			out = append(out, p.Symbol)
		}
	}
	return out
}

// TestTwoProcesses: a process finds the same as one that was started now, after another process has updated the index.
func TestTwoProcesses(t *testing.T) {
	files := tree{
		"a.go": "// function Purge\nfunc Purge(key string) { c.mu.Lock(); if e, ok := c.items[key]; ok { delete(c.items, key); c.evict(e) } }\n\n" +
			"// function Serve\nfunc Serve(addr string, h Handler) error { ln, err := net.Listen(addr); for { conn, err := ln.Accept(); go h.serveConn(conn) } }\n\n",
	}
	one := openTree(t, files)
	other := openAt(t, one.dir, one.root)
	look := func(x *Index) string {
		t.Helper()
		near, err := x.Associated(t.Context(), "remove an entry from the cache", 5, nil)
		must.OK(t, err)
		found, err := x.Search(t.Context(), "listen accept evict delete", 5)
		must.OK(t, err)
		return strings.Join(slices.Concat(symbols(t, x, near), []string{"|"}, symbols(t, x, found.Words)), " ")
	}
	look(one)
	for round, text := range []string{
		"// function Serve\nfunc Serve(addr string, h Handler) error { ln, err := net.Listen(addr); for { conn, err := ln.Accept(); go h.serveConn(conn) } }\n\n" +
			"// function Drop\nfunc Drop(key string) { c.mu.Lock(); if e, ok := c.items[key]; ok { delete(c.items, key); c.evict(e) } }\n\n",
		"// function Listen\nfunc Listen(addr string) { net.Listen(addr) }\n\n",
	} {
		files["a.go"] = text
		must.Write(t, filepath.Join(one.root, "a.go"), text)
		writer, reader := other, one
		if round%2 == 1 {
			writer, reader = one, other
		}
		for _, x := range []*Index{writer, reader} { // the second has nothing to do
			if _, err := x.Sync(t.Context(), files, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := look(reader), look(openAt(t, one.dir, one.root)); got != want {
			t.Errorf("round %d: %s; one that was opened now finds %s", round, got, want)
		}
	}
}

// slow is a tree whose first chunks are read while wait runs.
type slow struct {
	tree
	wait func()
}

func (s slow) Chunks(ctx context.Context, file string) ([]graph.Chunk, error) {
	s.wait()
	return s.tree.Chunks(ctx, file)
}

// TestSyncWaitsForAnother: a process that needs the index while another one makes it waits for that, and does not fail
// because the database is locked.
func TestSyncWaitsForAnother(t *testing.T) {
	files := tree{"a.go": "// function A\nfunc A() {}\n\n", "b.go": "// function B\nfunc B() {}\n\n"}
	one := openTree(t, tree{})
	for name, text := range files {
		must.Write(t, filepath.Join(one.root, name), text)
	}
	other := openAt(t, one.dir, one.root)
	type result struct {
		changed int
		err     error
	}
	waits, done := make(chan int, 100), make(chan result, 1)
	begun := false
	n, err := one.Sync(t.Context(), slow{files, func() {
		if begun {
			return
		}
		begun = true
		go func() {
			n, err := other.Sync(t.Context(), files, func(_, total int) { waits <- total })
			done <- result{n, err}
		}()
		select {
		case total := <-waits:
			if total != 2 {
				t.Errorf("it waits for %d files", total)
			}
		case r := <-done:
			t.Errorf("it did not wait: %+v", r)
			done <- r
		}
	}}, nil)
	if err != nil || n != 2 {
		t.Fatalf("%d files: %v", n, err)
	}
	if r := <-done; r.err != nil || r.changed != 0 {
		t.Errorf("%d files again: %v", r.changed, r.err)
	}
}

// TestSyncLeavesAStoppedOne: one that was stopped in the middle is not waited for without end.
func TestSyncLeavesAStoppedOne(t *testing.T) {
	x := openTree(t, tree{})
	l := flock.New(filepath.Join(x.dir, "code.lock"))
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Unlock() }() // the file goes with the folder
	x.patience = 0
	if _, err := x.Sync(t.Context(), tree{"a.go": "text"}, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if n, err := x.Sync(t.Context(), tree{}, nil); n != 0 || err != nil { // there is nothing to write
		t.Errorf("%d, %v", n, err)
	}
}

// TestSyncAfterDeletion: somebody deletes the cache folder, with the lock in it, while a process updates the index. A second one that
// has the deleted file open begins a new one, and does not wait for the database of the first until that is locked for too long.
func TestSyncAfterDeletion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	files := tree{"a.go": "// function A\nfunc A() {}\n\n", "b.go": "// function B\nfunc B() {}\n\n"}
	one := openTree(t, tree{})
	for name, text := range files {
		must.Write(t, filepath.Join(one.root, name), text)
	}
	other, err := Open(t.Context(), one.dir, one.root, time.Now)
	must.OK(t, err)
	begun := false
	if _, err := one.Sync(t.Context(), slow{files, func() {
		if begun {
			return
		}
		begun = true
		if err := os.RemoveAll(one.dir); err != nil {
			t.Error(err)
		}
		if _, err := other.Sync(t.Context(), files, nil); !IsDamaged(err) {
			t.Errorf("of the deleted file: %v", err)
		}
		if err := other.Discard(); err != nil {
			t.Error(err)
		}
		if n, err := openAt(t, one.dir, one.root).Sync(t.Context(), files, nil); n != 2 || err != nil {
			t.Errorf("of the new one: %d, %v", n, err)
		}
	}}, nil); err != nil {
		t.Error(err) // what is deleted can be written
	}
	if err := one.Discard(); err != nil {
		t.Error(err)
	}
	if n, err := openAt(t, one.dir, one.root).Sync(t.Context(), files, nil); n != 0 || err != nil {
		t.Errorf("of the new one, %d files again: %v", n, err)
	}
	if _, err := one.Search(t.Context(), "A", 5); !one.Unusable(err) {
		t.Errorf("a search that had begun before: %v", err)
	}
}

// TestOneSegment: the words of many pieces are written at once. A segment for each of them would take most of the time of
// the first search, to write and to merge.
func TestOneSegment(t *testing.T) {
	files := tree{}
	for _, f := range []string{"a.go", "b.go"} {
		for _, name := range []string{"One", "Two", "Three"} {
			files[f] += "// function " + name + "\nfunc " + name + "() { lock(); unlock() }\n\n"
		}
	}
	x := openTree(t, files)
	var segments int
	must.OK(t, x.db.QueryRowContext(t.Context(), `SELECT count(DISTINCT segid) FROM words_idx`).Scan(&segments))
	if segments != 1 {
		t.Errorf("the words of %d pieces are in %d segments", 6, segments)
	}
}
