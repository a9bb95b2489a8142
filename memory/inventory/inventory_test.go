package inventory

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/must"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
)

// TestCodeKeysOfNoDatabase: an index that opening had to begin anew has lost its keys, which is told from having none.
func TestCodeKeysOfNoDatabase(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	p, err := workspace.Discover(root, workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }})
	must.OK(t, err)
	if keys, err := CodeKeys(t.Context(), p); err != nil || len(keys) > 0 {
		t.Errorf("never searched: %q, %v", keys, err)
	}
	x, err := code.Open(t.Context(), p.CacheDir(), root, time.Now)
	must.OK(t, err)
	must.OK(t, x.Close())
	if keys, err := CodeKeys(t.Context(), p); err != nil || len(keys) > 0 {
		t.Errorf("empty: %q, %v", keys, err)
	}
	files := treefile.Glob(p.CacheDir(), "code.*db")
	if len(files) != 1 {
		t.Fatalf("databases: %q", files)
	}
	must.Write(t, files[0], "certainly not a database, but text")
	if keys, err := CodeKeys(t.Context(), p); !errors.Is(err, ErrDamaged) || len(keys) > 0 {
		t.Errorf("%s is damaged: %q, %v", filepath.Base(files[0]), keys, err)
	}
}
