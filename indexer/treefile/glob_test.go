package treefile

import (
	"path/filepath"
	"slices"
	"testing"

	"manicule/indexer/must"
)

func TestGlob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[my] project*")
	for _, name := range []string{"a/personal/1.json", "a/personal/.2.json", "a/1.json", "b/personal/3.json", "c", "[d]/x"} {
		full := filepath.Join(dir, name)
		must.Write(t, full, "")
	}
	for pattern, want := range map[string][]string{
		"*/personal/*.json": {"a/personal/.2.json", "a/personal/1.json", "b/personal/3.json"},
		"a/*.json":          {"a/1.json"},
		"a/personal/1.json": {"a/personal/1.json"},
		"?":                 {"a", "b", "c"},
		"*/x":               {"[d]/x"},
		"none/*":            nil,
		"c/*":               nil,
		"[":                 nil,
	} {
		var got []string
		for _, name := range Glob(dir, pattern) {
			rel, err := filepath.Rel(dir, name)
			must.OK(t, err)
			got = append(got, filepath.ToSlash(rel))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
