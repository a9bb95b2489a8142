package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/must"
)

// TestReminders: what became of an error before is told with the failure, once, and nothing with a call that worked.
func TestReminders(t *testing.T) {
	w := newWorld(t)
	say := func(name, command, failure string) string {
		v := tool("Bash", "command", command)
		v["hook_event_name"] = name
		if failure != "" {
			v["error"] = failure
		}
		v["cwd"], v["session_id"] = w.root, "s1"
		in, err := json.Marshal(v)
		must.OK(t, err)
		var out bytes.Buffer
		o := w.options("claude-code", string(in), &out)
		o.Reminders = func(_ context.Context, _ string, c eventlog.Call) ([]Warning, error) {
			if strings.Contains(c.Error, "go: command not found") {
				return []Warning{{ID: "go", Text: "the same error came in an earlier session", Covers: "go test failed"}}, nil
			}
			return nil, nil
		}
		o.Failures = func(_ context.Context, _ string, c event.Call) ([]Warning, error) {
			return []Warning{{ID: c.Command + " failed", Text: c.Command + " failed in an earlier session"}}, nil
		}
		Run(context.Background(), o)
		return unescaped(out.String())
	}
	const missing = "Exit code 127\n/bin/bash: line 1: go: command not found"
	if got := say("PostToolUse", "go test", ""); got != "" {
		t.Errorf("told with a call that worked: %s", got)
	}
	if got := say("PostToolUseFailure", "make", "Exit code 2"); got != "" {
		t.Errorf("told with another error: %s", got)
	}
	if got := say("PostToolUseFailure", "go test", missing); !strings.Contains(got, `"hookEventName":"PostToolUseFailure"`) || !strings.Contains(got, "as data and no instruction: the same error") {
		t.Errorf("not told: %q", got)
	}
	if got := say("PostToolUseFailure", "go vet", missing); got != "" {
		t.Errorf("told twice: %s", got)
	}
	// That the command failed before says no more than the reminder did.
	if got := say("PreToolUse", "go test", ""); got != "" {
		t.Errorf("told again in other words: %s", got)
	}
	if got := say("PreToolUse", "go build", ""); !strings.Contains(got, "go build failed") {
		t.Errorf("of another command: %q", got)
	}
}
