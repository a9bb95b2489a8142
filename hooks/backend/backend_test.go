package backend

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/hooks/learn"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/secret/full"
)

// TestClose: a closed backend holds no state database, and can be closed again.
func TestClose(t *testing.T) {
	home := t.TempDir()
	vars := map[string]string{"HOME": home}
	for _, k := range []string{"STATE", "CACHE", "DATA", "CONFIG"} {
		vars["XDG_"+k+"_HOME"] = filepath.Join(home, strings.ToLower(k))
	}
	root := filepath.Join(home, "tree")
	must.Mkdir(t, filepath.Join(root, ".manicule", "memories"))
	env := workspace.OSEnv()
	env.Getenv = func(k string) string { return vars[k] }
	ctx := context.Background()
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: root, Env: env, Now: time.Now, User: "Ada"})
	must.OK(t, err)
	if _, err := learn.Pending(ctx, learn.Options{Workspace: w}, 0); err != nil { // makes the state database
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	b := New(Options{Getenv: env.Getenv, Now: time.Now,
		Discover: func(dir string) (*workspace.Workspace, error) { return workspace.Discover(dir, env) },
		Settings: func(*workspace.Workspace) (*config.Config, []config.Warning) { return config.Defaults(), nil }})
	for range 2 {
		if _, err := b.sessions.waiting(ctx, root); err != nil {
			t.Fatal(err)
		}
		if len(b.states.open) != 1 {
			t.Fatalf("%d state databases are open, want 1", len(b.states.open))
		}
		if err := b.Close(); err != nil || len(b.states.open) != 0 {
			t.Fatalf("%d state databases are open after Close, %v", len(b.states.open), err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
