package code

import (
	"testing"

	"manicule/indexer/must"
)

// TestAssociated: a function is found by words that people use for what it does, as long as it is there.
func TestAssociated(t *testing.T) {
	files := tree{
		"cache.go": "// method Cache.Purge\nfunc (c *Cache) Purge(key string) { c.mu.Lock(); if e, ok := c.items[key]; ok { delete(c.items, key); c.evict(e) } }\n\n" +
			"// type Cache\ntype Cache struct { items map[string]*entry }\n\n",
		"serve.go":  "// function Serve\nfunc Serve(addr string, h Handler) error { ln, err := net.Listen(\"tcp\", addr); for { conn, err := ln.Accept(); go h.serveConn(conn) } }\n\n",
		"README.md": "Entries are removed.\n",
	}
	x := openTree(t, files)
	const question = "remove an entry so that it is no longer there"
	first := func(among []int64) string {
		t.Helper()
		found, err := x.Associated(t.Context(), question, 10, among)
		must.OK(t, err)
		for i, r := range found {
			if r.Score <= 0 || r.Score > 1.01 || i > 0 && r.Score > found[i-1].Score {
				t.Errorf("scores: %v", found)
			}
		}
		if len(found) == 0 {
			return ""
		}
		pieces, err := x.Pieces(t.Context(), []int64{found[0].ID})
		if err != nil || len(pieces) != 1 {
			t.Fatalf("%v: %v, %v", found, pieces, err)
		}
		return pieces[0].Symbol
	}
	if got := first(nil); got != "Cache.Purge" {
		t.Errorf("of all: %q", got)
	}
	if got := first([]int64{}); got != "" {
		t.Errorf("among none: %q", got)
	}
	others, err := x.InFile(t.Context(), "serve.go")
	if err != nil || len(others) == 0 {
		t.Fatal(others, err)
	}
	if got := first([]int64{others[0].ID}); got != "" && got != "Serve" {
		t.Errorf("among those of another file: %q", got)
	}
	if found, err := x.Associated(t.Context(), "qqqzzz", 10, nil); err != nil || len(found) != 0 {
		t.Errorf("unknown words: %v, %v", found, err)
	}
	delete(files, "cache.go")
	if _, err := x.Sync(t.Context(), files, nil); err != nil {
		t.Fatal(err)
	}
	if got := first(nil); got == "Cache.Purge" {
		t.Error("it is found after its file is gone")
	}
}

// TestManyAssociated: of many functions as many are kept as asked for, the nearest.
func TestManyAssociated(t *testing.T) {
	x := openTree(t, tree{})
	m, err := x.biencoder()
	must.OK(t, err)
	near := &associations{}
	for i := range 100 {
		terms := []string{"delet", "item"}
		if i != 70 {
			terms = []string{"listen", "accept", "delet"}
		}
		v, ok := m.Function(terms)
		if !ok {
			t.Fatal("the words are not known")
		}
		near.ids, near.vectors, near.inverses = append(near.ids, int64(i+1)), append(near.vectors, v), append(near.inverses, v.Inverse())
	}
	x.near = near
	found, err := x.Associated(t.Context(), "remove an entry", 3, nil)
	if err != nil || len(found) != 3 || found[0].ID != 71 || found[1].ID != 1 {
		t.Errorf("%v, %v", found, err)
	}
}
