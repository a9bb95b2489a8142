package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
	"manicule/memory/file"
)

func stateFixture(t *testing.T) (*State, *time.Time) {
	t.Helper()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	return OpenState(t.TempDir(), "", func() time.Time { return now }), &now
}

func TestReadingMakesNoDatabase(t *testing.T) {
	s, _ := stateFixture(t)
	if d, err := s.Drafts().All(t.Context()); err != nil || len(d) != 0 {
		t.Errorf("drafts %v, %v", d, err)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Error("a look made a database")
	}
}

// TestPutDrafts: drafts that are stored together are what they are one by one: the second that says the same is counted at the
// first. With an error none is stored.
func TestPutDrafts(t *testing.T) {
	s, _ := stateFixture(t)
	row := func(n, id int) DraftRow {
		m := sample(n)
		m.UUID = uuid(id)
		return DraftRow{Memory: m, Status: StatusDraft, Tool: "x"}
	}
	if out, err := s.Drafts().PutAll(t.Context(), nil); err != nil || out != nil {
		t.Errorf("of none: %v, %v", out, err)
	}
	got, err := s.Drafts().PutAll(t.Context(), []DraftRow{row(1, 1000), row(2, 1001), row(1, 1002)})
	must.OK(t, err)
	if want := []StoredDraft{{}, {}, {Same: uuid(1000), Status: StatusDraft, Merged: true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	bad := row(4, 1004)
	bad.Memory.What = "no text \xff"
	if _, err := s.Drafts().PutAll(t.Context(), []DraftRow{row(3, 1003), bad}); err == nil {
		t.Error("a memory that can't be written was stored")
	}
	list, err := s.Drafts().All(t.Context())
	must.OK(t, err)
	if len(list) != 2 || list[0].Observations != 2 || list[1].Observations != 1 {
		t.Errorf("%+v are stored, want two", list)
	}
}

func TestDrafts(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	put := func(n int) (string, bool) {
		m := sample(n)
		m.UUID = uuid(1000 + n)
		same, _, merged, err := s.Drafts().Put(ctx, DraftRow{Memory: m, Status: StatusDraft, Tool: "x"})
		must.OK(t, err)
		return same, merged
	}
	put(1)
	put(2)
	twin := sample(1)
	twin.UUID = uuid(5000)
	same, _, merged, err := s.Drafts().Put(ctx, DraftRow{Memory: twin, Status: StatusDraft})
	if err != nil || !merged || same != uuid(1001) {
		t.Errorf("the same again: %q, %v, %v", same, merged, err)
	}
	d, err := s.Drafts().All(ctx)
	if err != nil || len(d) != 2 || d[0].Observations != 2 {
		t.Fatalf("drafts %+v, %v", d, err)
	}
	must.OK(t, s.Drafts().Reject(ctx, uuid(1001), "not true"))
	if _, merged := put(1); merged {
		t.Log("the rejected draft took the observation") // it is the same uuid: rewritten
	}
	if d, err = s.Drafts().Find(ctx, uuid(1002)[28:]); err != nil || len(d) != 1 {
		t.Errorf("by the end of the uuid: %v, %v", d, err)
	}
	must.OK(t, s.Drafts().Drop(ctx, uuid(1002)))
	if n, err := s.Drafts().Count(ctx); err != nil || n > 1 {
		t.Errorf("%d drafts left, %v", n, err)
	}
}

func TestARejectedDraftIsNotProposedAgain(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	first := sample(1)
	_, _, _, err := s.Drafts().Put(ctx, DraftRow{Memory: first, Status: StatusDraft})
	must.OK(t, err)
	must.OK(t, s.Drafts().Reject(ctx, first.UUID, "wrong"))
	again := sample(1)
	again.UUID = uuid(77)
	if _, status, merged, err := s.Drafts().Put(ctx, DraftRow{Memory: again, Status: StatusDraft}); err != nil || !merged || status != StatusRejected {
		t.Errorf("merged %v, %v", merged, err)
	}
	if n, err := s.Drafts().Count(ctx); err != nil || n != 0 {
		t.Errorf("%d drafts wait, %v", n, err)
	}
}

func TestWorkspacesOfOneRepository(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	a, b := OpenState(dir, "pa", time.Now), OpenState(dir, "pb", time.Now)
	_, _, _, err := a.Drafts().Put(ctx, DraftRow{Memory: sample(1), Status: StatusDraft})
	must.OK(t, err)
	must.OK(t, a.Tombstones().Put(ctx, Tombstone{UUID: uuid(2), JSON: []byte("{}")}))
	for s, want := range map[*State]int{a: 1, b: 0} {
		d, err1 := s.Drafts().All(ctx)
		one, err2 := s.Drafts().Find(ctx, uuid(1))
		n, err3 := s.Drafts().Count(ctx)
		g, err4 := s.Tombstones().List(ctx)
		h, err5 := s.Tombstones().Of(ctx, uuid(2))
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil || len(d) != want || len(one) != want || n != want || len(g) != want || len(h) != want {
			t.Errorf("%s: %d, %d, %d, %d, %d, want %d (%v)", s.root, len(d), len(one), n, len(g), len(h), want, err)
		}
	}
}

func TestTombstonesExpire(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(1), Path: "a", JSON: []byte("{}")}))
	*now = now.Add(TombstoneLife - time.Hour)
	if list, err := s.Tombstones().List(ctx); err != nil || len(list) != 1 {
		t.Errorf("within 30 days: %v, %v", list, err)
	}
	*now = now.Add(time.Hour)
	if list, err := s.Tombstones().List(ctx); err != nil || len(list) != 1 {
		t.Errorf("when 30 days are over: %v, %v", list, err)
	}
	*now = now.Add(time.Hour)
	if list, err := s.Tombstones().List(ctx); err != nil || len(list) != 0 {
		t.Errorf("after 30 days: %v, %v", list, err)
	}
	// Another is forgotten while the clock is wrong: the first is still there then.
	*now = now.Add(40 * 24 * time.Hour)
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(2), Path: "b", JSON: []byte("{}")}))
	*now = now.Add(-60 * 24 * time.Hour)
	if list, err := s.Tombstones().Of(ctx, uuid(1)); err != nil || len(list) != 1 {
		t.Errorf("a clock that was ahead by 40 days: %v, %v", list, err)
	}
	*now = now.Add(120 * 24 * time.Hour)
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(3), Path: "c", JSON: []byte("{}")}))
	*now = now.Add(-120 * 24 * time.Hour)
	if list, err := s.Tombstones().Of(ctx, uuid(1)); err != nil || len(list) != 0 {
		t.Errorf("its text is kept for good: %v, %v", list, err)
	}
}

// TestVerifiedStay: what a person verified, and what a sweep archived without asking anybody, is kept for good.
func TestVerifiedStay(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(1), Path: "a", JSON: []byte("{\n  \"verified_by\": \"Ann\"\n}")}))
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(2), Path: "b", Reason: ArchivedReason + "not used", JSON: []byte("{}")}))
	must.OK(t, s.Tombstones().Put(ctx, Tombstone{UUID: uuid(3), Path: "c", Reason: "forgotten", JSON: []byte("{}")}))
	*now = now.Add(tombstoneKept + time.Hour)
	if n, err := s.Tombstones().Expire(ctx); err != nil || n != 1 {
		t.Errorf("%d are deleted, %v", n, err)
	}
	if list, err := s.Tombstones().List(ctx); err != nil || len(list) != 2 {
		t.Errorf("%d can be restored, %v", len(list), err)
	}
}

func TestCountsAndVersions(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	must.OK(t, s.Usage().CountRecalls(ctx, []string{uuid(1), uuid(2)}))
	*now = now.Add(time.Hour)
	must.OK(t, s.Usage().CountRecalls(ctx, []string{uuid(1)}))
	must.OK(t, s.Usage().Count(ctx, "search"))
	a, err := s.Usage().Accesses(ctx)
	if err != nil || a[uuid(1)] != 2 || a[uuid(2)] != 1 {
		t.Errorf("accesses %v, %v", a, err)
	}
	u, err := s.Usage().Since(ctx, now.AddDate(0, 0, -30))
	if err != nil || u["recall"] != 2 || u["search"] != 1 {
		t.Errorf("usage %v, %v", u, err)
	}
	one := sample(1)
	h1, err := one.Hash()
	must.OK(t, err)
	two := one.Clone()
	two.Lineage = file.Lineage{Version: 2, Parent: h1, ChangeKind: "edit"}
	h2, err := two.Hash()
	must.OK(t, err)
	must.OK(t, s.Versions().PutAll(ctx, "wt", []*file.Memory{one, two}))
	if ok, err := s.Versions().Descends(ctx, h2, h1); err != nil || !ok {
		t.Errorf("the second version does not descend from the first: %v", err)
	}
	if ok, err := s.Versions().Descends(ctx, h1, h2); err != nil || ok {
		t.Errorf("the first version descends from the second: %v", err)
	}
	if v, err := s.Versions().Of(ctx, one.UUID); err != nil || len(v) != 2 || v[1].Lineage.Version != 2 {
		t.Errorf("versions %v, %v", v, err)
	}
}

func TestADamagedStateIsSetAside(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	must.OK(t, s.Usage().Count(ctx, "search"))
	must.OK(t, s.Backup(ctx))
	must.OK(t, s.Usage().Count(ctx, "search"))
	must.OK(t, os.WriteFile(s.Path(), []byte("no database, whatever the name says it is"), 0o600))
	u, err := s.Usage().Since(ctx, time.Time{})
	if err != nil || u["search"] != 1 {
		t.Errorf("after the damage: %v, %v (want what the backup had)", u, err)
	}
	if len(s.Damaged()) != 1 {
		t.Errorf("the damaged file was not kept: %v", s.Damaged())
	}
}

func TestANewerStateIsLeftAlone(t *testing.T) {
	s, _ := stateFixture(t)
	must.OK(t, s.Usage().Count(t.Context(), "search"))
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: s.Path(), Busy: time.Second})
	must.OK(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 99")
	must.OK(t, errors.Join(err, db.Close()))
	if err := s.Usage().Count(t.Context(), "search"); !errors.Is(err, sqlfile.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
}

// TestManyUpgrade: several processes meet a state of an older version at once.
func TestManyUpgrade(t *testing.T) {
	s, _ := stateFixture(t)
	must.OK(t, os.MkdirAll(filepath.Dir(s.Path()), 0o700))
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: s.Path(), Busy: time.Second})
	must.OK(t, err)
	first, err := fs.ReadFile(stateSQL, "state/0001_schema.sql")
	must.OK(t, err)
	must.OK(t, db.Migrate(t.Context(), fstest.MapFS{"0001_schema.sql": {Data: first}}, nil))
	must.OK(t, db.Close())
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := OpenState(filepath.Dir(s.Path()), "", s.now).Usage().Count(t.Context(), "search"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if u, err := s.Usage().Since(t.Context(), time.Time{}); err != nil || u["search"] != 6 {
		t.Errorf("%v, %v", u, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(s.Path()), ".copy-*"))
	if err != nil || len(left) > 0 || len(s.db.backups.list()) == 0 {
		t.Errorf("left %v, backups %v, %v", left, s.db.backups.list(), err)
	}
}

func TestStateFromManyProcesses(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := OpenState(filepath.Join(dir, "x"), "", time.Now)
			for range 25 {
				if err := s.Usage().Count(t.Context(), "search"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	u, err := OpenState(filepath.Join(dir, "x"), "", time.Now).Usage().Since(t.Context(), time.Time{})
	if err != nil || u["search"] != 100 {
		t.Errorf("%v, %v", u, err)
	}
}

// TestPersonalMirror: git keeps no personal memory, so its copy in the state is the
// only one besides its file. So is that of a shared one before it is committed; what was imported can be imported again.
func TestPersonalMirror(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	mine, other := sample(1), sample(3)
	mine.Visibility, other.Visibility = file.Personal, file.Personal
	imported := sample(5)
	imported.Provenance = &file.Provenance{Import: &file.ImportOrigin{}}
	must.OK(t, s.Versions().PutAll(ctx, "wt", []*file.Memory{mine, sample(2), imported}))
	third := sample(4)
	third.Visibility = file.Personal
	rows := []Row{{Path: "broken", JSON: []byte("{")}}
	for _, m := range []*file.Memory{other, third} {
		data, err := m.Marshal()
		must.OK(t, err)
		rows = append(rows, Row{Path: m.RelPath(), JSON: data})
	}
	must.OK(t, s.Mirrors().Put(ctx, "wt", rows))
	for _, id := range []string{mine.UUID, uuid(2)} {
		if v, err := s.Versions().Of(ctx, id); err != nil || len(v) != 1 {
			t.Errorf("%d versions of %s, %v", len(v), id, err)
		}
	}
	want := func(worktree string, uuids ...string) {
		t.Helper()
		list, err := s.Mirrors().Of(ctx, worktree)
		must.OK(t, err)
		var got []string
		for _, x := range list {
			if _, err := file.Parse(x.JSON); err != nil {
				t.Errorf("the copy of %s: %v", x.UUID, err)
			}
			got = append(got, x.UUID)
		}
		slices.Sort(got)
		if !slices.Equal(got, uuids) {
			t.Errorf("mirrored in %s: %v, want %v", worktree, got, uuids)
		}
	}
	want("wt", mine.UUID, uuid(2), other.UUID, third.UUID)
	want("another worktree")
	must.OK(t, s.Mirrors().Drop(ctx, "wt", mine.UUID))
	want("wt", uuid(2), other.UUID, third.UUID)
}

// TestReceiptsOfMany: none of several notes of one look is left out.
func TestReceiptsOfMany(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	place := func(key string, state anchor.State) Place {
		return Place{Key: key, State: state, Path: "a.go", Since: *now}
	}
	receipts := []Receipt{
		{Anchor: "k1", Blob: "b1", Memory: uuid(1), Kind: ReceiptFollowed, Place: place("k1", anchor.Followed)},
		{Anchor: "k2", Blob: "b1", Memory: uuid(1), Kind: ReceiptMoved, Place: place("k2", anchor.Followed)},
	}
	must.OK(t, s.Receipts().Note(ctx, "wt", receipts, map[string][]Place{
		uuid(1): {place("k1", anchor.Drifted), place("k2", anchor.Stale)}, uuid(2): {place("k3", anchor.Orphaned), place("k4", anchor.Fresh)}}))
	if list, err := s.Receipts().Of(ctx, uuid(1)); err != nil || len(list) != 2 {
		t.Errorf("receipts %+v, %v", list, err)
	}
	if list, err := s.Receipts().Moved(ctx); err != nil || len(list) != 1 || list[0].Anchor != "k2" {
		t.Errorf("moved %+v, %v", list, err)
	}
	if list, err := s.Receipts().Stale(ctx, "wt"); err != nil || len(list) != 3 {
		t.Errorf("stale %+v, %v", list, err)
	}
	must.OK(t, s.Receipts().Note(ctx, "wt", nil, map[string][]Place{uuid(1): {place("k1", anchor.Fresh)}}))
	if list, err := s.Receipts().Stale(ctx, "wt"); err != nil || len(list) != 2 {
		t.Errorf("one healed: %+v, %v", list, err)
	}
	// As many receipts as places is no reason to keep neither.
	must.OK(t, s.Receipts().Note(ctx, "wt", receipts[:1], map[string][]Place{uuid(1): {place("k2", anchor.Fresh)}}))
	if list, err := s.Receipts().Stale(ctx, "wt"); err != nil || len(list) != 1 || list[0].Anchor != "k3" {
		t.Errorf("the next healed: %+v, %v", list, err)
	}
}

// TestStateBelowAFile: where HOME is no folder, as /dev/null, there is no state, and nothing is wrong with it.
func TestStateBelowAFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "null")
	must.OK(t, os.WriteFile(home, nil, 0o600))
	s := OpenState(filepath.Join(home, "state"), "", time.Now)
	if u, err := s.Usage().Since(t.Context(), time.Time{}); err != nil || len(u) > 0 {
		t.Errorf("%v, %v", u, err)
	}
	if err := s.Usage().Count(t.Context(), "search"); err == nil {
		t.Error("something was written below a file")
	}
}

// TestTombstoneGoesWithTheWorkspace: where a workspace lies in another folder of its repository than before, what is
// forgotten there can be restored there.
func TestTombstoneGoesWithTheWorkspace(t *testing.T) {
	was, _ := stateFixture(t)
	is := OpenState(filepath.Dir(was.Path()), "moved", was.now)
	for _, s := range []*State{was, is} {
		must.OK(t, s.Tombstones().Put(t.Context(), Tombstone{UUID: uuid(1), Path: "p", Reason: "forgotten", JSON: []byte("{}")}))
		if list, err := s.Tombstones().Of(t.Context(), uuid(1)); err != nil || len(list) != 1 {
			t.Errorf("tombstones of %q: %v, %v", s.root, list, err)
		}
	}
}
