package lsp_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/secret/full"
	"manicule/memory/threads"
)

// clock is the time in all tests.
func clock() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// sandbox is a workspace in a temporary folder, with its databases in another.
type sandbox struct {
	root string
	env  workspace.Env
	now  func() time.Time // of the memories' store
}

func newSandbox(t testing.TB, files map[string]string) *sandbox {
	t.Helper()
	return newSandboxIn(t, t.TempDir(), files)
}

func newSandboxIn(t testing.TB, base string, files map[string]string) *sandbox {
	t.Helper()
	base, err := filepath.EvalSymlinks(base)
	must.OK(t, err)
	homes := map[string]string{"HOME": filepath.Join(base, "home")}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		homes[name] = filepath.Join(base, "home", name)
	}
	s := &sandbox{
		root: filepath.Join(base, "w"), now: clock,
		env: workspace.Env{Getenv: func(name string) string { return homes[name] }, Random: rand.Reader},
	}
	must.Mkdir(t, filepath.Join(s.root, ".manicule", "memories"))
	for name, text := range files {
		path := filepath.Join(s.root, filepath.FromSlash(name))
		must.Write(t, path, text)
	}
	return s
}

// open opens the memories that dir belongs to.
func (s *sandbox) open(_ context.Context, dir string) (lsp.Memories, error) {
	return memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: dir, Env: s.env, Now: s.now, User: "ahmed"})
}

func (s *sandbox) options(t testing.TB) lsp.Options {
	return lsp.Options{
		Version: "test", Open: s.open, Threads: threadsOf, Now: clock, DebounceDelay: time.Millisecond,
		Log: slog.New(slog.NewTextHandler(logTo{t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

func threadsOf(m lsp.Memories) lsp.Threads {
	if w, ok := m.(*memory.Workspace); ok {
		return threads.Of(w)
	}
	return nil
}

// edit starts a server with opts on the workspace, and an editor on it.
func (s *sandbox) edit(t testing.TB, opts lsp.Options) *lsptest.Editor {
	t.Helper()
	return lsptest.Start(t, s.root, func(ctx context.Context, conn io.ReadWriteCloser) error {
		return lsp.Serve(ctx, conn, opts)
	})
}

// logTo writes to a test's log.
type logTo struct{ t testing.TB }

func (l logTo) Write(b []byte) (int, error) {
	l.t.Helper()
	l.t.Logf("%s", b)
	return len(b), nil
}

func symlink(to, from string) error { return os.Symlink(to, from) }
