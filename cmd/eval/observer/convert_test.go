package observer

import (
	"fmt"
	"slices"
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
		"older codex": `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/home/u/p"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"fix it"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"npm test\"]}","call_id":"t1"}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"t1","output":"{\"output\":\"Error: no such file /home/u/p/x\",\"metadata\":{\"exit_code\":1}}"}}`,
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

// TestMidTurn: last words end no turn where the transcript says that the turn goes on.
func TestMidTurn(t *testing.T) {
	const (
		meta   = `{"type":"session_meta","payload":{"id":"s"}}`
		begun  = `{"type":"event_msg","payload":{"type":"task_started"}}`
		words  = `{"type":"event_msg","payload":{"type":"agent_message","message":"I'm copying it."}}`
		ended  = `{"type":"event_msg","payload":{"type":"task_complete"}}`
		claude = `{"type":"assistant","sessionId":"s","message":{"stop_reason":%q,"content":[{"type":"text","text":"I'm copying it."}]}}`
	)
	for _, tt := range []struct {
		name string
		c    []*conversation
		want bool // it ended
	}{
		{"codex, told nothing", fromCodex([]byte(meta + "\n" + words)), true},
		{"codex, begun", fromCodex([]byte(meta + "\n" + begun + "\n" + words)), false},
		{"codex, ended", fromCodex([]byte(meta + "\n" + begun + "\n" + words + "\n" + ended)), true},
		{"claude, before a call", fromClaudeCode(fmt.Appendf(nil, claude, "tool_use")), false},
		{"claude, ended", fromClaudeCode(fmt.Appendf(nil, claude, "end_turn")), true},
		{"claude, told nothing", fromClaudeCode(fmt.Appendf(nil, claude, "")), true},
	} {
		tt.c[0].rest()
		if got := slices.ContainsFunc(tt.c[0].lines, func(l hookLine) bool { return l.Event == "Stop" }); got != tt.want {
			t.Errorf("%s: ended %t", tt.name, got)
		}
	}
}

// TestMarkdownLooks: calls that a transcript writes among the agent's words are calls, and notes of the program no requests.
func TestMarkdownLooks(t *testing.T) {
	text := "<!-- Generated by SpecStory -->\n\n# x (2025-07-06 11:27)\n\n_**User**_\n\n<local-command-caveat>x</local-command-caveat>\n\n---\n\n_**User**_\n\nadd tests\n\n---\n\n" +
		"_**Assistant**_\n\nI'll add them.\n\n<details>\n<summary>Listed directory src • **1** results</summary>\n\n| a |\n\n</details>\n\n<details><summary>Edit file: src/a.go</summary>\n\nx\n</details>\n\nNow the rest.\n\nRead file: src/b.go\n"
	var got []string
	for _, l := range fromMarkdown([]byte(text))[0].lines {
		if l.Event != "PostToolUse" {
			got = append(got, strings.TrimSpace(strings.Join([]string{l.Event, l.Tool, l.Prompt, l.Text}, " ")))
		}
	}
	want := []string{"SessionStart", "UserPromptSubmit  add tests", "x_AssistantText   I'll add them.", "PreToolUse Grep", "PreToolUse Edit", "x_AssistantText   Now the rest.", "PreToolUse Grep"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMarkdownAside: what an agent proposes to type next is no part of the conversation.
func TestMarkdownAside(t *testing.T) {
	const text = "<!-- Generated by SpecStory -->\n\n# x (2025-07-06 11:27)\n\n_**User**_\n\nadd tests\n\n_**Agent**_\n\nThe lexer is not covered yet.\n\n" +
		"_**User**_\n\n[SUGGESTION MODE: Suggest what the user might type.]\n\n_**Agent**_\n\ncommit this\n\n_**User**_\n\ngo on\n\n_**Agent**_\n\nDone.\n"
	var got []string
	for _, l := range fromMarkdown([]byte(text))[0].lines {
		got = append(got, l.Prompt+l.Text)
	}
	if want := []string{"", "add tests", "The lexer is not covered yet.", "go on", "Done."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMarkdownNameless: in some versions each act of a turn has a heading without a name. One without words is a call that was not
// written down, so that such a transcript does not end with words. A thought that breaks off is none either.
func TestMarkdownNameless(t *testing.T) {
	const begin = "<!-- Generated by SpecStory -->\n\n# x (2025-07-06 11:27)\n\n_**User**_\n\nadd tests\n\n_**Assistant**_\n\nI read the lexer.\n\n---\n\n"
	for text, want := range map[string][]string{
		begin + "_****_\n\n\n\n---\n\n_****_\n\nIt has none.\n\n---\n":                          {"SessionStart", "UserPromptSubmit", "x_AssistantText", "PreToolUse", "PostToolUse", "x_AssistantText"},
		begin + "_****_\n\nNow the tests:\n\n---\n\n_****_\n\n\n":                               {"SessionStart", "UserPromptSubmit", "x_AssistantText", "x_AssistantText", "PreToolUse", "PostToolUse"},
		begin + "_****_\n\n<details>\n<summary>Listed lexer/</summary>\n\na.go\n\n</details>\n": {"SessionStart", "UserPromptSubmit", "x_AssistantText", "PreToolUse", "PostToolUse"},
		begin + "_**User**_\n\nand then?\n\n_**Assistant**_\n\n<think>The person asks\n":        {"SessionStart", "UserPromptSubmit", "x_AssistantText", "UserPromptSubmit"},
	} {
		var got []string
		for _, l := range fromMarkdown([]byte(text))[0].lines {
			got = append(got, l.Event)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\n%q, want\n%q", text[len(begin):], got, want)
		}
	}
}

// TestBackground: what Claude Code's transcript tells of a command that goes on is in the form of its hook, and the notice of its
// end is kept.
func TestBackground(t *testing.T) {
	const line = `{"type":"%s","sessionId":"s","timestamp":"2026-01-02T03:04:05Z","cwd":"/r","message":{"content":%s}}` + "\n"
	text := fmt.Sprintf(line, "assistant", `[{"type":"tool_use","id":"b","name":"Bash","input":{"command":"npm test","run_in_background":true}}]`) +
		fmt.Sprintf(line, "user", `[{"type":"tool_result","tool_use_id":"b","content":"Command running in background with ID: bfb0f04. Output is being written to: /tmp/bfb0f04.output"}]`) +
		fmt.Sprintf(line, "user", `"<task-notification>\n<task-id>bfb0f04</task-id>\n</task-notification>"`)
	lines := fromClaudeCode([]byte(text))[0].lines
	last := lines[len(lines)-1]
	if last.Event != "UserPromptSubmit" || !strings.HasPrefix(last.Prompt, "<task-notification>") {
		t.Errorf("no notice: %+v", last)
	}
	answer, _ := lines[len(lines)-2].Response.(map[string]any)
	if answer["backgroundTaskId"] != "bfb0f04" || answer["stdout"] != "" {
		t.Errorf("%v", answer)
	}
}

// TestMarkdownShell: a command stands in a block of its own or on a line in backquotes, and what it printed tells whether it failed.
func TestMarkdownShell(t *testing.T) {
	const begin = "<!-- Generated by SpecStory -->\n\n# x (2025-07-06 11:27)\n\n_**User**_\n\nadd tests\n\n_**Agent**_\n\n<tool-use data-tool-type=\"shell\" data-tool-name=\"Bash\"><details>\n<summary>Tool use: **Bash**</summary>\n"
	for _, tt := range []struct{ call, want string }{
		{"List\n\n`ls docs`\n```\nExit code 1\nls: docs: No such file\n```\n</details></tool-use>\n", "PostToolUseFailure ls docs"},
		{"List\n\n`ls docs`\n```\na.md\n```\n</details></tool-use>\n", "PostToolUse ls docs"},
		{"List\n\n`ls docs`\n\n```text\nExit code 1\nls: docs: No such file\n```\n</details></tool-use>\n", "PostToolUseFailure ls docs"},
		{"```bash\nls docs\n```\n\n```\na.md\n```\n</details></tool-use>\n", "PostToolUse ls docs"},
	} {
		lines := fromMarkdown([]byte(begin + tt.call))[0].lines
		last := lines[len(lines)-1]
		if got := last.Event + " " + last.Input["command"].(string); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if strings.HasPrefix(last.Error, "text") {
			t.Errorf("the language of the block is part of the error: %q", last.Error)
		}
	}
}

// TestMarkdownList: the lists of four agents are read from what SpecStory prints of them.
func TestMarkdownList(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"TodoWrite", "**Agent task list:**\n- [X] 🌡️ Plan\n- [⚡] 🌡️ Add tests\n- [ ] Push\n", "Plan:completed Add tests:in_progress Push:pending"},
		{"todo_write", "Result:\n\n```json\n{\"finalTodos\": [{\"content\": \"Plan\", \"id\": \"a\", \"status\": \"pending\"}]}\n```\n", "Plan:pending"},
		{"manage_todo_list", "- todoList: `[map[description:x [y] id:1 status:completed title:Plan] map[description:z id:2 status:not-started title:Add `x` tests]]`", "Plan:completed Add `x` tests:not_started"},
		{"TaskUpdate", "Updated task #1 status", ""},
		{"Read", "- [ ] of a file", ""},
	} {
		list, ok := markdownList(tt.name, tt.body)
		var got []string
		for _, item := range list {
			m := item.(map[string]any)
			got = append(got, m["content"].(string)+":"+m["status"].(string))
		}
		if strings.Join(got, " ") != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestMarkdownBegan: the first versions wrote dates as the person's machine does.
func TestMarkdownBegan(t *testing.T) {
	for head, want := range map[string]string{
		"## Title (12/9/2024, 4:34:35 PM)\n":                               "2024-12-09T163435",
		"## 标题 (2025/1/10 14:27:19)\n":                                     "2025-01-10T142719",
		"# Title (2025-07-06 11:27)\n":                                     "2025-07-06T1127",
		"<!-- Claude Code Session a-1 (2025-08-06_17-22-23Z) -->\n":        "a-1",
		"<!-- Claude Code Session a-2 (2026-04-13 17:56:13Z) -->\n\n# x\n": "a-2",
	} {
		list := fromMarkdown([]byte(head + "\n_**User**_\n\nadd tests\n"))
		if len(list) != 1 || list[0].id != want || list[0].lines[0].At.Year() < 2024 {
			t.Errorf("%q: %+v", head, list)
		}
	}
}

// TestMarkdownLastCommand: words that end with a command and what it printed end with a call; a command alone is advice.
func TestMarkdownLastCommand(t *testing.T) {
	for _, tt := range []struct{ words, before, command, output string }{
		{"I try it.\n\n```bash\nnpm test\n```\n\n```\nnpm ERR! x\n\n```", "I try it.", "npm test", "npm ERR! x\n"},
		{"Run this:\n\n```bash\nnpm test\n```", "Run this:\n\n```bash\nnpm test\n```", "", ""},
		{"```bash\nnpm test\n```\n\n```\nok\n```\n\nAll pass.", "```bash\nnpm test\n```\n\n```\nok\n```\n\nAll pass.", "", ""},
	} {
		if before, command, output := markdownLastCommand(tt.words); before != tt.before || command != tt.command || output != tt.output {
			t.Errorf("%q: %q, %q, %q", tt.words, before, command, output)
		}
	}
}

func TestPlainTranscripts(t *testing.T) {
	for name, want := range map[string]bool{
		"claude-session.jsonl":                                        true,
		"docs/codex-session.jsonl":                                    true,
		"claude_session.jsonl":                                        true,
		".claude/projects/-home-me-shop/24d17403-e90e.jsonl":          true,
		"home/.codex/sessions/2026/05/01/rollout-2026-05-01.jsonl":    true,
		".claude/projects/-home-me-shop/24d1/subagents/agent-a.jsonl": false,
		".claude/history.jsonl":                                       false,
		"data/session.jsonl":                                          false,
		"claude-session.json":                                         false,
	} {
		if got := isPlain(name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}
