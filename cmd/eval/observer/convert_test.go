package observer

import (
	"strings"
	"testing"
)

// TestConversations: a transcript of each agent yields the events that hooks would have received.
func TestConversations(t *testing.T) {
	for name, text := range map[string]string{
		"claude-code": `{"type":"user","sessionId":"s","cwd":"/home/u/p","timestamp":"2026-01-01T00:00:00Z","message":{"content":"fix it"}}
{"type":"assistant","sessionId":"s","cwd":"/home/u/p","timestamp":"2026-01-01T00:00:01Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"npm test"}}]}}
{"type":"user","sessionId":"s","cwd":"/home/u/p","timestamp":"2026-01-01T00:00:02Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 1\nError: no such file /home/u/p/x"}]}}`,
		"codex": `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/home/u/p"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"fix it"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"npm test\"}","call_id":"t1"}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"t1","output":"Process exited with code 1\nOutput:\nError: no such file /home/u/p/x"}}`,
		"opencode": "{\n" + `"info":{"id":"s","directory":"/home/u/p","time":{"created":1}},"messages":[{"info":{"role":"user","time":{"created":1}},"parts":[{"type":"text","text":"fix it"}]},
{"info":{"role":"assistant","time":{"created":2}},"parts":[{"type":"tool","tool":"bash","callID":"REDACTED","state":{"status":"completed","input":{"command":"npm test"},
"output":"Error: no such file /home/u/p/x","metadata":{"exit":1},"time":{"start":3,"end":4}}}]}]}`,
	} {
		list := conversations([]byte(text))
		if len(list) != 1 || list[0].id != "s" || list[0].root != "/home/u/p" {
			t.Errorf("%s: %+v", name, list)
			continue
		}
		var kinds []string
		for _, l := range list[0].lines {
			kinds = append(kinds, l.Event)
		}
		if got := strings.Join(kinds, " "); got != "SessionStart UserPromptSubmit PreToolUse PostToolUseFailure" {
			t.Errorf("%s: %s", name, got)
			continue
		}
		last := list[0].lines[3]
		last.relocate(list[0].root)
		f := failureOf("r", last)
		if f.Kind != "command_failed" || f.Input != "npm test" || f.Fingerprint != "error: no such file x" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestTypedCommands: what a person called reaches the hooks, and what the program notes of itself does not.
func TestTypedCommands(t *testing.T) {
	for text, want := range map[string]string{
		"fix it": "fix it",
		"<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>44 --auto</command-args>": "/plan 44 --auto",
		"<command-message>plan</command-message>\n<command-name>/plan</command-name>":                                         "/plan",
		"<command-name>/clear</command-name>\n<command-message>clear</command-message>":                                       "",
		"<local-command-stdout></local-command-stdout>":                                                                       "",
		"<system_instruction>You work in Host.</system_instruction>fix it":                                                    "<system_instruction>You work in Host.</system_instruction>fix it",
	} {
		if got, ok := typed(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestRest: the words before a request, and the last ones, end a turn of the agent.
func TestRest(t *testing.T) {
	c := conversation{lines: []hookLine{{Event: "UserPromptSubmit"}, {Event: "x_AssistantText", Text: "Let me look."}, {Event: "PreToolUse"}, {Event: "PostToolUse"}, {Event: "x_AssistantText", Text: "Done."},
		{Event: "x_AssistantText", Text: "of another", Agent: "a"}, {Event: "UserPromptSubmit"}, {Event: "x_AssistantText", Text: "Bye."}}}
	c.rest()
	var got []string
	for _, l := range c.lines {
		if l.Event == "Stop" {
			got = append(got, l.Last)
		}
	}
	if strings.Join(got, " ") != "Done. Bye." {
		t.Errorf("%q", got)
	}
}
