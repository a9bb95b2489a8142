package memory

import (
	"os"
	"path/filepath"
	"testing"

	"manicule/indexer/workspace"
)

// TestBareName holds which words name a symbol alone.
func TestBareName(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"Makefile", "notes"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	place := &workspace.Workspace{Root: root}
	for given, want := range map[string]string{
		"Close":          "Close",
		"Pool.Close":     "Pool.Close",
		"Pool::Close":    "Pool.Close",
		"::kv::Pool":     "kv.Pool",
		"Pool#close":     "Pool.close",
		"kv::Pool#close": "kv.Pool.close",
		"Pool.Slot#free": "Pool.Slot.free",
		"Slots.R#free":   "",
		"pool.slot#free": "",
		"Close()":        "Close",
		"notes":          "",
		"Makefile#build": "",
		"Pool.java#stop": "",
		"a/b#stop":       "",
		"Pool#":          "",
		"#stop":          "",
		"a.go:12":        "",
		"src/*":          "",
		"two words":      "",
		"":               "",
	} {
		if got, ok := BareName(place, given); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", given, got, ok, want)
		}
	}
}
