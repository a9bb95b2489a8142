package sqlfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/indexer/must"
)

func TestRemoveEarlier(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	days := map[string]int{
		"code.v3.db": 40, "code.v3.db-shm": 40, // of a program that was killed
		"code.v4.db": 10, "code.v4.db-shm": 10, // may be open
		"code.v5.current": 9, "code.v5.X.db": 8,
		"code.v6.db": 90, "code.v10.db": 90, // this one, and a later one
		"code.vectors": 90, "code.lock": 90, "codes.v5.db": 90, "code.vx.db": 90, "graph.v5.db": 90,
	}
	for name, n := range days {
		path := filepath.Join(dir, name)
		must.Write(t, path, "")
		at := now.AddDate(0, 0, -n)
		must.OK(t, os.Chtimes(path, at, at))
	}
	RemoveEarlier(dir, "code", 6, now.AddDate(0, 0, -2))
	left := func() (out []string) {
		entries, err := os.ReadDir(dir)
		must.OK(t, err)
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	if got := left(); slices.Contains(got, "code.v3.db") || !slices.Contains(got, "code.v5.X.db") || !slices.Contains(got, "code.v5.current") {
		t.Errorf("two days ago it left %q", got)
	}
	RemoveEarlier(dir, "code", 6, now)
	want := []string{"code.lock", "code.v10.db", "code.v4.db", "code.v4.db-shm", "code.v6.db", "code.vectors", "code.vx.db", "codes.v5.db", "graph.v5.db"}
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("left %q, not %q", got, want)
	}
}
