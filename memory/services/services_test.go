package services

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
)

// opener opens workspaces below a home of their own.
func opener(t *testing.T) *Opener {
	t.Helper()
	home := t.TempDir()
	vars := map[string]string{"HOME": home, "XDG_RUNTIME_DIR": shortDir(t)}
	for _, name := range []string{"STATE", "CACHE", "DATA", "CONFIG"} {
		vars["XDG_"+name+"_HOME"] = filepath.Join(home, name)
	}
	return &Opener{Version: "test", Getenv: func(k string) string { return vars[k] }, Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)}
}

// shortDir is a folder whose path leaves room for a socket's.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// project is a folder that somebody has set up.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, workspace.Folder, "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func open(t *testing.T, o *Opener, root string) *Workspace {
	t.Helper()
	w, err := o.Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// remember writes a memory that a search can find.
func remember(t *testing.T, w *Workspace, what string) {
	t.Helper()
	if r, err := w.Remember(t.Context(), memory.Draft{What: what, Type: file.Gotcha}); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestPartsAreLazy: opening a workspace reads no code, and each part is opened once.
func TestPartsAreLazy(t *testing.T) {
	w := open(t, opener(t), project(t))
	if n := len(w.closers); n != 1 {
		t.Errorf("%d parts are open at first", n)
	}
	tracker, ix, searcher := w.Tracker(), w.Graph(), w.Searcher(true)
	if tracker != w.Tracker() || ix != w.Graph() || searcher != w.Searcher(true) {
		t.Error("a part was opened twice")
	}
	if w.GitHistory() != nil {
		t.Error("there is a history outside of git")
	}
	if graph.Exists(w.Place().CacheDir()) {
		t.Error("asking for the code graph has built it")
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}

// TestClosesTheLastFirst: a part is closed before what it was opened on.
func TestClosesTheLastFirst(t *testing.T) {
	w := open(t, opener(t), project(t))
	var got []int
	broken := errors.New("broken")
	for i := range 3 {
		w.onClose(func() error {
			got = append(got, i)
			return broken
		})
	}
	if err := w.Close(); !errors.Is(err, broken) || !slices.Equal(got, []int{2, 1, 0}) {
		t.Errorf("closed in the order %v: %v", got, err)
	}
}

// TestLeaderAnswers: a workspace without a leader searches by itself, one with a
// leader asks it.
func TestLeaderAnswers(t *testing.T) {
	o, root := opener(t), project(t)
	w := open(t, o, root)
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	remember(t, w, "Refresh fails when Redis is down")
	question := search.Question{Text: "redis refresh", Limit: 5, Explicit: true}
	alone, err := w.Answer(t.Context(), question)
	if err != nil || len(alone.Results) != 1 || alone.Index.By != "" {
		t.Fatalf("without a leader: %+v, %v", alone, err)
	}
	led := make(chan struct{})
	s := open(t, o, root).Serve(t.Context(), ServeOptions{Role: "lsp", Graph: func() (*graph.Index, error) { return nil, ErrNoGraph }, OnLead: func(context.Context) { close(led) }})
	<-led
	// The socket opens right after the process leads.
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); ; {
		asked, err := w.Answer(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		if asked.Index.By == "lsp" && len(asked.Results) == 1 {
			break
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("the leader is not asked: %+v", asked)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestAgentWithoutCode: an agent in a folder that is no project is told why there is
// no code, with what to do.
func TestAgentWithoutCode(t *testing.T) {
	w := open(t, opener(t), t.TempDir())
	a := w.ServeAgent(t.Context(), "mcp")
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, err := a.Code.Module(t.Context(), "src")
	if err == nil || Hint(err) == "" {
		t.Errorf("got %v", err)
	}
	if got := a.Readiness(t.Context()).Graph; got != err.Error() {
		t.Errorf("the index says %q", got)
	}
}
