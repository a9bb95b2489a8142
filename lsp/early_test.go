package lsp_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/follow"
)

// slowMemories read all memories only when a test says so.
type slowMemories struct {
	lsp.Memories
	read <-chan struct{}
}

func (m slowMemories) Sync(ctx context.Context) (bool, error) {
	select {
	case <-m.read:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return m.Memories.Sync(ctx)
}

// unread returns options for a server on the workspace whose memories an earlier server has
// read already.
func unread(t *testing.T, s *sandbox, read <-chan struct{}) lsp.Options {
	t.Helper()
	s.now = func() time.Time { return time.Now().Add(time.Hour) } // no file counts as just changed
	w, err := s.open(t.Context(), s.root)
	must.OK(t, err)
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.(*memory.Workspace).Views().NoteFollowed(time.Now().Add(time.Minute))
	must.OK(t, w.Close())
	opts := s.options(t)
	opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
		m, err := s.open(ctx, dir)
		return slowMemories{m, read}, err
	}
	return opts
}

// unreadTracker looks at all anchors only when all memories are read.
type unreadTracker struct {
	*follow.Tracker
	read <-chan struct{}
}

func (s unreadTracker) Refresh(ctx context.Context) (follow.Report, error) {
	select {
	case <-s.read:
	case <-ctx.Done():
		return follow.Report{}, ctx.Err()
	}
	return s.Tracker.Refresh(ctx)
}

// TestFirstHoverDoesNotWaitForAllAnchors: an earlier server has followed all anchors since
// the file was written, so none can have moved into it.
func TestFirstHoverDoesNotWaitForAllAnchors(t *testing.T) {
	s := newSandbox(t, small())
	read := make(chan struct{})
	opts := unread(t, s, read)
	opts.ResolveWait = time.Hour
	opts.Track = func(m lsp.Memories) (lsp.Tracker, error) {
		return unreadTracker{follow.Open(m.(slowMemories).Memories.(*memory.Workspace)), read}, nil
	}
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	early := hoverText(t, e, "a.go", 2, 5)
	if !strings.Contains(early, "first") {
		t.Errorf("hover before all anchors are followed: %s", early)
	}
	close(read)
	e.Await(lsptest.When("diagnostics", func(st lsptest.State) bool { _, ok := st.Diagnostics[e.URI("a.go")]; return ok }))
	if late := hoverText(t, e, "a.go", 2, 5); late != early {
		t.Errorf("before all anchors were followed: %s\nafter: %s", early, late)
	}
}

func TestFirstHoverDoesNotWaitForAllMemories(t *testing.T) {
	s := newSandbox(t, small())
	read := make(chan struct{})
	e := s.edit(t, unread(t, s, read))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	early := hoverText(t, e, "a.go", 2, 5)
	if !strings.Contains(early, "first") {
		t.Errorf("hover before all memories are read: %s", early)
	}
	close(read)
	e.Await(lsptest.When("diagnostics", func(st lsptest.State) bool { _, ok := st.Diagnostics[e.URI("a.go")]; return ok }))
	if late := hoverText(t, e, "a.go", 2, 5); late != early {
		t.Errorf("before all memories were read: %s\nafter: %s", early, late)
	}
}

// TestFirstHoverWaitsForEditedMemories edits a memory while no server runs. What the database
// has of it is no answer.
func TestFirstHoverWaitsForEditedMemories(t *testing.T) {
	s := newSandbox(t, small())
	read := make(chan struct{})
	opts := unread(t, s, read)
	path := filepath.Join(s.root, filepath.FromSlash(where+uuid1+".json"))
	must.Write(t, path, []byte(gotcha(uuid1, "edited by hand", "Validate")))
	opened := opts.Open
	opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
		close(read)
		return opened(ctx, dir)
	}
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "edited by hand") {
		t.Errorf("hover: %s", got)
	}
}
