package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/store"
)

// sweepable is a workspace with a clock that can be moved by days.
func sweepable(t testing.TB) (w *Workspace, aged func(days int)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	write(t, filepath.Join(dir, "src/auth/token.go"), "package auth\n")
	must.Mkdir(t, filepath.Join(dir, ".manicule/memories"))
	w, c := open(t, dir, 1)
	return w, func(days int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.at = c.at.AddDate(0, 0, days)
	}
}

func swept(t testing.TB, w *Workspace, o SweepOptions) SweepReport {
	t.Helper()
	r, err := w.Sweep(t.Context(), o)
	must.OK(t, err)
	return r
}

// TestSweepSessionOver: what is for one session alone is put away a day after it ended, and can be restored.
func TestSweepSessionOver(t *testing.T) {
	w, aged := sweepable(t)
	mine := remember(t, w, Draft{What: "The staging queue is down today", During: "s-1"})
	going := remember(t, w, Draft{What: "The proxy is slow this morning", During: "s-10"})
	if mine.Visibility != file.Personal || mine.OfSession() != "s-1" {
		t.Errorf("it is %s, of session %q", mine.Visibility, mine.OfSession())
	}
	ended := w.Now().UnixMilli()
	if _, err := w.state.Sessions().Put(t.Context(), store.Observation{Session: "s-1", Log: "s-s-1", Agent: "codex", Kind: "build", Started: ended - 1000, Ended: ended, Events: 3}, nil); err != nil {
		t.Fatal(err)
	}
	if r := swept(t, w, SweepOptions{}); r.Archived != 0 {
		t.Errorf("at once: %+v", r.Moves)
	}
	aged(2)
	r := swept(t, w, SweepOptions{})
	if r.Archived != 1 || r.Moves[0].UUID != mine.UUID || r.Moves[0].Reason != "its session is over" {
		t.Errorf("after two days: %+v", r.Moves)
	}
	if _, ok := w.View().Get(going.UUID); !ok {
		t.Error("that of a session that goes on is gone")
	}
	if _, err := w.Forgotten().Restore(t.Context(), mine.UUID); err != nil {
		t.Errorf("restore it: %v", err)
	}
}

func TestSweepLeavesWhatGitCarries(t *testing.T) {
	w, aged := sweepable(t)
	shared := remember(t, w, Draft{What: "Refresh fails", Type: file.Gotcha, Scope: []string{"src/**"}})
	personal := remember(t, w, Draft{What: "My shell is fish", Type: file.Gotcha, Scope: []string{"src/**"}, Personal: true})
	aged(100)
	if r := swept(t, w, SweepOptions{}); r.Demoted != 2 || r.Archived != 0 {
		t.Errorf("after a half-life: %+v", r)
	}
	aged(100)
	r := swept(t, w, SweepOptions{})
	if r.Archived != 1 || r.Waiting != 1 || r.Waits[0].UUID != shared.UUID {
		t.Errorf("after three: %+v", r)
	}
	if _, ok := w.View().Get(personal.UUID); ok {
		t.Error("the personal one is in the view")
	}
	aged(400) // nobody was asked, so it does not expire
	remember(t, w, Draft{What: "Written after a year", Type: file.Decision})
	if err := w.Forgotten().Forget(t.Context(), remember(t, w, Draft{What: "Forgotten", Type: file.Decision}).UUID); err != nil { // drops what has expired
		t.Fatal(err)
	}
	if _, err := w.Forgotten().Restore(t.Context(), personal.UUID); err != nil {
		t.Error(err)
	}
	if r := swept(t, w, SweepOptions{Shared: true}); r.Archived != 1 || r.Moves[0].UUID != shared.UUID {
		t.Errorf("asked by a person: %+v", r)
	}
	if r := swept(t, w, SweepOptions{Shared: true}); r.Archived+r.Demoted+r.Promoted != 0 {
		t.Errorf("again: %+v", r)
	}
}

// TestSweepKeepsWhatChanged: a file that changed after it was judged stays.
func TestSweepKeepsWhatChanged(t *testing.T) {
	w, aged := sweepable(t)
	m := remember(t, w, Draft{What: "Refresh fails", Type: file.Gotcha, Scope: []string{"src/**"}})
	aged(100)
	swept(t, w, SweepOptions{Shared: true})
	aged(100)
	s := &sweeper{Workspace: w, o: SweepOptions{Shared: true}}
	must.OK(t, s.load(t.Context()))
	hits := w.View().All()
	s.limits(hits)
	path := filepath.Join(w.place.MemoriesDir(), m.RelPath())
	data := must.Read(t, path)
	m2, err := file.Parse(data)
	must.OK(t, err)
	m2.What = "Refresh fails, still"
	if data, err = m2.Marshal(); err != nil {
		t.Fatal(err)
	}
	write(t, path, string(data))
	must.OK(t, errors.Join(s.sweep(t.Context(), hits), s.flush(t.Context())))
	if _, err := os.Stat(path); err != nil || s.report.Archived != 0 {
		t.Errorf("%v, %+v", err, s.report)
	}
}

func TestSweepLimits(t *testing.T) {
	w, _ := sweepable(t)
	limit := life.Limit("mission")
	var worst string
	for i := range limit + 3 {
		m := &file.Memory{UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), Type: file.Convention, Layer: file.Guidelines, What: fmt.Sprintf("Rule %d", i),
			Confidence: .9, Owner: &file.Owner{Kind: "mission", ID: "m1"}, CreatedAt: file.At(w.Now()), UpdatedAt: file.At(w.Now()),
			Visibility: file.Project, Importance: file.Medium, Pinned: i == 7, Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}}
		if i == 11 {
			m.Confidence, worst = .5, m.UUID
		}
		if i == 7 {
			m.Confidence = .1
		}
		if _, err := w.writer.put(m, ""); err != nil {
			t.Fatal(err)
		}
	}
	chunks := 0
	r := swept(t, w, SweepOptions{Shared: true, Yield: func(context.Context) error { chunks++; return nil }})
	if r.Archived != 3 || r.Promoted != 1 || chunks != 1 {
		t.Errorf("%d chunks, %+v", chunks, r.Sweep)
	}
	if _, ok := w.View().Get(worst); ok {
		t.Error("the worst one stays")
	}
	if n := len(w.View().All()); n != limit {
		t.Errorf("%d stay", n)
	}
}

// BenchmarkSweep sweeps 10,000 memories of which a tenth moves.
func BenchmarkSweep(b *testing.B) {
	w, aged := sweepable(b)
	for i := range 10000 {
		owner := &file.Owner{Kind: "agent", ID: fmt.Sprint(i / 400)}
		m := &file.Memory{Format: file.Format, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), Type: file.Gotcha, Layer: file.AreaContext, What: fmt.Sprintf("Fact %d", i),
			Scope: []string{fmt.Sprintf("src/p%d/**", i%50)}, Confidence: .9, Owner: owner, CreatedAt: file.At(w.Now().AddDate(0, 0, -i%66)), UpdatedAt: file.At(w.Now().AddDate(0, 0, -i%66)),
			Visibility: file.Project, Importance: file.Medium, Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}}
		data, err := m.Marshal()
		must.OK(b, err)
		write(b, filepath.Join(w.place.MemoriesDir(), m.RelPath()), string(data))
	}
	if _, err := w.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	var longest time.Duration
	for b.Loop() {
		last := time.Now()
		r := swept(b, w, SweepOptions{Shared: true, Yield: func(context.Context) error {
			longest = max(longest, time.Since(last))
			last = time.Now()
			return nil
		}})
		b.ReportMetric(float64(r.Demoted+r.Promoted), "moved")
		aged(6)
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms/chunk-max")
}
