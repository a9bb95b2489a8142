package transcript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples are lines as the agents write them (HOOKS.md), composed here.
func samples() map[string][]string {
	return map[string][]string{
		"claude-code": {
			`{"type":"summary","summary":"x","leafUuid":"u"}`,
			`{"type":"user","uuid":"a","timestamp":"2026-05-01T10:00:00.000Z","isSidechain":false,"permissionMode":"default","message":{"role":"user","content":"fix it"}}`,
			`{"type":"assistant","uuid":"b","timestamp":"2026-05-01T10:00:01.000Z","message":{"id":"m","model":"claude","content":[{"type":"thinking","thinking":"I assumed it","signature":"x"}]}}`,
			`{"type":"assistant","uuid":"c","timestamp":"2026-05-01T10:00:02.000Z","message":{"id":"m","model":"claude","content":[{"type":"text","text":"Turns out"},{"type":"tool_use","id":"t","name":"WebFetch","input":{"url":"https://x"}}]}}`,
			`{"type":"user","uuid":"d","timestamp":"2026-05-01T10:00:03.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"says \"assistant\""}]}}`,
			`{"type":"assistant","timestamp":"2026-05-01T10:00:04.000Z","isSidechain":true,"agentId":"k1","message":{"model":"claude","content":[{"type":"text","text":"of a subagent"}]}}`,
			`{"type":"assistant","timestamp":"2026-05-01T10:00:05.000Z","message":{"model":"<synthetic>","content":[{"type":"text","text":"API error"}]}}`,
			`{"type":"attachment","attachment":{"type":"hook_additional_context","content":["\"assistant\" ☞"]}}`,
		},
		"codex": {
			`{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"x","cwd":"/r"}}`,
			`{"timestamp":"2026-05-01T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}}`,
			`{"timestamp":"2026-05-01T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}}`,
			`{"timestamp":"2026-05-01T10:00:01.000Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"I assumed it"}],"encrypted_content":"zzz"}}`,
			`{"timestamp":"2026-05-01T10:00:02.000Z","type":"event_msg","payload":{"type":"agent_message","message":"Turns out"}}`,
			`{"timestamp":"2026-05-01T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Turns out"}]}}`,
			`{"timestamp":"2026-05-01T10:00:02.000Z","type":"response_item","payload":{"type":"web_search_call","status":"completed"}}`,
			`{"timestamp":"2026-05-01T10:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}}`,
		},
		"gemini": {
			`{"sessionId":"s","kind":"main"}`,
			`{"id":"1","timestamp":"2026-05-01T10:00:00.000Z","type":"user","content":[{"text":"fix it"}]}`,
			`{"id":"2","timestamp":"2026-05-01T10:00:01.000Z","type":"gemini","content":"Turns out","thoughts":[{"subject":"S","description":"I assumed it"}],"toolCalls":[{"id":"c","name":"google_web_search"}]}`,
			`{"$rewindTo":"1"}`,
		},
		"copilot": {
			`{"type":"session.start","data":{"sessionId":"s","copilotVersion":"1.0.102"},"id":"e1","timestamp":"2026-05-01T10:00:00.000Z"}`,
			`{"type":"user.message","data":{"content":"fix it"},"id":"e2","timestamp":"2026-05-01T10:00:00.000Z"}`,
			`{"type":"assistant.message","data":{"messageId":"m","content":"Turns out","reasoningText":"I assumed it","toolRequests":[]},"id":"e3","timestamp":"2026-05-01T10:00:01.000Z"}`,
			`{"type":"assistant.message_delta","data":{"content":"Tur"},"id":"e4","timestamp":"2026-05-01T10:00:01.000Z","ephemeral":true}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{}},"id":"e5","timestamp":"2026-05-01T10:00:01.000Z"}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"web_fetch","arguments":{}},"id":"e6","timestamp":"2026-05-01T10:00:02.000Z"}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"github-get_issue","mcpServerName":"github"},"id":"e7","timestamp":"2026-05-01T10:00:03.000Z"}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"manicule-recall","mcpServerName":"manicule"},"id":"e8","timestamp":"2026-05-01T10:00:03.000Z"}`,
			`{"type":"assistant.message","data":{"content":"of a subagent","parentToolCallId":"c9"},"id":"e9","timestamp":"2026-05-01T10:00:04.000Z"}`,
		},
		"cursor": {
			`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>fix it</user_query>"}]}}`,
			`{"role":"assistant","message":{"content":[{"type":"text","text":"Turns out"},{"type":"tool_use","name":"WebSearch","input":{}}]}}`,
			`{"role":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}`,
		},
		"windsurf": {
			`{"type":"user_input","user_input":{"user_response":"fix it"},"status":"done"}`,
			`{"type":"planner_response","planner_response":{"response":"Turns out"},"status":"done"}`,
			`{"type":"code_action","code_action":{},"status":"done"}`,
			`{"type":"read_url_content","status":"done"}`,
		},
	}
}

// odd are forms of lines that were met in real transcripts and whose meaning is
// easily mistaken, with what they tell.
func odd() []struct {
	agent, name, want string
	lines             []string
} {
	return []struct {
		agent, name, want string
		lines             []string
	}{
		{"claude-code", "what is written in the person's name", "asked 1|asked 2", []string{
			`{"type":"user","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"<command-name>/clear</command-name>"}}`,
			`{"type":"user","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"<local-command-stdout></local-command-stdout>"}}`,
			`{"type":"user","timestamp":"2026-05-01T10:00:01Z","isCompactSummary":true,"message":{"role":"user","content":"This session is continued from another"}}`,
			`{"type":"user","timestamp":"2026-05-01T10:00:02Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}`,
			`{"type":"user","timestamp":"2026-05-01T10:00:03Z","message":{"role":"user","content":"<task-notification>done</task-notification>"}}`,
			`{"type":"user","timestamp":"2026-05-01T10:00:04Z","message":{"role":"user","content":"fix it"}}`,
			`{"type":"user","timestamp":"2026-05-01T10:00:05Z","message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>a.go</ide_opened_file>"},{"type":"text","text":"and this"}]}}`,
		}},
		{"gemini", "a record that grows", "asked 1|thought 1 I assumed it|said 1 Turns out|fetched 1 web_fetch|said 1 more", []string{
			`{"id":"u","timestamp":"2026-05-01T10:00:00Z","type":"user","content":[{"text":"fix it"}]}`,
			`{"id":"g","timestamp":"2026-05-01T10:00:01Z","type":"gemini","content":"","thoughts":[{"subject":"S","description":"I assumed it"}]}`,
			`{"id":"g","timestamp":"2026-05-01T10:00:01Z","type":"gemini","content":"Turns out","thoughts":[{"subject":"S","description":"I assumed it"}]}`,
			`{"id":"g","timestamp":"2026-05-01T10:00:01Z","type":"gemini","content":"Turns out","thoughts":[{"subject":"S","description":"I assumed it"}],"toolCalls":[{"id":"c","name":"web_fetch"}]}`,
			`{"id":"r","timestamp":"2026-05-01T10:00:02Z","type":"user","content":[{"functionResponse":{"id":"c","name":"web_fetch","response":{"output":"x"}}}]}`,
			`{"$set":{"messages":[{"id":"g","timestamp":"2026-05-01T10:00:01Z","type":"gemini","content":"Turns out"},{"id":"h","timestamp":"2026-05-01T10:00:03Z","type":"gemini","content":"more"}]}}`,
		}},
		{"gemini", "thoughts in other forms", "thought 0 plainly|thought 0 in a part|said 0 done", []string{
			`{"id":"g","timestamp":"2026-05-01T10:00:01Z","type":"gemini","content":"","thoughts":"plainly"}`,
			`{"id":"h","timestamp":"2026-05-01T10:00:02Z","type":"gemini","content":[{"text":"in a part","thought":true},{"text":"done"}],"thoughts":null}`,
		}},
		{"codex", "reasoning in other forms", "thought 0 why|thought 0 a list|said 0 ok", []string{
			`{"timestamp":"2026-05-01T10:00:00Z","type":"response_item","payload":{"type":"reasoning","summary":"why","content":null,"encrypted_content":"x"}}`,
			`{"timestamp":"2026-05-01T10:00:01Z","type":"response_item","payload":{"type":"reasoning","summary":["a list"]}}`,
			`{"timestamp":"2026-05-01T10:00:02Z","type":"event_msg","payload":{"type":"agent_message","message":"ok"}}`,
			`{"timestamp":"2026-05-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}`,
			`{"timestamp":"2026-05-01T10:00:03Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}`,
		}},
	}
}

// TestOdd: lines whose meaning is easily mistaken.
func TestOdd(t *testing.T) {
	for _, tc := range odd() {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		write(t, path, strings.Join(tc.lines, "\n")+"\n")
		got, _, _, _ := read(t, tc.agent, path, Mark{}, 1<<20)
		if s := strings.Join(got, "|"); s != tc.want {
			t.Errorf("%s, %s:\ngot  %s\nwant %s", tc.agent, tc.name, s, tc.want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, agent, path string, from Mark, limit int64) (out []string, to Mark, restarted, more bool) {
	t.Helper()
	to, restarted, more, err := Read(t.Context(), agent, path, from, limit, func(e Entry) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d %s%s", e.Kind, e.Turn, e.Text, strings.TrimSuffix(" @"+e.Agent, " @"))))
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, to, restarted, more
}

func TestFormats(t *testing.T) {
	for agent, want := range map[string]string{
		"claude-code": "asked 1|thought 1 I assumed it|said 1 Turns out|fetched 1 WebFetch|said 1 of a subagent @k1",
		"codex":       "asked 1|thought 1 I assumed it|said 1 Turns out|fetched 1 web_search",
		"gemini":      "asked 1|thought 1 I assumed it|said 1 Turns out|fetched 1 google_web_search",
		"copilot":     "asked 1|thought 1 I assumed it|said 1 Turns out|fetched 1 web_fetch|fetched 1 github-get_issue|said 1 of a subagent @c9",
		"cursor":      "asked 1|said 1 Turns out|fetched 1 WebSearch",
		"windsurf":    "asked 1|said 1 Turns out|fetched 1 read_url_content",
	} {
		t.Run(agent, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.jsonl")
			lines := samples()[agent]
			write(t, path, strings.Join(lines, "\n")+"\n")
			got, _, _, _ := read(t, agent, path, Mark{}, 1<<20)
			if s := strings.Join(got, "|"); s != want {
				t.Errorf("got  %s\nwant %s", s, want)
			}
			// In any two parts it says the same, wherever the writer was.
			text := strings.Join(lines, "\n") + "\n"
			for cut := 1; cut < len(text); cut += 37 {
				write(t, path, text[:cut])
				first, mark, _, _ := read(t, agent, path, Mark{}, 1<<20)
				write(t, path, text)
				second, _, restarted, _ := read(t, agent, path, mark, 1<<20)
				if s := strings.Join(append(first, second...), "|"); s != want || restarted {
					t.Fatalf("cut at %d: %s", cut, s)
				}
			}
		})
	}
}

// TestStrangeFiles: none of them is an error beyond "it is not there", or makes
// an entry up.
func TestStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.jsonl")
	if _, _, _, err := Read(t.Context(), "claude-code", path, Mark{}, 1<<20, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, _, _, err := Read(t.Context(), "claude-code", dir, Mark{}, 1<<20, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder: %v", err)
	}
	if _, _, _, err := Read(t.Context(), "someone", path, Mark{}, 1<<20, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown agent: %v", err)
	}
	said := func(text string) string {
		return fmt.Sprintf(`{"type":"assistant","timestamp":"2026-05-01T10:00:01Z","message":{"content":[{"type":"text","text":%q}]}}`+"\n", text)
	}
	huge := said(strings.Repeat("x", maxLine))
	write(t, path, "\x00\x01{\n{\"type\":\"assistant\",\"message\":7}\n[1]\n"+huge+said("one")+said("half")[:40])
	got, mark, _, more := read(t, "claude-code", path, Mark{}, 1<<30)
	if fmt.Sprint(got) != "[said 0 one]" || more {
		t.Errorf("%q", got)
	}
	// Rewritten, longer: from the beginning.
	write(t, path, said("other")+huge+said("two")+said("three"))
	if got, _, restarted, _ := read(t, "claude-code", path, mark, 1<<30); !restarted || fmt.Sprint(got) != "[said 0 other said 0 two said 0 three]" {
		t.Errorf("rewritten: %t %q", restarted, got)
	}
	// Truncated.
	write(t, path, said("short"))
	if got, _, restarted, _ := read(t, "claude-code", path, mark, 1<<30); !restarted || fmt.Sprint(got) != "[said 0 short]" {
		t.Errorf("truncated: %t %q", restarted, got)
	}
	// Bounded: the rest comes next time.
	write(t, path, said("1")+said("2")+said("3"))
	first, mark, _, more := read(t, "claude-code", path, Mark{}, 10)
	rest, _, _, _ := read(t, "claude-code", path, mark, 1<<20)
	if !more || fmt.Sprint(first, rest) != "[said 0 1] [said 0 2 said 0 3]" {
		t.Errorf("bounded: %t %q %q", more, first, rest)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, more, err := Read(ctx, "claude-code", path, Mark{}, 1<<20, func(Entry) { t.Error("read on") }); !more || err != nil {
		t.Errorf("no time: %t %v", more, err)
	}
}

func FuzzLines(f *testing.F) {
	for agent, lines := range samples() {
		for _, l := range lines {
			f.Add(agent, l)
		}
	}
	for _, tc := range odd() {
		for _, l := range tc.lines {
			f.Add(tc.agent, l)
		}
	}
	f.Fuzz(func(t *testing.T, agent, line string) {
		if p := formats()[agent]; p != nil {
			p().line([]byte(line), func(e Entry) {
				if e.Kind != Asked && e.Text == "" {
					t.Error("an entry that says nothing")
				}
			})
		}
	})
}
