package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestBackupNames: the order of backups, and which of them an earlier program can use, is what their names say.
func TestBackupNames(t *testing.T) {
	for name, c := range map[string]struct {
		files    []string // in the order of their names
		want     []string
		today    bool
		earlier  string // of schema 5
		earlier4 string // of schema 4
	}{
		"none": {},
		"in order": {
			files: []string{"20260428T100000.000-v3", "20260501T100000.000-v4", "20260501T110000.000-v5"},
			want:  []string{"20260428T100000.000-v3", "20260501T100000.000-v4", "20260501T110000.000-v5"},
			today: true, earlier: "20260501T100000.000-v4", earlier4: "20260428T100000.000-v3"},
		"a day ahead is a time zone, two are a wrong clock": {
			files: []string{"20260502T100000.000-v5", "20260503T100000.000-v5"},
			want:  []string{"20260503T100000.000-v5", "20260502T100000.000-v5"}},
		"nobody goes back more than a month": {
			files: []string{"20260331T100000.000-v3"},
			want:  []string{"20260331T100000.000-v3"}},
		"the last one decides": {
			files: []string{"20260331T100000.000-v3", "20260430T100000.000-v4"},
			want:  []string{"20260331T100000.000-v3", "20260430T100000.000-v4"}, earlier: "20260430T100000.000-v4"},
		"a name without a schema": {
			files: []string{"20260430T100000.000-vx"},
			want:  []string{"20260430T100000.000-vx"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := backups{filepath.Join(t.TempDir(), "state.db"), func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }}
			path := func(name string) string {
				if name == "" {
					return ""
				}
				return b.of + ".backup-" + name
			}
			for _, f := range c.files {
				must.OK(t, os.WriteFile(path(f), nil, 0o600))
			}
			var want []string
			for _, f := range c.want {
				want = append(want, path(f))
			}
			list := b.list()
			if !slices.Equal(list, want) {
				t.Errorf("list %v, want %v", list, want)
			}
			if b.today() != c.today {
				t.Errorf("today %v, want %v", b.today(), c.today)
			}
			if got := b.beforeUpdate(list, 5); got != path(c.earlier) {
				t.Errorf("before 5: %q, want %q", got, c.earlier)
			}
			if got := b.beforeUpdate(list, 4); got != path(c.earlier4) {
				t.Errorf("before 4: %q, want %q", got, c.earlier4)
			}
		})
	}
}
