package hooks

import (
	"slices"
	"testing"

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
		w.as("vscode", map[string]any{"hook_event_name": "SubagentStart", "agent_id": id, "agent_type": "default"})
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
	for _, text := range []string{"/remember of a model", "/remember of a model", "/remember of another"} {
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
	var from []string
	for _, r := range records {
		if r.Prompt != "" {
			from = append(from, r.From)
		}
	}
	if want := []string{"", "agent", "agent", "agent", "", "agent"}; !slices.Equal(from, want) {
		t.Errorf("the authors of the prompts are %q, want %q", from, want)
	}
}
