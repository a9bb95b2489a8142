package threads

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/thread"
)

type noRows struct{ rows }

func (noRows) Open(context.Context) ([]thread.Thread, error) { return nil, nil }

// TestUndecidedOf: one thread is found by its own file, whatever else is broken; a damaged file is read, and so logged, once for both lists.
func TestUndecidedOf(t *testing.T) {
	p := &workspace.Workspace{Root: t.TempDir()}
	const one, two = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12"
	for _, id := range []string{one, two} {
		at := file.At(time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC))
		m := &file.Memory{Format: file.Format, UUID: id, Type: file.WorkState, Layer: file.AreaContext, What: "Retry gives up", Visibility: file.Team, Importance: file.Medium,
			Confidence: .8, Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1}, CreatedAt: at, UpdatedAt: at}
		if id == two {
			m.Conflict = []file.Version{{What: "Retry never gives up", Type: file.WorkState, UpdatedAt: at}}
		}
		m, err := thread.SharedFile(thread.Thread{Memory: m, Kind: thread.Open, State: thread.StateOpen})
		must.OK(t, err)
		must.OK(t, thread.WriteFile(p, m))
	}
	must.Write(t, filepath.Join(p.Root, ".manicule/sessions/x.json"), "{")
	var said counter
	l := &List{place: p, rows: noRows{}, log: slog.New(slog.NewTextHandler(&said, nil))}
	for id, want := range map[string]bool{one: false, two: true, "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a13": false, "../x": false} {
		if th, ok := l.UndecidedOf(id); ok != want || ok && th.Memory.UUID != id {
			t.Errorf("%s: %v", id, ok)
		}
	}
	if said != 0 {
		t.Errorf("other files were read: %d lines", said)
	}
	open, several, err := l.OpenAndUndecided(t.Context())
	if err != nil || len(open) != 2 || len(several) != 1 || several[0].Memory.UUID != two {
		t.Errorf("%d open, %d undecided, %v", len(open), len(several), err)
	}
	if said != 1 {
		t.Errorf("the files were read %d times", said)
	}
}

// counter counts writes, each a line of a log.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c++; return len(p), nil }
