package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
)

func TestVectors(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	open := func() *Vectors {
		t.Helper()
		v, err := OpenVectors(ctx, dir, func() time.Time { return now })
		must.OK(t, err)
		return v
	}
	has := func(v *Vectors, hash, model string, dims int) bool {
		t.Helper()
		got, err := v.Get(ctx, model, dims, []string{hash})
		must.OK(t, err)
		return got[hash] != nil
	}
	v := open()
	must.OK(t, v.Put(ctx, "minilm", []string{"h1", "h2"}, [][]float32{{3, 4}, {1, 0}}))
	got, err := v.Get(ctx, "minilm", 2, []string{"h2", "h1", "h9"})
	if err != nil || len(got) != 2 || got["h1"][1] != 4 || got["h2"][0] != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, other := range []struct {
		hash, model string
		dims        int
	}{{"h1", "other", 2}, {"h1", "minilm", 3}, {"h9", "minilm", 2}} {
		if has(v, other.hash, other.model, other.dims) {
			t.Errorf("%+v is known", other)
		}
	}
	now = now.Add(8 * 24 * time.Hour)
	has(v, "h2", "minilm", 2) // a use
	must.OK(t, v.Evict(ctx, now.Add(-7*24*time.Hour)))
	if has(v, "h1", "minilm", 2) {
		t.Error("an unused vector stayed")
	}
	if !has(v, "h2", "minilm", 2) {
		t.Error("a used vector went")
	}
	if counts, err := v.Counts(ctx); err != nil || len(counts) != 1 || counts[0] != (VectorCount{"minilm", 2, 1}) {
		t.Errorf("counts %v, %v", counts, err)
	}
	must.OK(t, v.Close())
	must.OK(t, os.WriteFile(filepath.Join(dir, "vectors.v1.db"), []byte("certainly not a database, but text"), 0o600))
	v = open()
	must.OK(t, v.Put(ctx, "minilm", []string{"h1"}, [][]float32{{1}}))
	must.OK(t, v.Close())
}

// TestDamagedVectors: a cache with damaged pages is made anew, by a process that opens it and by one that has it open.
func TestDamagedVectors(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	open := func() *Vectors {
		t.Helper()
		v, err := OpenVectors(ctx, dir, time.Now)
		must.OK(t, err)
		t.Cleanup(func() { must.OK(t, v.Close()) })
		return v
	}
	var hashes []string
	var values [][]float32
	for i := range 400 {
		hashes, values = append(hashes, fmt.Sprintf("h%03d", i)), append(values, make([]float32, 64))
	}
	v, err := OpenVectors(ctx, dir, time.Now)
	must.OK(t, err)
	must.OK(t, v.Put(ctx, "minilm", hashes, values))
	must.OK(t, v.Close()) // the journal goes into the file
	path := filepath.Join(dir, "vectors.v1.db")
	data, err := os.ReadFile(path)
	must.OK(t, err)
	for at := 4096; at+3000 < len(data); at += 4096 { // the schema stays
		copy(data[at:], bytes.Repeat([]byte{0xff}, 3000))
	}
	must.OK(t, os.WriteFile(path, data, 0o600))
	server, command := open(), open()
	if server.Check(ctx) == nil {
		t.Fatal("the damage is not noticed")
	}
	for i, v := range []*Vectors{server, command} {
		if got, err := v.Get(ctx, "minilm", 64, hashes); err != nil || len(got) != i {
			t.Errorf("%d vectors, not %d: %v", len(got), i, err)
		}
		must.OK(t, v.Put(ctx, "minilm", hashes[:1], values[:1]))
		must.OK(t, v.Check(ctx))
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.db")); err != nil || len(left) != 1 {
		t.Errorf("left %q, %v", left, err)
	}
}

// Each wanted vector is looked up: the other way round, all stored ones would be
// read for each page of texts, and for a hundred thousand a search never ends.
func TestVectorsAreLookedUp(t *testing.T) {
	v, err := OpenVectors(t.Context(), t.TempDir(), time.Now)
	must.OK(t, err)
	t.Cleanup(func() { must.OK(t, v.Close()) })
	rows, err := v.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+qVectors, "minilm", 2, `["h1"]`)
	must.OK(t, err)
	defer func() { must.OK(t, rows.Close()) }()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		must.OK(t, rows.Scan(&id, &parent, &unused, &detail))
		plan = append(plan, detail)
	}
	must.OK(t, rows.Err())
	if len(plan) != 2 || !strings.Contains(plan[1], "content_hash=?") {
		t.Errorf("the plan is %q", plan)
	}
}
