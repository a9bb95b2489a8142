package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestVectors(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	open := func() *Vectors {
		t.Helper()
		v, err := OpenVectors(ctx, dir, func() time.Time { return now })
		must(t, err)
		return v
	}
	v := open()
	must(t, v.Put(ctx, "h1", "minilm", []float32{3, 4}))
	must(t, v.Put(ctx, "h2", "minilm", []float32{1, 0}))
	got, ok, err := v.Get(ctx, "h1", "minilm", 2)
	if err != nil || !ok || got.Norm != 5 || got.Values[1] != 4 {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	for _, other := range []struct {
		hash, model string
		dims        int
	}{{"h1", "other", 2}, {"h1", "minilm", 3}, {"h9", "minilm", 2}} {
		if _, ok, err := v.Get(ctx, other.hash, other.model, other.dims); ok || err != nil {
			t.Errorf("%+v is known: %v", other, err)
		}
	}
	now = now.Add(8 * 24 * time.Hour)
	if _, _, err := v.Get(ctx, "h2", "minilm", 2); err != nil {
		t.Fatal(err)
	}
	must(t, v.Evict(ctx, now.Add(-7*24*time.Hour)))
	if _, ok, err := v.Get(ctx, "h1", "minilm", 2); ok || err != nil {
		t.Errorf("an unused vector stayed: %v", err)
	}
	if _, ok, err := v.Get(ctx, "h2", "minilm", 2); !ok || err != nil {
		t.Errorf("a used vector went: %v", err)
	}
	must(t, v.Close())
	must(t, os.WriteFile(filepath.Join(dir, "vectors.v1.db"), []byte("certainly not a database, but text"), 0o600))
	v = open()
	must(t, v.Put(ctx, "h1", "minilm", []float32{1}))
	must(t, v.Close())
}
