package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHookWithoutIndex holds that a hook tells of a file's memory among 5,000 that
// nothing has indexed yet, within its deadline, or five times that where other tests need the processors.
func TestHookWithoutIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 5,000 files")
	}
	p := newProgram(t)
	at := filepath.Join(p.dir, ".manicule", "memories", "area_context")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		scope, what := fmt.Sprintf("lib/part%d/**", i), fmt.Sprintf("Note %d", i)
		if i == 0 {
			scope, what = "src/auth/**", "Refresh fails silently"
		}
		id := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012x", i)
		text := fmt.Sprintf(`{"format": 1, "uuid": %q, "type": "gotcha", "layer": "area_context", "what": %q, "why": %q, "scope": [%q],
			"visibility": "project", "importance": "high", "confidence": 0.9, "contributor": "Ada", "source": "conversation",
			"trust": {"origin": "user_taught", "verified_by": "Ada", "verified_at": "2026-04-06T12:00:00.000Z"},
			"created_at": "2026-04-06T12:00:00.000Z", "updated_at": "2026-04-06T12:00:00.000Z"}`, id, what, strings.Repeat("Because of it. ", 50), scope)
		if err := os.WriteFile(filepath.Join(at, id+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	event := fmt.Sprintf(`{"session_id":"s","hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":%q}}`,
		p.dir, filepath.Join(p.dir, "src/auth/token.go"))
	for i := range 100 { // a hook that got no processor in its tenth of a second says nothing
		c := p.command(t, "hook", "claude-code")
		if i >= 20 {
			c.Env = append(c.Env, "MANICULE_HOOK_BUDGET=500ms")
		}
		c.Stdin = strings.NewReader(event)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(out, []byte("1 gotcha")) || bytes.Contains(out, []byte("Refresh fails")) {
			return
		}
		if len(out) > 0 {
			t.Logf("%s", out)
		}
	}
	t.Error("no hook told of the memory of the file")
}
