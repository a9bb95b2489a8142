package vscode

import (
	"encoding/json"
	"strings"
	"testing"

	"manicule/hooks/event"
)

// ending is how a call ended, by what VS Code's terminal gave as its result.
func ending(t *testing.T, tool, command, response string) event.Call {
	t.Helper()
	in, err := json.Marshal(map[string]any{
		"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": tool, "tool_use_id": "1__vscode-1",
		"tool_input": map[string]string{"command": command, "filePath": "/a/b.go"}, "tool_response": response,
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := event.ScanString(string(in))
	if err != nil {
		t.Fatal(err)
	}
	return parse(v).Calls[0]
}

// TestEnded holds the results of commands, in the words of the terminal tool of VS Code 1.139, to their outcomes.
func TestEnded(t *testing.T) {
	for _, tt := range []struct {
		command, response string
		want              event.Outcome
		failed            string
	}{
		{"go test", "ok  \tshop/auth\t0.01s", event.Succeeded, ""},
		{"go test", "", event.Succeeded, ""},
		{"true", "\n\nCommand produced no output", event.Succeeded, ""},
		{"go test", "auth.go:3: undefined: x\n\nCommand exited with code 1", event.Failed, "auth.go:3: undefined: x"},
		{"false", "\n\nCommand produced no output\nCommand exited with code 1", event.Failed, "Command produced no output"},
		{"app.exe", "Command exited with code -1073741819", event.Failed, "Command exited with code -1073741819"}, // of Windows
		{"exit 3", "Command exited with code 3", event.Failed, "Command exited with code 3"},
		{"npm test", "1 failing\nnpm error code 1", event.Failed, "1 failing\nnpm error code 1"},
		{"cat log", "error: in the log", event.Succeeded, ""},
		{"cat log", "Command exited with code 1\nis what the log says", event.Succeeded, ""},
		{"serve", "Note: Command timed out after 5000ms. The command may still be running in terminal ID 1.\n\nerror: one request", event.Unknown, ""},
		{"serve", "Note: This terminal execution was moved to the background using the ID 1\nlistening", event.Unknown, ""},
		{"read x", "Note: The command is running in terminal ID 1 and may be waiting for input.\n", event.Unknown, ""},
		{"go vet", "<PreToolUse-context>\nerror: of a memory\n</PreToolUse-context>", event.Succeeded, ""},
		{"go vet", "fine\n<PreToolUse-context>\na\n</PreToolUse-context>\n<PreToolUse-context>\nb\n</PreToolUse-context>", event.Succeeded, ""},
	} {
		c := ending(t, "run_in_terminal", tt.command, tt.response)
		if c.Outcome != tt.want || c.Error != tt.failed {
			t.Errorf("%q, %q: outcome %d, error %q", tt.command, tt.response, c.Outcome, c.Error)
		}
	}
	if c := ending(t, "run_in_terminal", "go test", strings.Repeat("--- PASS: TestToken\n", 5000)+"\nCommand exited with code 1"); c.Outcome != event.Unknown {
		t.Errorf("a command whose last words are cut off has the outcome %d", c.Outcome)
	}
	if c := ending(t, "replace_string_in_file", "", ""); c.Outcome != event.Unknown {
		t.Errorf("an edit that says nothing has the outcome %d", c.Outcome)
	}
	if c := ending(t, "run_in_terminal", "ls", "a.go\n<PreToolUse-context>\nabout a.go\n</PreToolUse-context>"); c.Bytes != len("a.go") {
		t.Errorf("the result has %d bytes", c.Bytes)
	}
}

// TestCommandIsShown holds that a person reads what came of a command to remember, and the model too.
func TestCommandIsShown(t *testing.T) {
	var got struct {
		SystemMessage      string
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	out := render(event.Event{Name: "UserPromptSubmit", Prompt: "/remember x"}, `stored “x”`)
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if got.SystemMessage != "stored “x”" || got.HookSpecificOutput.AdditionalContext != "stored “x”" || got.HookSpecificOutput.HookEventName != "UserPromptSubmit" {
		t.Errorf("%s", out)
	}
	if out := render(event.Event{Name: "UserPromptSubmit", Prompt: "mend x"}, "about x"); strings.Contains(string(out), "systemMessage") {
		t.Errorf("what is told to the model is shown to the person: %s", out)
	}
}
