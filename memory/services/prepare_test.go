package services

import (
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
)

// TestPreparesWithoutAGraph holds that a leader without a code graph sweeps once a day, and looks once a week
// for memories that say the same, which it does not merge.
func TestPreparesWithoutAGraph(t *testing.T) {
	o, root := opener(t), project(t)
	withModel(t, o)
	var passed atomic.Int64
	o.Now = func() time.Time {
		return time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC).Add(time.Duration(passed.Load()))
	}
	w := open(t, o, root)
	for _, what := range []string{"Token refresh fails silently when the cache server is unreachable", "Token refresh fails silently when the cache server is down or unreachable"} {
		if r, err := w.Remember(t.Context(), memory.Draft{What: what, Type: file.Gotcha, Again: memory.KeepAgain}); err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	s := w.Serve(t.Context(), ServeOptions{Role: "lsp", Graph: func() (*graph.Index, error) { return nil, ErrNoGraph }})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	runs := func() (swept, looked, known int) {
		t.Helper()
		sweeps, err := s.State().Sweeps().Latest(t.Context(), 10)
		must.OK(t, err)
		list, err := s.State().Consolidations().Latest(t.Context(), 10)
		must.OK(t, err)
		for _, c := range list {
			known += c.Known
		}
		return len(sweeps), len(list), known
	}
	for _, step := range []struct {
		after                time.Duration
		swept, looked, known int
	}{{0, 1, 1, 1}, {23*time.Hour + 58*time.Minute, 1, 1, 1}, {4 * time.Minute, 2, 1, 1}, {7 * 24 * time.Hour, 3, 2, 2}} {
		passed.Add(int64(step.after))
		s.prepare(t.Context(), true)
		if swept, looked, known := runs(); swept != step.swept || looked != step.looked || known != step.known {
			t.Errorf("after %v more: swept %d times, looked %d times, %d groups; want %d, %d, %d", step.after, swept, looked, known, step.swept, step.looked, step.known)
		}
	}
	if n := len(s.View().All()); n != 2 {
		t.Errorf("%d memories are left: something was merged", n)
	}
}
