package store

import (
	"database/sql"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
	"manicule/memory/file"
)

// anchored is a memory with anchors on files, in a store of its own.
func anchoredStore(t *testing.T, paths ...string) (*Memories, *file.Memory, string) {
	t.Helper()
	s, dir := fixture(t, 0)
	m := sample(1)
	m.Scope, m.Anchors = nil, nil
	for _, p := range paths {
		m.Anchors = append(m.Anchors, anchor.Anchor{Kind: anchor.KindSymbol, Path: p, Symbol: "X"})
	}
	if _, err := file.Write(s.writer.dir, m); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, m, dir
}

func paths(t *testing.T, s *Memories, rel string) int {
	t.Helper()
	rows, err := s.Reaching(t.Context(), rel, false)
	must.OK(t, err)
	return len(rows)
}

// TestPlaces has an anchor followed to another file, its memory edited, and the
// anchor back.
func TestPlaces(t *testing.T) {
	s, m, _ := anchoredStore(t, "a.go", "b.go")
	at := Place{Key: AnchorKey(m.Anchors[1]), State: anchor.Followed, Reason: "moved", Path: "c.go", Line: 7, Confidence: 0.9}
	note := func(list ...Place) {
		t.Helper()
		must.OK(t, s.NotePlaces(t.Context(), map[string][]Place{m.UUID: list}, nil))
	}
	places := func() []Place {
		t.Helper()
		rows, err := s.ByUUID(t.Context(), m.UUID)
		must.OK(t, err)
		now, err := rows[0].Memory()
		must.OK(t, err)
		return rows[0].Places(now)
	}
	note(at)
	if n := paths(t, s, "c.go"); n != 1 {
		t.Errorf("%d memories under the new path", n)
	}
	if got := places(); len(got) != 2 || got[0].State != "" || got[1].Path != "c.go" || got[1].Line != 7 {
		t.Errorf("%+v", got)
	}

	// Lines that changed after their file moved are found there, too; what is gone is only where it was.
	for state, want := range map[anchor.State]int{anchor.Drifted: 1, anchor.Stale: 1, anchor.Orphaned: 0, anchor.Fresh: 0} {
		note(Place{Key: AnchorKey(m.Anchors[1]), State: state, Path: "d.go", Line: 7})
		if n := paths(t, s, "d.go"); n != want {
			t.Errorf("%s: %d memories under the path that it moved to, want %d", state, n, want)
		}
	}
	note(at)

	m.What, m.Anchors = "edited, and its anchors turned round", []anchor.Anchor{m.Anchors[1], m.Anchors[0]}
	_, err := file.Write(s.writer.dir, m)
	must.OK(t, err)
	_, err = s.Sync(t.Context())
	must.OK(t, err)
	if got := places(); len(got) != 2 || got[0].Path != "c.go" || got[1].State != "" {
		t.Errorf("after an edit: %+v", got)
	}

	staleAt := func() (ms sql.NullInt64) {
		t.Helper()
		must.OK(t, s.read(t.Context(), func(db DB) error {
			return db.QueryRowContext(t.Context(), "SELECT stale_at_ms FROM memories").Scan(&ms)
		}))
		return ms
	}
	lost := at
	lost.State, lost.Since = anchor.Orphaned, time.UnixMilli(4000)
	note(lost)
	if got := staleAt(); got.Int64 != 4000 {
		t.Errorf("stale at %v", got)
	}
	m.Anchors[0].Symbol = "Y" // another record: what was known is of another anchor
	_, err = file.Write(s.writer.dir, m)
	must.OK(t, err)
	_, err = s.Sync(t.Context())
	must.OK(t, err)
	if got, n := places(), paths(t, s, "c.go"); got != nil || n != 0 {
		t.Errorf("after another anchor: %+v, %d under the old place", got, n)
	}
	if got := staleAt(); got.Valid {
		t.Errorf("stale at %v, though the anchor that was is gone", got)
	}

	at.Key, at.State, at.Path, at.Since = AnchorKey(m.Anchors[0]), anchor.Orphaned, "b.go", time.UnixMilli(5000)
	note(at)
	if got := staleAt(); got.Int64 != 5000 {
		t.Errorf("stale at %v", got)
	}
	note()
	if got := staleAt(); got.Valid || places() != nil {
		t.Errorf("healed: stale at %v, %+v", got, places())
	}
	if all, err := s.Places(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("healed: %v, %v", all, err)
	}
}

// TestOutlineOfPlaces has what a hook reads say the state.
func TestOutlineOfPlaces(t *testing.T) {
	_, m, _ := anchoredStore(t, "a.go", "b.go")
	places := []Place{{Key: "k", State: anchor.Fresh, Path: "a.go"}, {Key: "l", State: anchor.Stale, Path: "b.go", Line: 3, Reason: "little is left"}}
	r, err := fromOutline(outline("x.json", m, places, ""))
	must.OK(t, err)
	got := r.Places(nil)
	if len(got) != 2 || got[0].State != "" || got[1].State != anchor.Stale || got[1].Line != 3 || got[1].Reason != "little is left" {
		t.Errorf("%+v", got)
	}
	first, err := fromOutline(outline("x.json", m, []Place{{Key: "k", State: anchor.Orphaned, Path: "a.go", Line: 1}}, ""))
	must.OK(t, err)
	if got := first.Places(nil); len(got) != 2 || got[0].State != anchor.Orphaned {
		t.Errorf("the first anchor: %+v", got)
	}
	for _, odd := range []string{"2\x1dstale\x1dx\x1d1\x1dr", "9\x1dstale\x1dx\x1d1\x1dr", "x", "-1\x1dstale\x1dx\x1d1\x1dr", "a\x1dstale\x1dx\x1d1\x1dr"} {
		if got := placesOf(odd, 2); got != nil {
			t.Errorf("%q: %+v", odd, got)
		}
	}
}

// TestAnchorKey: each member of a record makes it another one, also where a path is not UTF-8.
func TestAnchorKey(t *testing.T) {
	a := anchor.Anchor{Kind: anchor.KindLines, Path: "a.go", Lines: &anchor.LineRange{Start: 1, End: 2}}
	keys := map[string]string{}
	for name, change := range map[string]func(*anchor.Anchor){
		"as it is":        func(*anchor.Anchor) {},
		"other lines":     func(a *anchor.Anchor) { a.Lines = &anchor.LineRange{Start: 1, End: 3} },
		"another commit":  func(a *anchor.Anchor) { a.Commit = "c0ffee" },
		"another focus":   func(a *anchor.Anchor) { a.Focus = "word" },
		"a path of bytes": func(a *anchor.Anchor) { a.Path = "\xff.go" },
		"another of them": func(a *anchor.Anchor) { a.Path = "\xfe.go" },
	} {
		other := a
		change(&other)
		key := AnchorKey(other)
		if was, ok := keys[key]; ok {
			t.Errorf("%s has the key of %s", name, was)
		}
		if keys[key] = name; AnchorKey(other) != key {
			t.Errorf("%s: another key the second time", name)
		}
	}
}

// TestFound has the cache keep the newest states of the files.
func TestFound(t *testing.T) {
	s, _, _ := anchoredStore(t, "a.go")
	now := time.UnixMilli(1_000_000)
	s.now = func() time.Time { return now }
	for i := range foundKept + 3 {
		now = now.Add(time.Second)
		f := CachedResolution{Anchor: "k/1", Seen: string(rune('a' + i)), Place: Place{State: anchor.Fresh, Path: "a.go", Line: i}}
		must.OK(t, s.NotePlaces(t.Context(), nil, []CachedResolution{f}))
	}
	found, err := s.CachedResolutions(t.Context())
	must.OK(t, err)
	list := found["k/1"]
	if len(list) != foundKept {
		t.Fatalf("%d kept", len(list))
	}
	if p, ok := list[0].Decode(); !ok || p.Line != foundKept+2 {
		t.Errorf("the newest: %+v %v", p, ok)
	}
	if p, ok := (CachedResolution{Place: Place{Line: 5}}).Decode(); !ok || p.Line != 5 {
		t.Errorf("not stored yet: %+v %v", p, ok)
	}
	now = now.Add(foundLife + time.Hour)
	must.OK(t, s.NotePlaces(t.Context(), nil, []CachedResolution{{Anchor: "other/1", Seen: "x"}}))
	if found, err = s.CachedResolutions(t.Context()); err != nil || len(found) != 1 {
		t.Errorf("%d anchors in the cache (%v)", len(found), err)
	}
}

// TestReceipts has what an editor saw outlast what the ladder found.
func TestReceipts(t *testing.T) {
	s, now := stateFixture(t)
	seen := Place{State: anchor.Followed, Path: "seen.go"}
	put := func(kind ReceiptKind, path string) {
		t.Helper()
		p := seen
		p.Path = path
		must.OK(t, s.Receipts().Note(t.Context(), "w", []Receipt{{Anchor: "k", Blob: "b", Memory: uuid(1), Kind: kind, Place: p}}, nil))
		*now = now.Add(time.Minute)
	}
	put(ReceiptFollowed, "found.go")
	put(ReceiptMoved, "seen.go")
	put(ReceiptFollowed, "found again.go")
	moved, err := s.Receipts().Moved(t.Context())
	must.OK(t, err)
	if len(moved) != 1 || moved[0].Place.Path != "seen.go" {
		t.Errorf("moved %+v", moved)
	}
	of, err := s.Receipts().Of(t.Context(), uuid(1))
	must.OK(t, err)
	if len(of) != 1 || of[0].Kind != ReceiptMoved {
		t.Errorf("receipts %+v", of)
	}
}

// TestMigrateReceipts has a state.db of the first version, with rows, opened by
// this one.
func TestMigrateReceipts(t *testing.T) {
	s, _ := stateFixture(t)
	data, err := fs.ReadFile(stateSQL, "state/0001_schema.sql")
	must.OK(t, err)
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: s.Path(), Busy: time.Second})
	must.OK(t, err)
	must.OK(t, db.Migrate(t.Context(), fstest.MapFS{"0001_schema.sql": {Data: data}}, nil))
	for _, q := range []string{
		`INSERT INTO drafts (uuid, root, status, reason, tool, session, dedupe_key, json, created_ms, updated_ms) VALUES ('u', '', 'rejected', '', '', '', 'k', x'7b7d', 1, 1)`,
		`INSERT INTO tombstones (uuid, root, path, reason, json, deleted_ms) VALUES ('u', '', 'p', 'r', x'7b7d', 1777636800000)`,
		`INSERT INTO accesses (uuid, recalled) VALUES ('u', 3)`,
		`INSERT INTO personal (worktree, uuid, path, json, updated_ms) VALUES ('w', 'u', 'p', x'7b7d', 1)`,
		`INSERT INTO versions (hash, uuid, version, parent, json, at_ms) VALUES ('h', 'u', 1, '', x'7b7d', 1)`,
		`INSERT INTO usage (day, kind, count) VALUES ('2026-05-01', 'search', 2)`,
	} {
		_, err := db.ExecContext(t.Context(), q)
		must.OK(t, err)
	}
	must.OK(t, db.Close())

	must.OK(t, s.Receipts().Note(t.Context(), "w", nil, map[string][]Place{"u": {{Key: "k", State: anchor.Stale, Since: time.UnixMilli(7)}}}))
	if stale, err := s.Receipts().Stale(t.Context(), "w"); err != nil || len(stale) != 1 || stale[0].Since.UnixMilli() != 7 {
		t.Errorf("stale %+v %v", stale, err)
	}
	if a, err := s.Usage().Accesses(t.Context()); err != nil || a["u"] != 3 {
		t.Errorf("accesses %+v %v", a, err)
	}
	if list, err := s.Tombstones().List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("tombstones %+v %v", list, err)
	}
	if p, err := s.Mirrors().Of(t.Context(), "w"); err != nil || len(p) != 1 {
		t.Errorf("personal %+v %v", p, err)
	}
	if ok, err := s.Versions().Descends(t.Context(), "h", "h"); err != nil || !ok {
		t.Errorf("versions %v %v", ok, err)
	}
	backups, err := filepath.Glob(s.Path() + ".backup-*-v1")
	if err != nil || len(backups) != 1 {
		t.Errorf("backups %v %v", backups, err)
	}
}
