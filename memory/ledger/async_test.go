package ledger

import (
	"log/slog"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/store"
)

func TestLive(t *testing.T) {
	dir := t.TempDir()
	now, at := clock()
	state := store.OpenState(dir, "", at)
	j := Judged{Entry: Entry{UUID: "m", At: now.Add(-3 * 24 * time.Hour), Surface: Hook, Agent: "claude-code"}, Verdict: Followed}
	must.OK(t, state.Shown().Put(t.Context(), []store.ShownLog{{Name: "s-a", Rows: []store.ShownRow{j.Row("s-a", true)}}}))
	l := NewAsync(state, NewRecorder(dir, "", at), Hover, at, slog.New(slog.DiscardHandler))
	l.Shown("a.go", []string{"m", "n"})
	l.Shown("a.go", []string{"m", "n"}) // no news
	l.Shown("a.go", []string{"o"})
	must.OK(t, l.Close())
	must.OK(t, l.Close())
	entries, _, err := Read(dir, DayLog(*now), "")
	if err != nil || len(entries) != 3 || entries[0].Agent != "" || entries[0].Surface != Hover || entries[2].UUID != "o" {
		t.Errorf("%+v, %v", entries, err)
	}
	l.load(t.Context())
	if got := l.Sentence("m"); got != "shown once to agents, followed 1; last 3 days ago to claude-code" {
		t.Errorf("%q", got)
	}
	if got := l.Sentence("n"); got != "" {
		t.Errorf("of one that no agent was shown: %q", got)
	}
}

// TestLiveRereads: what is asked again after a while is read again, and nobody
// waits for it.
func TestLiveRereads(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	l := &AsyncLedger{state: store.OpenState(dir, "", time.Now), now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler), stale: make(chan struct{}, 1)}
	if l.Sentence("m"); len(l.stale) != 1 {
		t.Error("nothing is read before the first answer")
	}
	<-l.stale
	l.load(t.Context())
	if l.Sentence("m"); len(l.stale) != 0 {
		t.Error("read again at once")
	}
	now = now.Add(reread + time.Second)
	l.Sentence("m")
	if l.Sentence("m"); len(l.stale) != 1 {
		t.Error("not read again after a while")
	}
}
