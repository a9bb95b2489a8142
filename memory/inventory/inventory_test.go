package inventory

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
)

// TestCodeKeysOfNoDatabase: an index that opening had to begin anew has lost its keys, which is told from having none.
func TestCodeKeysOfNoDatabase(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	p, err := workspace.Discover(root, workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }})
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := CodeKeys(t.Context(), p); err != nil || len(keys) > 0 {
		t.Errorf("never searched: %q, %v", keys, err)
	}
	x, err := code.Open(t.Context(), p.CacheDir(), root, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if keys, err := CodeKeys(t.Context(), p); err != nil || len(keys) > 0 {
		t.Errorf("empty: %q, %v", keys, err)
	}
	files := treefile.Glob(p.CacheDir(), "code.*db")
	if len(files) != 1 {
		t.Fatalf("databases: %q", files)
	}
	if err := os.WriteFile(files[0], []byte("certainly not a database, but text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if keys, err := CodeKeys(t.Context(), p); !errors.Is(err, ErrDamaged) || len(keys) > 0 {
		t.Errorf("%s is damaged: %q, %v", filepath.Base(files[0]), keys, err)
	}
}
