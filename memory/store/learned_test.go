package store

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/episode"
)

// TestMigrationToLearned: a database of the version before keeps its pairs and its showings, is backed up, and counts
// new sessions by their kind of work and new showings by their phase.
func TestMigrationToLearned(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	db := earlierState(t, s, "0019")
	must.OK(t, db.Tx(ctx, func(tx *sql.Tx) error {
		err := exec(ctx, tx, "a pair", `INSERT INTO observer_pairs (root, a, b, sessions, raw, edited, forward, delta_ms, weight, last_ms) VALUES (?1, 'a.go', 'b.go', 3, 0, 0, 3, 0, 3, 1)`, s.root)
		if err != nil {
			return err
		}
		return exec(ctx, tx, "a showing", `INSERT INTO shown (uuid, at_ms, surface, agent, agent_id, log, root, session, path, tool, tokens, verdict, rule) VALUES ('u', 1, 'hook', 'x', '', 's-a', ?1, 'a', '', '', 1, 'followed', '')`, s.root)
	}))
	must.OK(t, db.Close())

	// A hook reads the old database as it is.
	if got := alike(t, s, "fix"); got != "b.go 3 0" {
		t.Errorf("before the migration: %s", got)
	}
	for i, task := range []string{"fix the crash", "fix the login", "add a page", "hm"} {
		o := seen(fmt.Sprint("s", i), 1+i, []string{"a.go", "b.go"})
		o.Episode = episode.Episode{Session: o.Session, Task: task, Outcome: episode.Success}
		_, err := s.Sessions().Put(ctx, o, nil)
		must.OK(t, err)
	}
	for kind, want := range map[episode.Kind]string{"fix": "b.go 7 2", "feature": "b.go 7 1", "docs": "b.go 7 0", "": "b.go 7 0"} {
		if got := alike(t, s, kind); got != want {
			t.Errorf("of kind %q: %s, want %s", kind, got, want)
		}
	}
	if len(s.db.backups.list()) != 1 {
		t.Errorf("backups %v", s.db.backups.list())
	}
	// A session that turns out to be for something else is counted there.
	o := seen("s0", 1, []string{"a.go", "b.go"})
	o.Episode = episode.Episode{Session: o.Session, Task: "document the login", Outcome: episode.Success}
	_, err := s.Sessions().Put(ctx, o, nil)
	must.OK(t, err)
	for kind, want := range map[episode.Kind]string{"fix": "b.go 7 1", "docs": "b.go 7 1"} {
		if got := alike(t, s, kind); got != want {
			t.Errorf("after a change, of kind %q: %s, want %s", kind, got, want)
		}
	}

	must.OK(t, s.Shown().Put(ctx, []ShownLog{{Name: "s-b", Rows: []ShownRow{
		{UUID: "u", At: 2, Surface: "hook", Agent: "x", Log: "s-b", Verdict: "followed", Phase: "implement", Type: "gotcha"},
		{UUID: "u", At: 3, Surface: "hook", Agent: "x", Log: "s-b", Verdict: "unknown", Phase: "implement", Type: "gotcha"},
	}}}))
	for _, act := range []string{"kept", "summed"} {
		if got, err := s.Shown().Phases(ctx); err != nil || fmt.Sprint(got) != "[{gotcha implement followed 1}]" {
			t.Errorf("%s: %v, %v", act, got, err)
		}
		must.OK(t, s.Shown().Settle(ctx, *now))
	}
	must.OK(t, s.Shown().Clear(ctx))
	if got, err := s.Shown().Phases(ctx); err != nil || len(got) != 0 {
		t.Errorf("after it was cleared: %v, %v", got, err)
	}
}

// alike is the first file after a.go, with its sessions and those of a kind of work.
func alike(t *testing.T, s *State, kind episode.Kind) string {
	t.Helper()
	list, err := observed(t, s).NextFiles(t.Context(), []string{"a.go"}, kind, 1)
	must.OK(t, err)
	if len(list) != 1 {
		return fmt.Sprint(list)
	}
	return fmt.Sprintf("%s %d %d", list[0].Path, list[0].Sessions, list[0].Alike)
}

// TestWeightLog: changes of weights, newest first; a reset drops them and keeps what counts no more, once.
func TestWeightLog(t *testing.T) {
	s, now := stateFixture(t)
	ctx := t.Context()
	for i, w := range []float64{1.05, 1.1} {
		must.OK(t, s.Weights().Put(ctx, []WeightRow{{Type: "gotcha", Phase: "refine", At: now.Add(time.Duration(i) * time.Hour), Weight: w, Followed: i, Decided: 10}}, now.Add(-time.Hour)))
	}
	log, err := s.Weights().Log(ctx)
	if err != nil || len(log) != 2 || log[0].Weight != 1.1 || log[1].Weight != 1.05 || log[0].Followed != 1 {
		t.Errorf("%+v, %v", log, err)
	}
	must.OK(t, s.Weights().Put(ctx, nil, now.Add(time.Minute)))
	if log, err := s.Weights().Log(ctx); err != nil || len(log) != 1 {
		t.Errorf("old ones stay: %+v, %v", log, err)
	}
	for n := range 2 {
		must.OK(t, s.Weights().Reset(ctx, []WeightRow{{Type: "gotcha", Decided: n, At: *now}}))
	}
	log, err1 := s.Weights().Log(ctx)
	reset, err2 := s.Weights().Discarded(ctx)
	if err1 != nil || err2 != nil || len(log) != 0 || len(reset) != 1 || reset[0].Decided != 1 {
		t.Errorf("after two resets: %+v, %v; %+v, %v", log, err1, reset, err2)
	}
}
