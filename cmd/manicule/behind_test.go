package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/lockfile"
	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestNobodyWaitsForAPull: while one process reads the thousands of memory files that a pull brought, or writes them, another
// one's server and hooks answer with what they know and say that it is from before. Afterwards all know all.
func TestNobodyWaitsForAPull(t *testing.T) {
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(os.WriteFile(filepath.Join(p.root, "old.go"), []byte("package a\n"), 0o600))
	p.must(p.run("", "remember", "the ledger is closed before the batch begins", "--type", "convention", "--scope", "old.go"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cs, _ := p.agent(ctx)
	recall := func() string { return p.callTool(ctx, cs, "recall", map[string]any{"paths": []string{"old.go"}}) }
	if got := recall(); !strings.Contains(got, "ledger") {
		t.Fatal(got)
	}
	held := func(name string) (release func()) {
		l := lockfile.New(filepath.Join(p.workspace().CacheDir(), name))
		if ok, err := l.TryLockContext(ctx, time.Millisecond); !ok || err != nil { // the server may have it for a moment
			t.Fatal(name, ok, err)
		}
		return func() { must.OK(t, l.Unlock()) }
	}
	const pulled = 700
	read := held("memories.reading.lock")          // as a process that reads files holds it
	staged := filepath.Join(t.TempDir(), "staged") // all come at the same moment
	p.must(os.Mkdir(staged, 0o755))
	for i := range pulled {
		at := file.At(time.Now().Add(-time.Hour))
		m := &file.Memory{Format: file.Format, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), Type: file.Gotcha, Layer: file.AreaContext, What: fmt.Sprintf("row %d is locked until its ledger is settled", i),
			Scope: []string{fmt.Sprintf("new/%d.go", i)}, Confidence: 1, Visibility: file.Project, Importance: file.Medium, Trust: file.Trust{Origin: file.UserTaught},
			Lineage: file.Lineage{Version: 1, ChangeKind: "create"}, CreatedAt: at, UpdatedAt: at}
		data, err := m.Marshal()
		must.OK(t, err)
		must.Write(t, filepath.Join(staged, filepath.Base(m.RelPath())), data)
	}
	p.must(os.Rename(staged, filepath.Join(p.root, ".manicule", "memories", string(file.AreaContext))))
	for range 3 {
		if got := recall(); !strings.Contains(got, "closed before the batch") || !strings.Contains(got, "still being read") {
			t.Errorf("while another process reads: %s", got)
		}
	}
	write := held("memories.lock")
	if got := recall(); !strings.Contains(got, "closed before the batch") || !strings.Contains(got, "still being read") {
		t.Errorf("while another process writes: %s", got)
	}
	event, err := json.Marshal(map[string]any{"session_id": "s-1", "cwd": p.root, "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_use_id": "t",
		"tool_input": map[string]any{"file_path": filepath.Join(p.root, "old.go"), "old_string": "a", "new_string": "b"}})
	must.OK(t, err)
	said := ""
	for n := 0; n < 20 && !strings.Contains(said, "1 memory for old.go"); n++ { // a busy machine may not let one on in time
		said, err = p.output(strings.ReplaceAll(string(event), "s-1", fmt.Sprintf("s-%d", n)), "hook", "claude-code")
		must.OK(t, err)
	}
	if !strings.Contains(said, "1 memory for old.go") {
		t.Errorf("hooks say %q of a memory that has not changed", said)
	}
	write()
	read()
	within(t, 2*time.Minute, "all are known", func() bool {
		got := p.callTool(ctx, cs, "recall", map[string]any{"paths": []string{fmt.Sprintf("new/%d.go", pulled-1)}})
		return strings.Contains(got, fmt.Sprintf("row %d ", pulled-1)) && !strings.Contains(got, "still being read")
	})
	var list struct{ Total int }
	out, err := p.output("", "list", "--json")
	must.OK(t, err)
	must.OK(t, json.Unmarshal([]byte(out), &list))
	if list.Total != pulled+1 {
		t.Errorf("%d memories are known, not %d", list.Total, pulled+1)
	}
}
