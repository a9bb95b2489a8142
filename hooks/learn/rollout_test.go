package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// TestRollout: Codex tells its hooks no exit code; its own record of the session does,
// and what failed there is learned as failed.
func TestRollout(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	lines := []string{
		`{"timestamp":"2026-06-26T12:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Run the tests"}]}}`,
		`{"timestamp":"2026-06-26T12:00:01Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: a\nProcess exited with code 1\nOutput:\nError: unrecognized subcommand 'bun'\n"}}`,
		`{"timestamp":"2026-06-26T12:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"Chunk ID: b\nProcess exited with code 0\nOutput:\nall good\nerror: 0 of them\n"}}`,
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	no := false
	for i, r := range []eventlog.Record{
		{Kind: "session_start", Transcript: path},
		{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", ID: "c1", Command: "rtk bun run test"}}},
		{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", ID: "c2", Command: "bun run test", OK: &no, Error: "error: 0 of them"}}},
	} {
		r.Session, r.Agent, r.CWD, r.Time = "cx", "codex", p.w.Root(), p.now.UnixMilli()+int64(i)
		if err := eventlog.Append(p.w.Place().StateDir(), r); err != nil {
			t.Fatal(err)
		}
	}
	out := must(Session(t.Context(), p.options(), "cx"))(t)
	if f := out.Report.Failures; len(f) != 1 || f[0].Key != "rtk bun run test" || f[0].Fix != "bun run test" {
		t.Errorf("%+v", f)
	}
}

// TestOpenSession: what Codex writes in a session that goes on counts as from outside unless its own
// record shows that nothing came in.
func TestOpenSession(t *testing.T) {
	const asked = `{"timestamp":"2026-06-26T12:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Run the tests"}]}}` + "\n"
	const searched = `{"timestamp":"2026-06-26T12:00:01Z","type":"response_item","payload":{"type":"web_search_call","status":"completed","action":{"type":"search","query":"x"}}}` + "\n"
	for name, tc := range map[string]struct {
		record string // "" for none
		want   bool
	}{
		"nothing came in":       {asked, false},
		"it searched the web":   {asked + searched, true},
		"there is no record":    {"", true},
		"of an unknown format":  {"{}\n", true},
		"the last line is half": {asked + `{"timestamp":"2026-06-26T12:00:02Z","type":"resp`, false},
	} {
		path := filepath.Join(t.TempDir(), "rollout.jsonl")
		if tc.record != "" {
			if err := os.WriteFile(path, []byte(tc.record), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		records := []eventlog.Record{{Agent: "codex", Kind: string(event.Prompt), Session: "cx", CWD: "/w", Time: 1, Transcript: path, Prompt: "Run the tests"}}
		if got := Tainted(t.Context(), "/w", records); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
