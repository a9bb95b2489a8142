package observe

import (
	"testing"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/logrecord"
	"manicule/hooks/observe/unfinished"
	"manicule/memory/episode"
)

// background folds a session of raw payloads, which begins with a request and a change of a file. Each payload lacks what all have.
func background(t *testing.T, id string, payloads ...string) *Fold {
	t.Helper()
	f := New("/repo")
	all := append([]string{
		`"hook_event_name":"UserPromptSubmit","prompt":"Fix the sum of the cart"`,
		`"hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"e","tool_input":{"file_path":"/repo/cart.go","old_string":"a","new_string":"b"},"tool_response":{"filePath":"/repo/cart.go"}`,
	}, payloads...)
	for i, p := range all {
		v, err := event.ScanString(`{"session_id":"s","cwd":"/repo","turn_id":"t","model":"m","transcript_path":"/h/.claude/projects/x/s.jsonl",` + p + `}`)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := agent.All().Lookup(id)
		f.Add(logrecord.Of(a.Wire.Parse(v), time.UnixMilli(int64(1_000_000+i*1000))))
	}
	return f
}

const (
	begun     = `"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"b","tool_input":{"command":"npm test","run_in_background":true},"tool_response":{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"bfb0f04"}`
	stillRuns = `"hook_event_name":"PostToolUse","tool_name":"TaskOutput","tool_use_id":"o1","tool_input":{"task_id":"bfb0f04","block":true,"timeout":300000},"tool_response":"<retrieval_status>timeout</retrieval_status>\n\n<task_id>bfb0f04</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>running</status>"`
	failed    = `"hook_event_name":"PostToolUse","tool_name":"TaskOutput","tool_use_id":"o2","tool_input":{"task_id":"bfb0f04"},"tool_response":{"retrieval_status":"success","task":{"task_id":"bfb0f04","task_type":"local_bash","status":"completed","output":"Error: expected 3, got 4\n","exitCode":1}}`
	passed    = `"hook_event_name":"PostToolUse","tool_name":"BashOutput","tool_use_id":"o3","tool_input":{"bash_id":"bfb0f04"},"tool_response":"<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\n4 passed\n</stdout>"`
	stopped   = `"hook_event_name":"PostToolUse","tool_name":"TaskStop","tool_use_id":"o4","tool_input":{"task_id":"bfb0f04"},"tool_response":{"message":"Successfully stopped task: bfb0f04 (npm test)","task_id":"bfb0f04","task_type":"local_bash","command":"npm test"}`
	rested    = `"hook_event_name":"Stop","last_assistant_message":"The sum is right now."`
)

func noticeOf(call, status, summary string) string {
	return `"hook_event_name":"UserPromptSubmit","prompt":"<task-notification>\n<task-id>bfb0f04</task-id>\n<tool-use-id>` + call + `</tool-use-id>\n<output-file>/tmp/bfb0f04.output</output-file>\n<status>` + status +
		`</status>\n<summary>Background command \"Run the tests\" ` + summary + `</summary>\n</task-notification>"`
}

// TestBackground: a check that goes on in the background has the result that is told of it later, and none before.
func TestBackground(t *testing.T) {
	running := `"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"npm test"},"tool_response":"Chunk ID: 3aa1c0\nWall time: 10.0012 seconds\nProcess running with session ID 51833\nOriginal token count: 0\nOutput:\n"`
	exited := `"hook_event_name":"PostToolUse","tool_name":"write_stdin","tool_use_id":"w","tool_input":{"session_id":51833,"chars":""},"tool_response":"Chunk ID: 77d0e2\nWall time: 4.0 seconds\nProcess exited with code 1\nOriginal token count: 12\nOutput:\nError: expected 3, got 4\n"`
	for name, c := range map[string]struct {
		agent    string
		payloads []string
		outcome  episode.Outcome
		evidence string
		fails    int
	}{
		"nothing told":            {"claude-code", []string{begun, rested}, episode.Success, "nothing speaks against it, nothing checked it", 0},
		"asked after too early":   {"claude-code", []string{begun, stillRuns, rested}, episode.Success, "nothing speaks against it, nothing checked it", 0},
		"stopped":                 {"claude-code", []string{begun, stopped, rested}, episode.Success, "nothing speaks against it, nothing checked it", 0},
		"killed, with a notice":   {"claude-code", []string{begun, noticeOf("b", "killed", "was stopped"), rested}, episode.Success, "nothing speaks against it, nothing checked it", 0},
		"failed":                  {"claude-code", []string{begun, stillRuns, failed, rested}, episode.Partial, "fails at the end: npm test", 1},
		"passed":                  {"claude-code", []string{begun, stillRuns, passed, rested}, episode.Success, "checks pass: npm test", 0},
		"a notice that it passed": {"claude-code", []string{begun, rested, noticeOf("b", "completed", "completed (exit code 0)"), rested}, episode.Success, "checks pass: npm test", 0},
		"a notice that it failed": {"claude-code", []string{begun, rested, noticeOf("b", "failed", "failed with exit code 1"), rested}, episode.Partial, "fails at the end: npm test", 1},
		"the first result counts": {"claude-code", []string{begun, failed, noticeOf("b", "completed", "completed (exit code 0)"), rested}, episode.Partial, "fails at the end: npm test", 1},
		"a notice of something else": {"claude-code", []string{begun, `"hook_event_name":"UserPromptSubmit","prompt":"<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Agent \"Look\" completed</summary>\n</task-notification>"`, rested},
			episode.Success, "nothing speaks against it, nothing checked it", 0},
		"codex, no end":   {"codex", []string{running, rested}, episode.Success, "nothing speaks against it, nothing checked it", 0},
		"codex, its end":  {"codex", []string{running, exited, rested}, episode.Partial, "fails at the end: npm test", 1},
		"codex, its id":   {"codex", []string{running, `"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"npm test"},"tool_response":"Process exited with code 0\nOutput:\nok\n"`, rested}, episode.Success, "checks pass: npm test", 0},
		"an open request": {"claude-code", []string{begun, noticeOf("b", "completed", "completed (exit code 0)")}, episode.Success, "checks pass: npm test", 0},
	} {
		f := background(t, c.agent, c.payloads...)
		if c.agent == "codex" {
			f = background(t, c.agent, append([]string{`"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_use_id":"p","tool_input":{"command":"*** Begin Patch\n*** Update File: cart.go\n@@\n-a\n+b\n*** End Patch"},"tool_response":"Success"`}, c.payloads...)...)
		}
		e := f.Episode()
		if e.Outcome != c.outcome || len(e.Evidence) == 0 || e.Evidence[0] != c.evidence {
			t.Errorf("%s: %s, %q", name, e.Outcome, e.Evidence)
		}
		if got := len(unfinished.Of(&f.Session).Fails); got != c.fails {
			t.Errorf("%s: %d checks are left failing, want %d", name, got, c.fails)
		}
		if n := len(f.Turns); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
		for _, call := range f.Calls() {
			if call.Command == "npm test" && call.Done && !call.OK && name == "failed" && call.Line != "expected 3, got 4" {
				t.Errorf("%s: its error is %q", name, call.Line)
			}
		}
	}
}
