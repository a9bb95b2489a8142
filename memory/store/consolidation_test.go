package store

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestMigrationToConsolidation: a database of the version before keeps what it
// has, is backed up, and takes the log.
func TestMigrationToConsolidation(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	db := earlierState(t, s, "0007")
	must.OK(t, db.Tx(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "recall", qRecalled, uuid(1), 17) }))
	must.OK(t, db.Close())

	must.OK(t, s.Consolidations().Note(ctx, Consolidation{At: s.now(), Model: "m", Looked: 3, Known: 1}))
	if a, err := s.Usage().Accesses(ctx); err != nil || a[uuid(1)] != 1 {
		t.Errorf("after the migration: %v, %v", a, err)
	}
	if b := s.db.backups.list(); len(b) != 1 {
		t.Errorf("backups %v", b)
	}
}

func TestConsolidationLog(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	if list, err := s.Consolidations().Latest(ctx, 5); err != nil || len(list) != 0 {
		t.Fatalf("an empty log: %v, %v", list, err)
	}
	want := Consolidation{At: *now, Model: "m", Looked: 9, Known: 1, Merged: 2, Archived: 3, Failed: 1, Skipped: []Reason{{"disputed", 2}}, Took: 5 * time.Millisecond}
	for i := range consolidationsKept + 3 {
		x := want
		x.At = now.Add(time.Duration(i) * time.Hour)
		must.OK(t, s.Consolidations().Note(ctx, x))
	}
	list, err := s.Consolidations().Latest(ctx, 1000)
	if err != nil || len(list) != consolidationsKept {
		t.Fatalf("%d are kept, %v", len(list), err)
	}
	got := list[0]
	if !got.At.Equal(now.Add((consolidationsKept + 2) * time.Hour)) {
		t.Errorf("the newest is of %s", got.At)
	}
	got.At = want.At
	if got.Looked != 9 || got.Known != 1 || got.Merged != 2 || got.Archived != 3 || got.Failed != 1 || len(got.Skipped) != 1 || got.Skipped[0] != want.Skipped[0] || got.Took != want.Took {
		t.Errorf("got %+v", got)
	}
	other := OpenState(filepath.Dir(s.Path()), "sub", s.now)
	if list, err := other.Consolidations().Latest(ctx, 5); err != nil || len(list) != 0 {
		t.Errorf("of another workspace: %v, %v", list, err)
	}
}

func TestMerge(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	kept, gone := sample(1), sample(2)
	hash, err := gone.Hash()
	must.OK(t, err)
	m := Merged{Kept: kept, Archived: []*file.Memory{gone}, Reason: "consolidated into x", Stands: []MergedVersion{{Hash: hash, UUID: gone.UUID}}}
	must.OK(t, s.Consolidations().Merge(ctx, "wt", m))
	must.OK(t, s.Consolidations().Merge(ctx, "wt", m)) // as after an interruption
	stands, err := s.Consolidations().MergedVersions(ctx)
	if err != nil || len(stands) != 1 || stands[0].Kept != kept.UUID || stands[0].Memory.UUID != gone.UUID {
		t.Errorf("stands %+v, %v", stands, err)
	}
	if g, err := s.Tombstones().List(ctx); err != nil || len(g) != 1 || g[0].Reason != m.Reason {
		t.Errorf("tombstones %+v, %v", g, err)
	}
	if v, err := s.Versions().Of(ctx, kept.UUID); err != nil || len(v) != 1 {
		t.Errorf("versions %v, %v", v, err)
	}
	must.OK(t, s.Consolidations().Unmerge(ctx, m))
	stands, err = s.Consolidations().MergedVersions(ctx)
	g, gerr := s.Tombstones().List(ctx)
	if err != nil || gerr != nil || len(stands)+len(g) != 0 {
		t.Errorf("taken back: %v %v, %v %v", stands, g, err, gerr)
	}
	must.OK(t, s.Consolidations().KeepApart(ctx, []Pair{{uuid(2), uuid(1)}}))
	if a, err := s.Consolidations().Apart(ctx); err != nil || !a[Paired(uuid(1), uuid(2))] || !a[Paired(uuid(2), uuid(1))] {
		t.Errorf("apart %v, %v", a, err)
	}
}

// TestMergeKeepsOtherTombstones: what was forgotten before a merge can still be
// restored after it; what is older than tombstones are kept goes.
func TestMergeKeepsOtherTombstones(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	began := *now
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(3), JSON: []byte("{}")}))
	*now = began.Add(2 * time.Hour)
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(4), JSON: []byte("{}")}))
	*now = began.Add(tombstoneKept + time.Hour)
	must.OK(t, s.Consolidations().Merge(ctx, "wt", Merged{Kept: sample(1), Archived: []*file.Memory{sample(2)}, Reason: "merged"}))
	*now = began.Add(24 * time.Hour) // those that were kept can be listed again
	for n, want := range map[int]int{2: 1, 3: 0, 4: 1} {
		if list, err := s.Tombstones().Of(ctx, uuid(n)); err != nil || len(list) != want {
			t.Errorf("%d: %d tombstones after the merge, want %d (%v)", n, len(list), want, err)
		}
	}
}

// TestMergeOfMany keeps, and takes back, everything of several memories at once.
func TestMergeOfMany(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	m := Merged{Kept: sample(1), Reason: "merged"}
	for n := 2; n < 5; n++ {
		x := sample(n)
		x.Visibility = file.Personal
		must.OK(t, s.Versions().Put(ctx, "wt", x))
		hash, err := x.Hash()
		must.OK(t, err)
		m.Archived, m.Stands = append(m.Archived, x), append(m.Stands, MergedVersion{Hash: hash, UUID: x.UUID})
	}
	count := func(when string, want, mirrored int) {
		t.Helper()
		stands, err1 := s.Consolidations().MergedVersions(ctx)
		graves, err2 := s.Tombstones().List(ctx)
		personal, err3 := s.Mirrors().Of(ctx, "wt")
		if len(stands) != want || len(graves) != want || len(personal) != mirrored || err1 != nil || err2 != nil || err3 != nil {
			t.Errorf("%s: %d stand-ins, %d tombstones, want %d; %d mirrors, want %d; %v %v %v", when, len(stands), len(graves), want, len(personal), mirrored, err1, err2, err3)
		}
	}
	count("before", 0, 3)
	must.OK(t, s.Consolidations().Merge(ctx, "wt", m))
	count("merged", 3, 0)
	must.OK(t, s.Consolidations().Unmerge(ctx, m))
	count("taken back", 0, 0)
	must.OK(t, s.Consolidations().KeepApart(ctx, []Pair{{uuid(9), uuid(1)}, {uuid(2), uuid(8)}}))
	apart, err := s.Consolidations().Apart(ctx)
	if err != nil || len(apart) != 2 || !apart[Pair{uuid(1), uuid(9)}] || !apart[Pair{uuid(2), uuid(8)}] {
		t.Errorf("apart %v, %v", apart, err)
	}
}
