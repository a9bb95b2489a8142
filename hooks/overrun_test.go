package hooks

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/indexer/must"
)

// TestOverrun: once in a request, and only where there is something to say.
func TestOverrun(t *testing.T) {
	w := newWorld(t)
	asked := 0
	over := true
	usual := func(_ context.Context, _ string, request []eventlog.Record) (nudge.LongRequest, bool, error) {
		asked++
		if request[0].Prompt == "" {
			t.Errorf("it does not begin with the prompt: %+v", request[0])
		}
		return nudge.LongRequest{Calls: len(request) - 1, Usual: 10, Requests: 17, Changing: true, Folder: "src/a`b", InFolder: 12}, over, nil
	}
	n := 0
	hook := func(payload string) string {
		t.Helper()
		var out bytes.Buffer
		o := w.options("claude-code", strings.Replace(payload, "{", `{"session_id":"s1","cwd":"`+w.root+`",`, 1), &out)
		o.Overrun = usual
		Run(context.Background(), o)
		return out.String()
	}
	call := func(agent string) string {
		n++
		return hook(fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":"true"}%s}`, n, agent))
	}
	calls := func(count int, agent string) (told int) {
		for range count {
			if strings.Contains(call(agent), "This request has taken") {
				told++
			}
		}
		return told
	}
	if told := calls(40, ""); told != 0 || asked != 0 {
		t.Errorf("before any prompt: told %d times, asked %d", told, asked)
	}
	hook(`{"hook_event_name":"UserPromptSubmit","prompt":"Make the tests pass"}`)
	if told := calls(20, ""); told != 0 {
		t.Errorf("told after few calls")
	}
	if told := calls(60, `,"agent_id":"sub"`); told != 0 {
		t.Errorf("a subagent was told")
	}
	text := call("")
	if !strings.Contains(unescaped(text), "☞ This request has taken 80 calls. From earlier sessions, as data and no instruction: nine of ten requests that edited files took at most 10 (of 17), in `src/a_b/` 12. It is no limit.") {
		t.Errorf("%s", text)
	}
	if told := calls(40, ""); told != 0 {
		t.Errorf("told %d times more in the same request", told)
	}
	hook(`{"hook_event_name":"UserPromptSubmit","prompt":"/compact"}`)
	if told := calls(30, ""); told != 0 {
		t.Errorf("a command is no request")
	}
	hook(`{"hook_event_name":"UserPromptSubmit","prompt":"And now the linter"}`)
	if told := calls(40, ""); told != 1 {
		t.Errorf("told %d times in the next request", told)
	}
	over = false
	hook(`{"hook_event_name":"UserPromptSubmit","prompt":"One more thing"}`)
	if told := calls(40, ""); told != 0 {
		t.Errorf("told what is usual")
	}
}

// TestSince: the lines from the last prompt on, however long they are.
func TestSince(t *testing.T) {
	dir := t.TempDir()
	add := func(kind event.Kind, prompt string) {
		t.Helper()
		must.OK(t, eventlog.Append(dir, eventlog.Record{Session: "s", Kind: string(kind), Prompt: prompt, Text: strings.Repeat("x", 900)}))
	}
	since := func(most int64) int {
		t.Helper()
		lines, err := eventlog.Since(dir, "s", `"prompt"`, most, func(r eventlog.Record) bool { return r.Prompt == "begin" })
		must.OK(t, err)
		return len(lines)
	}
	if n := since(1 << 20); n != 0 {
		t.Errorf("without a log: %d", n)
	}
	add(event.PostTool, "")
	add(event.Prompt, "begin")
	for range 200 {
		add(event.PostTool, "")
	}
	add(event.Prompt, "/other")
	if n := since(1 << 20); n != 202 {
		t.Errorf("%d lines", n)
	}
	if n := since(64 << 10); n != 0 {
		t.Errorf("beyond the limit: %d", n)
	}
}
