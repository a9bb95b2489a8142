//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// withoutIndexCeiling is how many times more of the processors a hook may take, for what nothing has indexed yet, than
// reading all files once: 5.1 times on one machine, whatever else it did.
const withoutIndexCeiling = 7

// TestHookWithoutIndex holds that a hook tells of a file's memory among 5,000 that nothing has indexed yet, for
// little more than it takes to read them. What counts is the processors' time, which other processes don't change.
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
	event := func(session int) string { // each hears it once
		return fmt.Sprintf(`{"session_id":"s%d","hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":%q}}`,
			session, p.dir, filepath.Join(p.dir, "src/auth/token.go"))
	}
	own := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	floor, hook := time.Hour, time.Hour
	for i := range 5 {
		before := own()
		names, err := filepath.Glob(filepath.Join(at, "*.json"))
		if err != nil || len(names) != 5000 {
			t.Fatal(len(names), err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		floor = min(floor, own()-before)
		c := p.command(t, "hook", "claude-code")
		c.Env = append(c.Env, "MANICULE_HOOK_BUDGET=1m")
		c.Stdin = strings.NewReader(event(i))
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out, []byte("1 gotcha")) && !bytes.Contains(out, []byte("Refresh fails")) {
			t.Fatalf("the hook does not tell of the memory of the file: %s", out)
		}
		hook = min(hook, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	t.Logf("a hook takes %v, reading the files %v", hook, floor)
	if !slowedDown && hook > withoutIndexCeiling*floor {
		t.Errorf("a hook takes %v, more than %d times what reading the files does (%v)", hook, withoutIndexCeiling, floor)
	}
}
