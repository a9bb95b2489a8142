package codex

import (
	"encoding/json"
	"strings"
	"testing"

	"manicule/hooks/event"
)

// TestCutOutput: of a huge output only the beginning is kept. An exit code before it says how the command ended; without one, what
// the beginning reads like says nothing.
func TestCutOutput(t *testing.T) {
	lines := strings.Repeat("--- PASS: TestToken\n", 5000)
	for name, tt := range map[string]struct {
		response any
		want     event.Outcome
	}{
		"without a code":           {"error: one request\n" + lines + "ok", event.Unknown},
		"without one, in a member": {map[string]string{"output": "error: one request\n" + lines + "ok"}, event.Unknown},
		"with a code before it":    {"Exit code: 1\nWall time: 2 seconds\nOutput:\n" + lines, event.Failed},
		"with one beside it":       {map[string]any{"output": lines, "metadata": map[string]int{"exit_code": 0}}, event.Succeeded},
		"whole":                    {"error: one request", event.Failed},
	} {
		in, err := json.Marshal(map[string]any{
			"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "shell", "tool_use_id": "1", "tool_input": map[string]string{"command": "go test"}, "tool_response": tt.response,
		})
		if err != nil {
			t.Fatal(err)
		}
		v, err := event.ScanString(string(in))
		if err != nil {
			t.Fatal(err)
		}
		if c := parse(v).Calls[0]; c.Outcome != tt.want {
			t.Errorf("%s: outcome %d, want %d", name, c.Outcome, tt.want)
		}
	}
}
