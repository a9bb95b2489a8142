package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"manicule/hooks/eventlog"
)

// TestReminders: what became of an error before is told with the failure, once, and nothing with a call that worked.
func TestReminders(t *testing.T) {
	w := newWorld(t)
	say := func(event, command, failure string) string {
		v := tool("Bash", "command", command)
		v["hook_event_name"] = event
		if failure != "" {
			v["error"] = failure
		}
		v["cwd"], v["session_id"] = w.root, "s1"
		in, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		o := w.options("claude-code", string(in), &out)
		o.Reminders = func(_ context.Context, _ string, c eventlog.Call) ([]Warning, error) {
			if strings.Contains(c.Error, "go: command not found") {
				return []Warning{{"go", "the same error came in an earlier session"}}, nil
			}
			return nil, nil
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
}
