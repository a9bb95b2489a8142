package history

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/gittree"
	"manicule/indexer/must"
)

func start() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }

// repository is a real one; each commit is a day after the one before.
type repository struct {
	t   *testing.T
	dir string
	day int
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	return gittest.GitAt(r.t, r.dir, start().AddDate(0, 0, r.day), args...)
}

func (r *repository) commit(files ...string) string {
	r.t.Helper()
	r.day++
	for _, f := range files {
		must.Write(r.t, filepath.Join(r.dir, f), fmt.Sprintf("day %d of %s\n", r.day, f))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "c")
	return r.git("rev-parse", "HEAD")
}

func TestHistory(t *testing.T) {
	r := &repository{t: t, dir: t.TempDir()}
	r.git("init", "-q")
	first := r.commit("src/calm.go", "src/busy.go", "lib/x.go")
	var head string
	for range 27 {
		head = r.commit("src/busy.go")
	}
	repo := gittree.Open(filepath.Join(r.dir, ".git"), filepath.Join(r.dir, ".git"), "")
	defer func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}()
	cache := t.TempDir()
	now := func() time.Time { return start().Add(28 * 24 * time.Hour) }
	h := Open(cache, repo, now)
	if v := h.Volatility("src/busy.go"); v >= 0 {
		t.Errorf("before anything is known: %f", v)
	}
	if err := h.Update(t.Context(), repo, head); err != nil {
		t.Fatal(err)
	}
	check := func(h *History, busy float64) {
		t.Helper()
		if v := h.Volatility("src/busy.go"); v < busy-.01 || v > busy+.01 {
			t.Errorf("a busy file: %.3f a day, want %.3f", v, busy)
		}
		if v := h.Volatility("src"); v < busy-.01 || v > busy+.01 {
			t.Errorf("its folder: %.3f", v)
		}
		if v := h.Volatility("lib/x.go"); v != 0 {
			t.Errorf("a calm one: %.3f", v)
		}
	}
	check(h, 1)
	if !h.ChangedSince(first, "src/busy.go") || h.ChangedSince(first, "lib/x.go") || h.ChangedSince("0123", "src/busy.go") {
		t.Error("what changed since the first commit")
	}
	if got := h.Modified("src/busy.go"); !got.Equal(now()) {
		t.Errorf("modified %v", got)
	}
	// The next process knows it without reading git, and reads only what came.
	check(Open(cache, gittree.Open(t.TempDir(), t.TempDir(), ""), now), 1)
	next := r.commit("lib/y.go")
	h = Open(cache, repo, now)
	if err := h.Update(t.Context(), repo, next); err != nil {
		t.Fatal(err)
	}
	if v := h.Volatility("lib"); v == 0 || len(h.k.Commits) != 29 {
		t.Errorf("after another commit: %.3f, %d commits", v, len(h.k.Commits))
	}
	// A branch that left before is read from where it left.
	r.git("checkout", "-q", "-b", "other", first)
	other := r.commit("lib/x.go")
	if err := h.Update(t.Context(), repo, other); err != nil {
		t.Fatal(err)
	}
	if len(h.k.Commits) != 2 || h.Volatility("src/busy.go") != 0 || h.Volatility("lib/x.go") == 0 {
		t.Errorf("on another branch: %+v", h.k.Commits)
	}
	// A damaged file is forgotten.
	if err := os.WriteFile(filepath.Join(cache, "history.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := Open(cache, repo, now).Volatility("lib/x.go"); v >= 0 {
		t.Errorf("of a damaged file: %f", v)
	}
}

// TestDeepened: commits that a shallow clone fetched later count, although its head is the same.
func TestDeepened(t *testing.T) {
	r := &repository{t: t, dir: t.TempDir()}
	r.git("init", "-q")
	r.commit("a.go", "b.go")
	var head string
	for range 4 {
		head = r.commit("a.go")
	}
	clone := &repository{t: t, dir: filepath.Join(t.TempDir(), "clone"), day: r.day}
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, clone.dir)
	cache := t.TempDir()
	now := func() time.Time { return start().Add(30 * 24 * time.Hour) }
	update := func() int {
		t.Helper()
		repo := gittree.Open(filepath.Join(clone.dir, ".git"), filepath.Join(clone.dir, ".git"), "")
		defer func() { _ = repo.Close() }()
		h := Open(cache, repo, now)
		if err := h.Update(t.Context(), repo, head); err != nil {
			t.Fatal(err)
		}
		return h.count["a.go"]
	}
	if got := update(); got != 0 {
		t.Errorf("the only commit changed nothing: %d", got)
	}
	clone.git("fetch", "-q", "--depth", "3")
	if got := update(); got != 2 {
		t.Errorf("three commits deep: %d changes", got)
	}
	clone.git("fetch", "-q", "--unshallow")
	if got := update(); got != 4 { // the first commit brings files, and changes none
		t.Errorf("whole: %d changes", got)
	}
}
