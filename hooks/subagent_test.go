package hooks

import (
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// TestSubagentsPrompt plays what VS Code sends where a model asks a subagent for something: a prompt of the session like a
// person's. The model's "/remember" makes nothing, also as the copy of a second hook, and the person's next one does.
func TestSubagentsPrompt(t *testing.T) {
	w := newWorld(t)
	prompt := func(text string) string {
		return w.as("vscode", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text})
	}
	start := func(id string) {
		w.as("vscode", map[string]any{
			"hook_event_name": "SubagentStart", "agent_id": id, "agent_type": "default",
			"transcript_path": "/home/a/.config/Code/User/workspaceStorage/1/GitHub.copilot-chat/transcripts/s1.jsonl",
		})
	}
	stored := func() (out []string) {
		for _, d := range w.drafts {
			out = append(out, d.What)
		}
		return out
	}
	prompt("look at the tokens")
	start("a")
	start("b") // beside it
	for _, text := range []string{"/remember of a model, with password=hT7xq2Zk9w", "/remember of a model, with password=hT7xq2Zk9w", "/remember of another"} {
		if got := prompt(text); got != "" || len(w.drafts) != 0 {
			t.Fatalf("%q is answered %q, and %q are stored", text, got, stored())
		}
	}
	prompt("/remember of a person")
	if got := stored(); !slices.Equal(got, []string{"of a person"}) {
		t.Errorf("stored: %q", got)
	}
	start("c")
	prompt("/forget g1")
	records, bad, err := eventlog.Read(w.state, "s1")
	if err != nil || bad != 0 {
		t.Fatal(bad, err)
	}
	var from []string // the copy is not logged
	for _, r := range records {
		if r.Prompt != "" {
			from = append(from, r.From)
		}
	}
	if want := []string{"", "agent", "agent", "", "agent"}; !slices.Equal(from, want) {
		t.Errorf("the authors of the prompts are %q, want %q", from, want)
	}
}

// TestSubagentsBrief: a subagent of VS Code's agent is told the memories of the project once, as it has not heard what the conversation
// that asks it was told.
func TestSubagentsBrief(t *testing.T) {
	w := newWorld(t)
	start := func(id string) string {
		return w.as("vscode", map[string]any{
			"hook_event_name": "SubagentStart", "agent_id": id, "agent_type": "default",
			"transcript_path": "/home/a/.config/Code/User/workspaceStorage/1/GitHub.copilot-chat/transcripts/s1.jsonl",
		})
	}
	w.as("vscode", map[string]any{"hook_event_name": "SessionStart", "source": "new"})
	for _, id := range []string{"a", "b"} {
		if got := start(id); !strings.Contains(got, "“Errors are wrapped”") {
			t.Errorf("the start of %s is answered %q", id, got)
		}
		if got := start(id); got != "" { // by a second hook
			t.Errorf("the copy of the start of %s is answered %q", id, got)
		}
	}
}

// TestLateSubagentsPrompt: on a machine that stood still the prompt of a subagent comes long after its start. It is known by the
// call that started it, and a person's prompt by being another one.
func TestLateSubagentsPrompt(t *testing.T) {
	w := newWorld(t)
	prompt := func(text string) string {
		return w.as("vscode", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text})
	}
	w.as("vscode", map[string]any{
		"hook_event_name": "PreToolUse", "tool_name": "runSubagent", "tool_use_id": "toolu_1__vscode-1796016079779",
		"tool_input": map[string]string{"prompt": "/remember of a model", "description": "Look"},
	})
	start := eventlog.Record{
		Time: time.Now().Add(-time.Hour).UnixMilli(), Agent: "vscode", Kind: string(event.SubagentStart), Name: "SubagentStart", Session: "s1",
		AgentID: "toolu_1",
	}
	if err := eventlog.Append(w.state, start); err != nil {
		t.Fatal(err)
	}
	for range 100 { // of another subagent, which runs beside it
		other := eventlog.Record{Agent: "vscode", Kind: string(event.PostTool), Session: "s1", Time: start.Time, AgentID: "toolu_2"}
		other.Calls = []eventlog.Call{{Tool: "read_file", ID: "toolu_3", Class: string(event.Read), Paths: []string{strings.Repeat("a/long/path/", 20)}}}
		if err := eventlog.Append(w.state, other); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second is the copy by another hook
		if got := prompt("/remember of a model"); got != "" || len(w.drafts) != 0 {
			t.Fatalf("the model's prompt is answered %q, and %d are stored", got, len(w.drafts))
		}
	}
	if prompt("/remember of a person"); len(w.drafts) != 1 {
		t.Errorf("%d are stored after the person's prompt", len(w.drafts))
	}
}

// TestCopiesAreLoggedOnce runs two hooks for one event, as an agent does that reads the hooks of another too.
func TestCopiesAreLoggedOnce(t *testing.T) {
	w := newWorld(t)
	read, again := tool("Read", "file_path", "src/auth/x.ts"), tool("Read", "file_path", "src/auth/x.ts")
	for _, e := range []map[string]any{
		{"hook_event_name": "SessionStart", "source": "startup"}, {"hook_event_name": "UserPromptSubmit", "prompt": "mend it"}, read, again,
		{"hook_event_name": "UserPromptSubmit", "prompt": "mend it"}, // once more
		{"hook_event_name": "UserPromptSubmit", "prompt": "with password=hT7xq2Zk9w"},
		{"hook_event_name": "Stop"}, // whose copies can't be told from a second one
	} {
		w.run(e)
		w.run(e)
	}
	records, bad, err := eventlog.Read(w.state, "s1")
	if err != nil || bad != 0 {
		t.Fatal(bad, err)
	}
	var kinds []string
	for _, r := range records {
		kinds = append(kinds, r.Kind)
	}
	if want := []string{"session_start", "prompt", "pre_tool", "pre_tool", "prompt", "prompt", "stop", "stop"}; !slices.Equal(kinds, want) {
		t.Errorf("logged: %q, want %q", kinds, want)
	}
}

// TestIsCopy: models that count their calls anew in each answer give the ids of earlier ones to others.
func TestIsCopy(t *testing.T) {
	call := func(at int64, id, command string) eventlog.Record {
		return eventlog.Record{Time: at, Agent: "opencode", Kind: string(event.PreTool), Calls: []eventlog.Call{{Tool: "bash", ID: id, Command: command}}}
	}
	for name, tt := range map[string]struct {
		old, r eventlog.Record
		want   bool
	}{
		"the same call":           {call(0, "call_0", "go test"), call(9, "call_0", "go test"), true},
		"of another id":           {call(0, "call_0", "go test"), call(9, "call_1", "go test"), false},
		"without ids":             {call(0, "", "go test"), call(9, "", "go test"), false},
		"another command":         {call(0, "call_0", "go test"), call(9, "call_0", "go vet"), false},
		"the same, after an edit": {call(0, "call_0", "go test"), call(dedupeWindow.Milliseconds(), "call_0", "go test"), false},
	} {
		if got := isCopy(tt.old, tt.r); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
