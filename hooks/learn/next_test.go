package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
	"manicule/memory/store"
)

// TestToldBeforeItRunsAgain: a check fails in one session, and works with a variable
// set; the next session is told when it starts, whatever the agent is: each in the
// payloads that it really sends.
func TestToldBeforeItRunsAgain(t *testing.T) {
	const failed = "Error: REDIS_URL is not set"
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"` }
	for id, payloads := range map[string][2]string{
		"claude-code": {
			`{"hook_event_name":"PostToolUseFailure","session_id":"one","cwd":"ROOT","tool_name":"Bash","tool_use_id":"a","tool_input":{"command":"npm test"},"error":` + quoted("Exit code 1\n"+failed) + `}`,
			`{"hook_event_name":"PostToolUse","session_id":"one","cwd":"ROOT","tool_name":"Bash","tool_use_id":"b","tool_input":{"command":"REDIS_URL=redis://localhost npm test"},"tool_response":{"stdout":"ok"}}`,
		},
		"codex": {
			`{"hook_event_name":"PostToolUse","session_id":"one","cwd":"ROOT","turn_id":"t","model":"m","tool_name":"Bash","tool_use_id":"a","tool_input":{"command":"npm test"},"tool_response":` + quoted("> test\n\n"+failed) + `}`,
			`{"hook_event_name":"PostToolUse","session_id":"one","cwd":"ROOT","turn_id":"t","model":"m","tool_name":"Bash","tool_use_id":"b","tool_input":{"command":"REDIS_URL=redis://localhost npm test"},"tool_response":"3 passed"}`,
		},
		"opencode": {
			`{"client":"opencode","hook_event_name":"tool.execute.after","session_id":"one","cwd":"ROOT","tool_name":"bash","tool_use_id":"a","tool_input":{"command":"npm test"},"exit":1,"error":` + quoted(failed) + `}`,
			`{"client":"opencode","hook_event_name":"tool.execute.after","session_id":"one","cwd":"ROOT","tool_name":"bash","tool_use_id":"b","tool_input":{"command":"REDIS_URL=redis://localhost npm test"},"exit":0}`,
		},
	} {
		t.Run(id, func(t *testing.T) {
			p := newPlace(t)
			a, _ := agent.Lookup(id)
			// Codex' hooks don't see the web: its rollout says that nothing came in.
			rollout := filepath.Join(t.TempDir(), "rollout.jsonl")
			if err := os.WriteFile(rollout, []byte(`{"timestamp":"2026-06-26T12:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Run the tests"}]}}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			started := `{"hook_event_name":"SessionStart","session_id":"one","cwd":"ROOT","turn_id":"t","model":"m","source":"startup","transcript_path":` + quoted(rollout) + `}`
			list := payloads[:]
			if id == "codex" {
				list = append([]string{started}, list...)
			}
			for _, in := range list {
				v, err := event.ScanString(strings.ReplaceAll(in, "ROOT", p.w.Root()))
				if err != nil {
					t.Fatal(err)
				}
				if err := eventlog.Append(p.w.Place().StateDir(), logrecord.Of(a.Wire.Parse(v), p.now)); err != nil {
					t.Fatal(err)
				}
			}
			p.now = p.now.Add(Idle + time.Minute)
			must(Pending(t.Context(), p.options(), 0))(t)
			o := must(store.OpenObserverReader(t.Context(), p.w.Place().StateDir(), ""))(t)
			defer func() {
				if err := o.Close(); err != nil {
					t.Error(err)
				}
			}()
			start := must(StartOffers(t.Context(), o, p.now))(t)
			if len(start) != 1 || !strings.Contains(start[0].Text, "`npm test` failed in an earlier session with “REDIS_URL is not set”; with the variable `REDIS_URL` set it worked.") ||
				strings.Contains(start[0].Text, "redis://") {
				t.Errorf("%+v", start)
			}
		})
	}
}
