package hooks

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"manicule/indexer/must"
	"manicule/memory/ledger"
)

// TestShown: an answer says which memories it quotes, those that it only counts
// left out, in one call; an empty answer says nothing.
func TestShown(t *testing.T) {
	w := newWorld(t)
	var got []ledger.Showing
	fail := error(nil)
	say := func(e map[string]any) string {
		t.Helper()
		in, err := json.Marshal(e)
		must.OK(t, err)
		var out bytes.Buffer
		o := w.options("claude-code", string(in), &out)
		o.Shown = func(_ context.Context, dir string, s ledger.Showing) error {
			if dir != w.root {
				t.Errorf("for %s", dir)
			}
			got = append(got, s)
			return fail
		}
		Run(context.Background(), o)
		return out.String()
	}
	read := map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "agent_id": "sub", "cwd": w.root, "tool_name": "Read", "tool_input": map[string]any{"file_path": w.root + "/src/auth/token.go"}}
	answer := say(read)
	if len(got) != 1 {
		t.Fatalf("%d showings for %s", len(got), answer)
	}
	s := got[0]
	if s.Surface != ledger.Hook || s.Agent != "claude-code" || s.Session != "s1" || s.AgentID != "sub" || s.Tool != "Read" || s.Tokens < 10 || len(s.Memories) == 0 {
		t.Errorf("%+v", s)
	}
	sum := 0
	for _, m := range s.Memories {
		sum += m.Tokens
		quoted := false
		for _, x := range w.roots[w.root] {
			quoted = quoted || x.UUID == m.UUID && strings.Contains(answer, x.What[:10])
		}
		if !quoted {
			t.Errorf("%s is not in the answer %s", m.UUID, answer)
		}
	}
	if sum > s.Tokens {
		t.Errorf("%d tokens of memories in an answer of %d", sum, s.Tokens)
	}
	say(read)
	if len(got) != 1 {
		t.Errorf("nothing was told again, and written down: %+v", got[1:])
	}
	say(map[string]any{"hook_event_name": "SessionStart", "session_id": "s2", "source": "startup", "cwd": w.root})
	if len(got) != 2 || len(got[1].Memories) == 0 || got[1].Path != "" {
		t.Errorf("the brief: %+v", got)
	}
	fail = errors.New("the disk is full")
	read["session_id"] = "s3"
	if say(read) == "" {
		t.Error("a ledger that can't be written to takes the answer away")
	}
	log, err := Recent(w.state, 10)
	if err != nil || len(log) != 1 || !strings.Contains(log[0].Message, "the disk is full") {
		t.Errorf("%+v, %v", log, err)
	}
}
