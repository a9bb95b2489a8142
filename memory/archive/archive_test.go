package archive

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/store"
)

// ending is a writer that ends a context at its first bytes, and counts what comes after them.
type ending struct {
	end   func()
	after int
	ended bool
}

func (e *ending) Write(p []byte) (int, error) {
	if e.ended {
		e.after += len(p)
	}
	e.ended = true
	e.end()
	return len(p), nil
}

// TestWriteStops: an archive that is interrupted ends there, whatever is still to come, and is no error of its files.
func TestWriteStops(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	place, err := workspace.Discover(root, workspace.Env{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }})
	must.OK(t, err)
	for i := range 2 {
		var b strings.Builder
		for n := range 500 {
			_, _ = fmt.Fprintf(&b, "{\"n\":%d,\"x\":%d}\n", n*n*7919+i, n*104729) // a Builder never fails
		}
		must.Write(t, filepath.Join(place.StateDir(), "sessions", fmt.Sprintf("s-%d.jsonl", i)), b.String())
	}
	o := Options{Place: place, State: store.OpenState(place.StateDir(), place.GitPrefix(), time.Now), Now: time.Now, Version: "1"}
	whole := &ending{end: func() {}}
	_, err = Write(t.Context(), whole, t.TempDir(), o)
	must.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	out := &ending{end: cancel}
	if m, err := Write(ctx, out, t.TempDir(), o); !errors.Is(err, context.Canceled) || m != nil {
		t.Errorf("got %v, %v", m, err)
	}
	if out.after > 0 || whole.after == 0 {
		t.Errorf("%d of %d bytes came after the end", out.after, whole.after)
	}
}
