package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// TestSessionReachesTheEditor runs an agent's hooks beside an editor: the editor
// is told that the session ended, what it was told and what it wrote.
func TestSessionReachesTheEditor(t *testing.T) {
	a, _, _ := testApp(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "src", "a.py"), []byte("def used(): pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(in string, args ...string) {
		t.Helper()
		var complaint strings.Builder
		b := &app{in: strings.NewReader(in), out: io.Discard, err: &complaint, getenv: a.getenv, now: a.now, random: a.random, start: time.Now(), args: args}
		if code := b.run(); code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, complaint.String())
		}
	}
	run("", "--root", root, "init")
	run("", "--root", root, "remember", "used is not", "--type", "gotcha", "--scope", "src/**")
	e := lsptest.Start(t, root, func(ctx context.Context, conn io.ReadWriteCloser) error { return lsp.Serve(ctx, conn, a.lspOptions()) })
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	if _, err := e.Call("manicule/overview", nil); err != nil { // the folder is open then
		t.Fatal(err)
	}
	for _, event := range []string{
		`{"hook_event_name": "SessionStart", "source": "startup"}`,
		`{"hook_event_name": "UserPromptSubmit", "prompt": "/remember --type convention call used first"}`,
		`{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "1", "tool_input": {"file_path": "` + filepath.Join(root, "src", "a.py") + `"}}`,
		`{"hook_event_name": "SessionEnd", "reason": "exit"}`,
	} {
		whole := fmt.Sprintf(`{"session_id": "abc-1", "cwd": %q, %s`, root, strings.TrimPrefix(event, "{"))
		run(whole, "hook", "claude-code")
	}
	e.Await(lsptest.When("the end of the session", func(s lsptest.State) bool { return s.Seen["manicule/sessionEnded"] == 1 }))
	raw, err := e.Call("manicule/sessionSummary", protocol.LSPAny(`{"session": "abc-1"}`))
	if err != nil {
		t.Fatal(err)
	}
	var sum struct {
		Agent string
		Used  []struct{ What string }
	}
	if err := json.Unmarshal(raw, &sum); err != nil || sum.Agent != "claude-code" || len(sum.Used) == 0 || sum.Used[0].What != "used is not" {
		t.Errorf("summary: %s %v", raw, err)
	}
	raw, err = e.Call("manicule/log", nil)
	for _, want := range []string{`"kind":"ended"`, `"kind":"shown"`, `"what":"used is not"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the log lacks %s: %s %v", want, raw, err)
		}
	}
	e.Shutdown()
}

// TestStepBackIsWritten sets the trust level in the person's own file.
func TestStepBackIsWritten(t *testing.T) {
	a, _, _ := testApp(t)
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".manicule", "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := a.lspOptions().Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	trust := a.editorTrust(m)
	if got := trust.Level(t.Context()); got != 2 {
		t.Errorf("level %d at first", got)
	}
	if err := trust.SetLevel(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := a.editorTrust(m).Level(t.Context()); got != 1 {
		t.Errorf("level %d after the step", got)
	}
	files, err := editorFiles(m).List(t.Context())
	if err != nil || len(files) != 0 {
		t.Errorf("files: %v %v", files, err)
	}
}
