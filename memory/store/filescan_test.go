package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/store"
)

// many writes files of memories about other folders, and one about src/auth,
// which is the oldest.
func many(t *testing.T, n int) (dir, wanted string) { return manyOf(t, n, "short") }

// manyOf is many with a reason, which stands before the scope.
func manyOf(t *testing.T, n int, why string) (dir, wanted string) {
	t.Helper()
	dir = t.TempDir()
	at := filepath.Join(dir, string(file.AreaContext))
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		id := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012x", i)
		scope := fmt.Sprintf("lib/part%d/**", i)
		if i == 0 {
			wanted, scope = id, "src/auth/**"
		}
		text := `{"format": 1, "uuid": "` + id + `", "type": "gotcha", "layer": "area_context", "what": "Note ` + fmt.Sprint(i) + `", "why": "` + why + `",
			"scope": ["` + scope + `"], "visibility": "project", "importance": "medium", "confidence": 0.9, "contributor": "Ada",
			"source": "conversation", "trust": {"origin": "user_taught"}, "created_at": "2026-04-06T12:00:00.000Z", "updated_at": "2026-04-06T12:00:00.000Z"}`
		if err := os.WriteFile(filepath.Join(at, id+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, wanted
}

// TestQuickWithoutDatabase holds that a hook finds the memory of a file among
// thousands that nobody has indexed, and gives what it has when its time is up.
func TestQuickWithoutDatabase(t *testing.T) {
	dir, wanted := many(t, 3000)
	c := store.Config{CacheDir: filepath.Join(t.TempDir(), "none"), Dir: dir, Scopes: scope.Options{}, Now: time.Now}
	q, err := store.OpenFastReader(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	// Whoever waits for the first that is parsed has time for few: the one that is
	// asked for is among them, though it is the oldest.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	rows, err := q.Reaching(ctx, store.PathQuery{Path: "src/auth/token.go", Project: true})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range rows {
		found = found || strings.Contains(r.Path, wanted)
	}
	if !found {
		t.Errorf("%s is not among %d", wanted, len(rows))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	late, err := store.OpenFastReader(over, c)
	if err != nil {
		t.Fatalf("a hook whose time is up: %v", err)
	}
	if rows, err := late.Reaching(over, store.PathQuery{Path: "src/auth/token.go", Project: true}); err != nil || len(rows) != 0 {
		t.Errorf("a hook whose time is up: %d rows, %v", len(rows), err)
	}
	if rows, total, err := q.Brief(ctx); err != nil || total != 3000 || len(rows) != 3000 {
		t.Errorf("brief: %d of %d, %v", len(rows), total, err)
	}
}

// reading is a context that ends once it was asked a number of times: before each file that is
// looked into.
type reading struct {
	context.Context
	left atomic.Int64
}

func (r *reading) Err() error {
	if r.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestQuickReadsFirst: without a database, files that name the path or its folder are read before
// all others, though they are the oldest and there is no time for all.
func TestQuickReadsFirst(t *testing.T) {
	for name, why := range map[string]string{"small": "short", "large": strings.Repeat("prose ", 20_000)} {
		t.Run(name, func(t *testing.T) { readsFirst(t, why) })
	}
}

func readsFirst(t *testing.T, why string) {
	t.Helper()
	const n = 60
	dir, wanted := manyOf(t, n, why)
	c := store.Config{CacheDir: filepath.Join(t.TempDir(), "none"), Dir: dir, Scopes: scope.Options{}, Now: time.Now}
	for rel, is := range map[string]struct{ dir, wanted bool }{
		"src/auth/token.go": {false, true},
		"src/auth":          {true, true},
		"token.go":          {false, false}, // the note's folder is another one
	} {
		q, err := store.OpenFastReader(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &reading{Context: t.Context()}
		ctx.left.Store(n + n/6) // to look into all, and to read few: no worker reaches the oldest
		rows, err := q.Reaching(ctx, store.PathQuery{Path: rel, Dir: is.dir, Project: true})
		if err != nil {
			t.Fatal(err)
		}
		first := slices.ContainsFunc(rows, func(r store.Row) bool { return strings.Contains(r.Path, wanted) })
		if len(rows) == 0 || len(rows) > n/6+1 || first != is.wanted {
			t.Errorf("%s: %d of %d files are read; the oldest: %t, want %t", rel, len(rows), n, first, is.wanted)
		}
	}
}
