package store_test

import (
	"testing"
	"time"

	"manicule/memory/store"
	"manicule/memory/trust"
)

// TestTrustEvidence counts what happened since the level was set.
func TestTrustEvidence(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	s := store.OpenState(t.TempDir(), "", func() time.Time { return now })
	ctx := t.Context()
	session := func(id string) {
		t.Helper()
		at := now.UnixMilli()
		if _, err := s.Sessions().Put(ctx, store.Observation{Session: id, Log: "s-" + id, Agent: "a", Kind: "x", Started: at, Ended: at}, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := func(level int, e trust.Evidence) {
		t.Helper()
		if got, err := s.Trust().Evidence(ctx, level); err != nil || got != e {
			t.Errorf("level %d: %+v %v, want %+v", level, got, err, e)
		}
	}
	for _, kind := range []string{store.UseAccepted, store.UseAccepted, store.UseRejected, store.UseWrong} {
		if err := s.Usage().Count(ctx, kind); err != nil {
			t.Fatal(err)
		}
	}
	session("one")
	want(2, trust.Evidence{Sessions: 1, Accepted: 2, Rejected: 1, Wrong: 1})
	if uses, err := s.Usage().Since(ctx, now); err != nil || len(uses) != 0 {
		t.Errorf("judgements are among the uses: %v %v", uses, err)
	}
	now = now.AddDate(0, 0, 1)
	if err := s.Trust().Start(ctx, 2); err != nil {
		t.Fatal(err)
	}
	want(2, trust.Evidence{})
	now = now.Add(time.Hour)
	session("two")
	if err := s.Usage().Count(ctx, store.UseAccepted); err != nil { // on the day of the level
		t.Fatal(err)
	}
	want(2, trust.Evidence{Sessions: 1})
	want(1, trust.Evidence{Sessions: 2, Accepted: 3, Rejected: 1, Wrong: 1})
	now = now.AddDate(0, 0, 1)
	if err := s.Usage().Count(ctx, store.UseAccepted); err != nil {
		t.Fatal(err)
	}
	want(2, trust.Evidence{Sessions: 1, Accepted: 1})
}
