package hooks

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/memory"
	"manicule/memory/file"
)

// TestReflected: drafts of the session are told to its own agent after the first
// steps, marked, once, and within the limit that all quotes share.
func TestReflected(t *testing.T) {
	w := newWorld(t)
	var drafts []*file.Memory
	for i := range 6 {
		m := &file.Memory{UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-00000000000%d", i), Type: file.Gotcha, What: fmt.Sprintf("Draft number %d “x”", i), Scope: file.Scope{"src/**"}}
		m.Trust.Tainted = i == 0
		drafts = append(drafts, m)
	}
	step := 0
	say := func(name, session, agentID string) string {
		step++
		var out bytes.Buffer
		in := fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q,"agent_id":%q,"cwd":%q,"tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":"ls"},"tool_calls":[{"tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":"ls"}}]}`,
			name, session, agentID, w.root, step, step)
		o := w.options("claude-code", in, &out)
		o.Drafts = func(_ context.Context, _, s string) ([]*file.Memory, error) {
			if s != "s1" {
				return nil, nil
			}
			return append([]*file.Memory(nil), drafts...), nil
		}
		o.Failures = func(context.Context, string, event.Call) ([]Warning, error) { return nil, nil }
		o.Search = func(context.Context, string, Query) ([]memory.Hit, error) { return nil, nil }
		Run(context.Background(), o)
		return unescaped(out.String())
	}
	for i := range warmupEvents {
		if got := say("PostToolBatch", "s1", ""); strings.Contains(got, "Draft number") {
			t.Fatalf("at step %d: %s", i+1, got)
		}
	}
	for _, tc := range []struct{ name, session, agentID, want, not string }{
		{"PreToolUse", "s1", "", "", "Draft number"},
		{"PostToolBatch", "s1", "sub", "", "Draft number"},
		{"PostToolBatch", "s2", "", "", "Draft number"},
		{"PostToolBatch", "s1", "", "- draft gotcha for `src/**`: “Draft number 1 \"x\"”", "Draft number 0"},
		{"PostToolBatch", "s1", "", "Draft number 5", "Draft number 1"},
		{"PostToolBatch", "s1", "", "", "Draft number"},
	} {
		got := say(tc.name, tc.session, tc.agentID)
		if !strings.Contains(got, tc.want) || strings.Contains(got, tc.not) || strings.Count(got, "- draft") > 4 {
			t.Errorf("%s %s %s: %s", tc.name, tc.session, tc.agentID, got)
		}
		if tc.want != "" && !strings.Contains(got, "nobody has reviewed and no memories of the team") {
			t.Errorf("not marked: %s", got)
		}
	}
}
