package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/cmd/internal/wire"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
)

// TestHoversDuringASweep: while a server sweeps 10,000 memories, it answers hovers as before. The
// sweep is the leader's own, begun two seconds after the workspace was opened and not twenty.
func TestHoversDuringASweep(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until a server sweeps")
	}
	t.Parallel()
	const memories, archived = 10_000, 906
	p := newProgram(t)
	source := filepath.Join(p.dir, "a.go")
	written := time.Now().AddDate(0, 0, -90)
	err := errors.Join(os.WriteFile(source, []byte("package a\n\nfunc F() {}\n"), 0o600), os.MkdirAll(filepath.Join(p.dir, workspace.Folder), 0o755))
	for i := range memories {
		m := &file.Memory{Format: file.Format, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), Type: file.Decision, What: fmt.Sprintf("Decision %d holds", i), Scope: []string{"pkg/**"}, Confidence: .8,
			Visibility: file.Project, Importance: file.Medium, Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}, CreatedAt: file.At(written), UpdatedAt: file.At(written)}
		if i < archived { // the project has too many memories, and only personal ones may go
			m.Type, m.Visibility = file.Gotcha, file.Personal
		}
		if i%100 == 99 {
			m.Scope = []string{"a.go"}
		}
		m.Layer = m.Type.DefaultLayer(true)
		data, e := m.Marshal()
		path := filepath.Join(p.dir, workspace.Folder, "memories", filepath.FromSlash(m.RelPath()))
		err = errors.Join(err, e, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o600))
	}
	must.OK(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := p.command(t, "lsp")
	cmd.Env = append(cmd.Env, envPrepare+"=2s") // hovers come before it, too
	cmd.Stderr = os.Stderr
	c, err := wire.Start(cmd)
	must.OK(t, err)
	defer func() {
		if err := c.Close(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	must.OK(t, errors.Join(c.Initialize(ctx, p.dir), c.Open(source, "go", "package a\n\nfunc F() {}\n")))
	type hover struct{ begin, end time.Time }
	var hovers []hover
	var swept store.Sweep
	for swept.Looked == 0 {
		h := hover{begin: time.Now()}
		shown, err := c.Hover(ctx, source, wire.Position{})
		if err != nil || shown == nil {
			t.Fatalf("hover %d: %v, %v", len(hovers), shown, err)
		}
		h.end = time.Now()
		if hovers = append(hovers, h); len(hovers)%200 == 0 {
			swept = lastSweep(ctx, t, p)
		}
	}
	if swept.Looked != memories || swept.Archived != archived {
		t.Errorf("the sweep looked at %d and archived %d", swept.Looked, swept.Archived)
	}
	var during, other []time.Duration
	for _, h := range hovers {
		took := h.end.Sub(h.begin)
		if h.begin.After(swept.At) && h.end.Before(swept.At.Add(swept.Took)) {
			during = append(during, took)
		} else {
			other = append(other, took)
		}
	}
	slices.Sort(during)
	slices.Sort(other)
	if len(during) < memories/250/4 { // at least one of four yields lets a hover through
		t.Fatalf("%d hovers were answered during the sweep of %v", len(during), swept.Took)
	}
	t.Logf("the sweep took %v; %d hovers during it: median %v, 99 %% within %v, at most %v; %d others: median %v, 99 %% within %v", swept.Took,
		len(during), during[len(during)/2], during[len(during)*99/100], during[len(during)-1], len(other), other[len(other)/2], other[len(other)*99/100])
}

// lastSweep reads the log of sweeps beside the server.
func lastSweep(ctx context.Context, t *testing.T, p program) store.Sweep {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(filepath.Dir(p.dir), "state", "manicule", "*", "state.db"))
	if err != nil || len(dirs) == 0 {
		return store.Sweep{}
	}
	list, err := store.OpenState(filepath.Dir(dirs[0]), "", time.Now).Sweeps().Latest(ctx, 1)
	if err != nil || len(list) == 0 {
		return store.Sweep{}
	}
	return list[0]
}
