package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/workspace"
	"manicule/lsp/lsptest"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/inventory"
	"manicule/memory/leader"
	"manicule/memory/purge"
	"manicule/memory/store"
)

// The texts of the tests. Each has a mark that is searched for afterwards.
const (
	minePlanted   = "Plantedmine: the cache is cold after a deploy, wait for the \"warm\" line"
	editedPlanted = "Plantededit: the cache is cold for a minute after each deploy of ours"
	gonePlanted   = "Plantedgone: never restart the worker while a migration is running"
	draftPlanted  = "Planteddraft: the flags of the build are read from the environment"
	quotePlanted  = "is cold for a minute after each" // of editedPlanted, from its middle on
	teamPlanted   = "Plantedteam: queues are drained by the worker, and by nobody else"
)

// hasPlanted lists the files below the test's folder that contain a mark.
func (p *place) hasPlanted(marks ...string) []string {
	p.t.Helper()
	var out []string
	p.must(filepath.WalkDir(filepath.Dir(p.root), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a server has removed it meanwhile
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, m := range marks {
			if bytes.Contains(data, []byte(m)) {
				out = append(out, m+" in "+path)
			}
		}
		return err
	}))
	return out
}

func (p *place) event(kind string, more map[string]any) {
	p.t.Helper()
	e := map[string]any{"session_id": "s-1", "cwd": p.root, "hook_event_name": kind, "permission_mode": "default"}
	for k, v := range more {
		e[k] = v
	}
	data, err := json.Marshal(e)
	p.must(err)
	p.must(p.run(string(data), "hook", "claude-code"))
}

// remember writes a memory and returns its id.
func (p *place) remember(args ...string) string {
	p.t.Helper()
	out, err := p.output("", append([]string{"remember", "--json"}, args...)...)
	p.must(err)
	var r struct {
		UUID string `json:"uuid"`
	}
	if _, rest, ok := strings.Cut(out, `"uuid": "`); ok {
		r.UUID, _, _ = strings.Cut(rest, `"`)
	}
	if r.UUID == "" {
		p.t.Fatalf("no id in %s", out)
	}
	return r.UUID
}

// planted makes a repository with everything that keeps a text: files, drafts, versions, tombstones,
// sessions, the ledger, the journal, backups, caches, vectors, a linked worktree.
func planted(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = p.root, p.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v %s", args, err, out)
		}
	}
	git("init", "-q")
	p.must(p.run("", "init"))
	mine := p.remember(minePlanted, "--personal", "--type", "gotcha", "--at", "src/a.go")
	gone := p.remember(gonePlanted, "--personal", "--type", "gotcha")
	p.remember(teamPlanted, "--type", "gotcha", "--at", "src/a.go")
	p.remember(draftPlanted, "--personal", "--draft")
	p.must(p.run("", "edit", mine, "--what", editedPlanted))
	p.must(p.run("", "forget", gone))
	git("add", "-A")
	git("commit", "-qm", "one")
	git("worktree", "add", "-q", "../wt", "-b", "side")
	p.must(p.run("", "--root", filepath.Join(filepath.Dir(p.root), "wt"), "remember", "Plantedside: the other worktree has its own port", "--personal", "--type", "gotcha"))

	p.event("SessionStart", map[string]any{"source": "startup"})
	p.event("UserPromptSubmit", map[string]any{"prompt": "is it true? " + editedPlanted})
	p.event("UserPromptSubmit", map[string]any{"prompt": "who says " + quotePlanted + "?"})
	p.event("PreToolUse", map[string]any{"tool_name": "Read", "tool_use_id": "t1", "tool_input": map[string]any{"file_path": filepath.Join(p.root, "src", "a.go")}})
	p.event("SessionEnd", map[string]any{"reason": "exit"})
	p.must(p.run("", "index"))
	p.must(p.run("", "sync"))
	p.must(p.run("", "search", "cold cache after deploy"))

	v, err := store.OpenVectors(t.Context(), p.workspace().VectorsDir(), time.Now)
	p.must(err)
	m, err := file.Read(p.personalFile(mine))
	p.must(err)
	p.must(v.Put(t.Context(), "words", []string{embed.Key(embed.MemoryText(m)), embed.Key("of another repository")}, [][]float32{{1, 0}, {0, 1}}))
	p.must(v.Close())
	return p
}

func (p *place) personalFile(id string) string {
	p.t.Helper()
	list, err := filepath.Glob(filepath.Join(p.root, workspace.Folder, "memories", "*", "personal", id+".json"))
	if err != nil || len(list) != 1 {
		p.t.Fatalf("files of %s: %v, %v", id, list, err)
	}
	return list[0]
}

// vectors counts the vectors in the store that workspaces share.
func (p *place) vectors() int {
	p.t.Helper()
	v, err := store.OpenVectors(p.t.Context(), p.workspace().VectorsDir(), time.Now)
	p.must(err)
	counts, err := v.Counts(p.t.Context())
	p.must(err)
	p.must(v.Close())
	n := 0
	for _, c := range counts {
		n += c.N
	}
	return n
}

// TestPurgePersonal leaves no text of a personal memory in any file, and all of the team's.
func TestPurgePersonal(t *testing.T) {
	t.Parallel()
	wholeFormOnly(t)
	p := planted(t)
	personal := []string{quotePlanted, "Plantedmine", "Plantededit", "Plantedgone", "Planteddraft", "Plantedside"}
	for _, mark := range personal {
		if len(p.hasPlanted(mark)) == 0 {
			t.Errorf("%s is in no file: the test proves nothing", mark)
		}
	}
	out, err := p.output("", "purge", "--personal", "--yes")
	p.must(err)
	if !strings.Contains(out, "no text or id of the deleted memories is there") || !strings.Contains(out, "1 shared vector\n") {
		t.Errorf("purge says:\n%s", out)
	}
	if left := p.hasPlanted(personal...); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
	if n := p.vectors(); n != 1 {
		t.Errorf("%d vectors are left, want another repository's", n)
	}
	out, err = p.output("", "list")
	p.must(err)
	if !strings.Contains(out, "Plantedteam") {
		t.Errorf("the team's memory is gone:\n%s", out)
	}
	p.must(p.run("", "purge", "--personal", "--yes"))
	p.must(p.run("", "doctor", "--json"))
}

// TestPurgeAgain: a purge that a crash ended half-way continues when it is run again.
func TestPurgeAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	p := planted(t)
	state := p.workspace().StateDir()
	sessions := filepath.Join(state, "sessions")
	list, err := os.ReadDir(sessions)
	p.must(err)
	if len(list) == 0 {
		t.Fatal("no logs")
	}
	log := filepath.Join(sessions, "s-s-1.jsonl")
	p.must(os.RemoveAll(p.workspace().CacheDir()))              // what goes first is gone
	p.must(os.WriteFile(log+".md", []byte(gonePlanted), 0o600)) // and something that came since
	p.must(p.run("", "purge", "--personal", "--yes"))
	if left := p.hasPlanted("Plantedmine", "Plantededit", "Plantedgone", "Planteddraft", "Plantedside"); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
}

// TestPurgeWorkspace removes all but what git may carry, and with --memories that too.
func TestPurgeWorkspace(t *testing.T) {
	t.Parallel()
	p := planted(t)
	w := p.workspace()
	p.must(p.run("", "purge", "--workspace", "--yes"))
	for _, gone := range []string{w.StateDir(), w.CacheDir(), filepath.Join(w.GitCommonDir, "manicule")} {
		if _, err := os.Lstat(gone); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if left := p.hasPlanted("Plantedmine", "Plantededit", "Plantedgone", "Planteddraft", "Plantedside"); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
	if len(p.hasPlanted("Plantedteam")) == 0 {
		t.Error("the team's memory is gone")
	}
	p.must(p.run("", "purge", "--workspace", "--memories", "--yes"))
	for _, left := range p.hasPlanted("Plantedteam") {
		if !strings.Contains(left, string(filepath.Separator)+".git"+string(filepath.Separator)) {
			t.Error(left)
		}
	}
}

// TestPurgeAll leaves nothing in the user's folders, and follows no link out of them.
func TestPurgeAll(t *testing.T) {
	t.Parallel()
	wholeFormOnly(t)
	p := planted(t)
	home := filepath.Join(filepath.Dir(p.root), "home")
	outside := filepath.Join(filepath.Dir(p.root), "outside")
	p.must(os.MkdirAll(outside, 0o700))
	p.must(os.WriteFile(filepath.Join(outside, "mine.txt"), []byte("not Manicule's"), 0o600))
	p.must(os.Symlink(outside, filepath.Join(p.workspace().StateDir(), "link")))
	p.must(p.run("", "purge", "--all", "--yes"))
	for _, dir := range []string{"state", "cache", "data", "config"} {
		if _, err := os.Lstat(filepath.Join(home, dir, "manicule")); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
	if left := p.hasPlanted("Plantedmine", "Plantededit", "Plantedgone", "Planteddraft", "Plantedside"); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
	if _, err := os.Stat(filepath.Join(outside, "mine.txt")); err != nil {
		t.Error(err)
	}
}

// endsAfter is a context that ends when it was asked a number of times.
type endsAfter struct {
	context.Context
	left *atomic.Int64
}

func (c endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestPurgeInterrupted: wherever a purge is interrupted, it tells what is gone, no item is half gone, and the next one
// continues.
func TestPurgeInterrupted(t *testing.T) {
	t.Parallel()
	wholeFormOnly(t)
	p := planted(t)
	vars := map[string]string{}
	for _, kv := range p.env {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	for asked := int64(0); ; asked++ {
		w := p.workspace()
		plan, err := purge.Prepare(t.Context(), purge.Options{Scope: purge.All, Place: w, Env: workspace.Env{Getenv: func(name string) string { return vars[name] }},
			State: store.OpenState(w.StateDir(), w.GitPrefix(), time.Now), Now: time.Now})
		p.must(err)
		var left atomic.Int64
		left.Store(asked)
		r, err := plan.Run(endsAfter{t.Context(), &left})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || asked > 500 {
			t.Fatal(asked, err)
		}
		for _, it := range plan.Items {
			if there, said := inventory.Exists(it.Path), slices.Contains(r.Removed, it); there == said {
				t.Errorf("after %d questions: %s is there %t, reported %t", asked, it.Path, there, said)
			}
		}
	}
	if left := p.hasPlanted("Plantedmine", "Plantededit", "Plantedgone", "Planteddraft", "Plantedside"); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
}

// TestPurgeBehindLinks: what lies behind a link can't be searched, so nothing is called purged.
func TestPurgeBehindLinks(t *testing.T) {
	t.Parallel()
	wholeFormOnly(t)
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", minePlanted, "--personal"))
	state := p.workspace().StateDir()
	moved := filepath.Join(filepath.Dir(p.root), "moved")
	p.must(os.Rename(state, moved))
	p.must(os.Symlink(moved, state))
	for _, args := range [][]string{{"--personal"}, {"--workspace"}, {"--workspace", "--memories"}, {"--all"}} {
		err := p.run("", append([]string{"purge", "--yes"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), "is a link") {
			t.Errorf("purge %v: %v", args, err)
		}
	}
	p.must(os.Remove(state))
	p.must(os.Rename(moved, state))
	// A file that is too large to be a memory goes too.
	large := filepath.Join(p.root, workspace.Folder, "memories", "area_context", "personal", "large.json")
	p.must(os.MkdirAll(filepath.Dir(large), 0o755))
	p.must(os.WriteFile(large, bytes.Repeat([]byte("Plantedlarge "), 1<<17), 0o600))
	p.must(p.run("", "purge", "--personal", "--yes"))
	if left := p.hasPlanted("Plantedmine", "Plantedlarge"); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
}

// TestPurgeWaitsForServers: nothing is removed while an editor has the workspace open.
func TestPurgeWaitsForServers(t *testing.T) {
	wholeFormOnly(t)
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", minePlanted, "--personal"))
	editor := lsptest.Start(t, p.root, p.serve)
	editor.Initialize(lsptest.Full())
	socket, began := p.workspace().Socket(), time.Now()
	for leader.Ask(t.Context(), socket, "hello", nil, &leader.Hello{}) != nil {
		if time.Since(began) > time.Minute {
			t.Fatal("the server does not lead")
		}
	}
	out, err := p.output("", "purge", "--personal", "--yes")
	if err == nil || !strings.Contains(err.Error(), "`manicule lsp`") || !strings.Contains(err.Error(), "nothing was removed") || !strings.Contains(err.Error(), "Close the editors") {
		t.Errorf("purge beside a server: %v\n%s", err, out)
	}
	if len(p.hasPlanted("Plantedmine")) == 0 {
		t.Error("it is gone")
	}
	editor.Shutdown()
	for began = time.Now(); ; { // the server lets go after its last answer
		out, err = p.output("", "purge", "--personal", "--yes")
		if err == nil || !strings.Contains(err.Error(), "nothing was removed") || time.Since(began) > time.Minute {
			break
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left := p.hasPlanted("Plantedmine"); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
}
