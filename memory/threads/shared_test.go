package threads

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/secret/full"
	"manicule/memory/thread"
)

// between are rows that another process changes between a read and a write of this one.
type between struct {
	rows
	change func()
}

func (b *between) Set(ctx context.Context, t thread.Thread) (thread.Thread, error) {
	if f := b.change; f != nil {
		b.change = nil
		f()
	}
	return b.rows.Set(ctx, t)
}

func newList(t *testing.T) *List {
	t.Helper()
	dir := t.TempDir()
	must.Mkdir(t, filepath.Join(dir, "repo", ".manicule", "memories"))
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, Dir: filepath.Join(dir, "repo"), User: "ada",
		Env: workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": filepath.Join(dir, "home")}[k] }, Random: bytes.NewReader(make([]byte, 64))}})
	must.OK(t, err)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return Of(w)
}

// TestShareOfAChangedThread: what another process wrote after a thread was read is not hidden behind the file.
func TestShareOfAChangedThread(t *testing.T) {
	l := newList(t)
	ctx := t.Context()
	added, err := l.Add(ctx, Draft{Text: "The parser drops a comment after a brace"})
	if err != nil || !added.Accepted {
		t.Fatal(added, err)
	}
	id := added.Thread.Memory.UUID
	own, other := l.rows, *l
	const edited = "The parser drops each comment after a brace and a comma"
	l.rows = &between{rows: own, change: func() {
		if r, err := other.Change(ctx, id, Change{Text: edited}); err != nil || !r.Accepted {
			t.Error(r, err)
		}
	}}
	if r, err := l.Share(ctx, id); err != nil || r.Code != "conflict" {
		t.Errorf("shared: %+v, %v", r, err)
	}
	if now, err := l.Get(ctx, id); err != nil || now.Shared || now.State != thread.StateOpen || now.Memory.What != edited {
		t.Errorf("now %+v, %v", now, err)
	}
	if r, err := l.Share(ctx, id); err != nil || !r.Accepted {
		t.Errorf("shared again: %+v, %v", r, err)
	}
	if now, err := l.Get(ctx, id); err != nil || !now.Shared || now.State != thread.StateOpen || now.Memory.What != edited {
		t.Errorf("shared: %+v, %v", now, err)
	}
}

// TestShareThatFails: a thread whose file can't be written is as it was.
func TestShareThatFails(t *testing.T) {
	l := newList(t)
	ctx := t.Context()
	added, err := l.Add(ctx, Draft{Text: "The parser drops a comment after a brace"})
	if err != nil || !added.Accepted {
		t.Fatal(added, err)
	}
	l.log = slog.New(slog.DiscardHandler)
	dir := filepath.Dir(thread.SharedPath(l.place, "-"))
	must.Write(t, dir, "no folder")
	id := added.Thread.Memory.UUID
	if now, err := l.Get(ctx, "`"+strings.ToUpper(added.Thread.Memory.ShortID())+"`."); err != nil || now.Memory.UUID != id { // as it was copied
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := l.Share(ctx, id); err == nil || !strings.Contains(err.Error(), "write a shared thread") {
		t.Errorf("shared: %v", err)
	}
	if now, err := l.Get(ctx, id); err != nil || now.State != thread.StateOpen || now.Resolution != "" {
		t.Errorf("now %+v, %v", now, err)
	}
	must.OK(t, os.Remove(dir))
	if r, err := l.Share(ctx, id); err != nil || !r.Accepted {
		t.Errorf("shared again: %+v, %v", r, err)
	}
}
