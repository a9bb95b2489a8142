package store

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestMigrationToTheLedger: a database of the version before keeps what it has,
// is backed up, and takes what was shown.
func TestMigrationToTheLedger(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	db := earlierState(t, s, "0005")
	must.OK(t, db.Tx(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "recall", qRecalled, uuid(1), 17) }))
	must.OK(t, db.Close())

	must.OK(t, s.Shown().Put(ctx, []ShownLog{{Name: "s-a", ShownState: ShownState{Bytes: 10, Over: true}, Rows: []ShownRow{{UUID: uuid(1), At: 5, Surface: "hook", Agent: "x", Log: "s-a", Verdict: "ignored"}}}}))
	if a, err := s.Usage().Accesses(ctx); err != nil || a[uuid(1)] != 1 {
		t.Errorf("the recalls %v, %v", a, err)
	}
	if c, err := s.Shown().Of(ctx, uuid(1)); err != nil || len(c) != 1 || c[0].Count != 1 || c[0].Verdict != "ignored" {
		t.Errorf("what was shown %+v, %v", c, err)
	}
	if l, err := s.Shown().Logs(ctx); err != nil || l["s-a"] != (ShownState{10, true}) {
		t.Errorf("logs %v, %v", l, err)
	}
	if len(s.db.backups.list()) != 1 {
		t.Errorf("backups %v", s.db.backups.list())
	}
}

// TestShownOfAWorkspace: workspaces of one repository have accounts of their own,
// and a memory one over all of them.
func TestShownOfAWorkspace(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	a, b := OpenState(dir, "pa", time.Now), OpenState(dir, "pb", time.Now)
	row := func(log string) []ShownRow {
		return []ShownRow{{UUID: uuid(1), At: 5, Surface: "hook", Agent: "x", Log: log, Verdict: "ignored"}}
	}
	must.OK(t, a.Shown().Put(ctx, []ShownLog{{Name: "s-a", Rows: row("s-a"), Session: &ShownSession{Session: "a", Tokens: 3}}}))
	must.OK(t, b.Shown().Put(ctx, []ShownLog{{Name: "s-b", Rows: row("s-b"), Session: &ShownSession{Session: "b", Tokens: 4}}}))
	all, err := a.Shown().All(ctx)
	if err != nil || len(all) != 1 || all[0].Count != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	one, err := a.Shown().Of(ctx, uuid(1))
	if err != nil || len(one) != 1 || one[0].Count != 2 {
		t.Errorf("%+v, %v", one, err)
	}
	list, err := b.Shown().Sessions(ctx)
	if err != nil || len(list) != 1 || list[0].Tokens != 4 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestSettledOnce: a file whose old rows are in the sums may be read again.
func TestSettledOnce(t *testing.T) {
	s, ctx := OpenState(t.TempDir(), "p", time.Now), t.Context()
	row := func(log string, at int64) ShownRow {
		return ShownRow{UUID: uuid(1), At: at, Surface: "hook", Agent: "x", Log: log, Verdict: "ignored", Tokens: 2}
	}
	day := ShownLog{Name: "day", Rows: []ShownRow{row("day", 5)}}
	put := func(rows ...ShownRow) {
		must.OK(t, s.Shown().Put(ctx, []ShownLog{day, {Name: "s-a", Rows: rows}}))
		must.OK(t, s.Shown().Settle(ctx, time.UnixMilli(100)))
	}
	put(row("s-a", 10), row("s-a", 20), row("day", 6))
	put(row("s-a", 10), row("s-a", 20), row("day", 6), row("s-a", 200)) // the session goes on
	put(row("s-a", 10), row("s-a", 20), row("day", 6), row("s-a", 200), row("s-a", 300))
	counts, err := s.Shown().Of(ctx, uuid(1))
	must.OK(t, err)
	n, tokens := 0, 0
	for _, c := range counts {
		n, tokens = n+c.Count, tokens+c.Tokens
	}
	if n != 6 || tokens != 12 {
		t.Errorf("%d showings of %d tokens, want 6 of 12: %+v", n, tokens, counts)
	}
}

// TestShownDays: showings are summed by day, agent and outcome; what is older than the rows has no day.
func TestShownDays(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	at := func(day, hour int) int64 {
		return time.Date(2026, 5, day, hour, 0, 0, 0, time.UTC).UnixMilli()
	}
	must.OK(t, s.Shown().Put(ctx, []ShownLog{{Name: "s-a", Rows: []ShownRow{
		{UUID: uuid(1), At: at(1, 3), Surface: "hook", Agent: "x", Log: "s-a", Verdict: "followed", Tokens: 4},
		{UUID: uuid(1), At: at(3, 0), Surface: "hook", Agent: "x", Log: "s-a", Verdict: "followed", Tokens: 5},
		{UUID: uuid(1), At: at(3, 23), Surface: "mcp", Agent: "y", Log: "s-a", Verdict: "followed", Tokens: 6},
		{UUID: uuid(1), At: at(3, 23), Surface: "hover", Log: "s-a"},
	}}}))
	must.OK(t, s.Shown().Settle(ctx, time.UnixMilli(at(2, 0))))
	got, err := s.Shown().Days(ctx)
	must.OK(t, err)
	want := map[ShownDay]bool{
		{uuid(1), "", "x", "followed", 1, 4}:           true,
		{uuid(1), "2026-05-03", "x", "followed", 1, 5}: true,
		{uuid(1), "2026-05-03", "y", "followed", 1, 6}: true,
		{uuid(1), "2026-05-03", "", "", 1, 0}:          true,
	}
	if len(got) != len(want) {
		t.Errorf("%d sums, want %d: %+v", len(got), len(want), got)
	}
	for _, d := range got {
		if !want[d] {
			t.Errorf("unexpected: %+v", d)
		}
	}
	if f, err := s.Sessions().Failures(ctx); err != nil || len(f) != 0 {
		t.Errorf("failures of no session: %v, %v", f, err)
	}
}

// TestFailures: errors that any project has, such as a file that is not there, do not count.
func TestFailures(t *testing.T) {
	s, _ := stateFixture(t)
	ctx := t.Context()
	for i, n := range []int{1, 3} {
		e := ObservedError{Tool: "edit", Subject: "src/x.go", Fingerprint: "f", Message: "m", Count: n}
		generic := e
		generic.Fingerprint, generic.Generic = "g", true
		_, err := s.Sessions().Put(ctx, seen(fmt.Sprint("s", i), 1+i, []string{"src/x.go"}, e, generic), nil)
		must.OK(t, err)
	}
	if got, err := s.Sessions().Failures(ctx); err != nil || len(got) != 1 || got["src/x.go"] != 4 {
		t.Errorf("failures %v, %v, want 4 of src/x.go", got, err)
	}
}
