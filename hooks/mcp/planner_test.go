package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// planned is a sandbox with six fixes of tokens in its past, each of which made a list and changed two files, or three.
func planned(t *testing.T) *sandbox {
	b := newSandbox(t)
	write(t, filepath.Join(b.w.Root(), "src/auth/kinds.go"), "package auth\n\n// Kinds of tokens. ```\nvar key = \"AKIAQYLPMN5HIAF7KZ2T\"\n")
	write(t, filepath.Join(b.w.Root(), "src/auth/.env"), "TOKEN=x\n")
	write(t, filepath.Join(b.w.Root(), "docs/auth.md"), strings.Repeat("The order of the kinds is fixed.\n", 400))
	for i := range 6 {
		session := fmt.Sprint("past-", i)
		edited := []string{"src/auth/token.go", "src/auth/kinds.go", "src/auth/.env"}
		if i < 4 {
			edited = append(edited, "docs/auth.md")
		}
		e := episode.Episode{Session: session, Task: "Fix the kinds of tokens", Outcome: episode.Success, Edited: edited, Planned: 4,
			Tools: []episode.Count{{Name: "edit", Calls: 20 + 4*i}}, Active: 8 * 60_000, Started: b.now.Add(-time.Duration(i) * time.Hour).UnixMilli(), Ended: b.now.UnixMilli()}
		if _, err := b.w.State().Sessions().Put(t.Context(), store.Observation{Session: session, Agent: "claude-code", Started: e.Started, Ended: e.Ended, Episode: e}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestContextOnDemand: an estimate is scaled, and files come with their contents, only for who asks.
func TestContextOnDemand(t *testing.T) {
	b := planned(t)
	b.remember(memory.Draft{Type: file.TaskCalibration, What: "A fix of a token takes twice as long as it looks", Details: file.Details{Task: "fix", Estimated: 3, Actual: 6, Unit: "hours"}})
	b.remember(memory.Draft{Type: file.TaskCalibration, What: "Documentation is quick", Details: file.Details{Task: "document", Estimated: 3, Actual: 1, Unit: "hours"}})
	args := map[string]any{"task": "Fix the kinds of tokens for robots", "paths": []string{"src/auth/token.go"}}
	r, _ := b.call("context", args)
	if text := textOf(r); strings.Contains(text, "package auth") || strings.Contains(text, "steps:") {
		t.Errorf("unasked: %s", text)
	}
	args["estimate"], args["contents"] = 6, 3000
	r, fault := b.ask("context", args) // JSON writes a file's line ends in two signs, so its data are longer
	text := textOf(r)
	for _, want := range []string{
		"6 steps: 42 calls, half of the time 36 to 48, and 12 min of work (6 sessions of the kind “fix” that made a list)",
		"6 steps: 12 hours, as 3 took 6 (“A fix of a token takes twice",
		"src/auth/kinds.go (6 of 6 sessions like this):\n````\npackage auth",
		"docs/auth.md (4 of 6 sessions like this, its beginning):\n```\nThe order",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s %s", want, text, fault)
		}
	}
	for _, not := range []string{"AKIAQYLPMN5HIAF7KZ2T", "TOKEN=x", "6 steps: 2 hours", "src/auth/token.go ("} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in %s", not, text)
		}
	}
	if strings.Index(text, "kinds.go (6") > strings.Index(text, "docs/auth.md (4") {
		t.Error("what nearly all sessions change comes after what most do")
	}
	if n := cost(text); n > contextBudget+3000+400 {
		t.Errorf("%d tokens", n)
	}
	if r, _ := b.call("context", map[string]any{"task": "Sing a song", "contents": 500, "estimate": 2}); !strings.Contains(textOf(r), "No file is expected") {
		t.Errorf("of another task: %s", textOf(r))
	}
}

// TestPlanGoesOn: a plan begins with what the last session left, and scales its estimate.
func TestPlanGoesOn(t *testing.T) {
	b := planned(t)
	if _, err := threads.Of(b.w).Add(t.Context(), threads.Draft{Kind: thread.Open, Text: "Robots still get the old kind"}); err != nil {
		t.Fatal(err)
	}
	plan := func(args map[string]string) (string, error) {
		args["task"] = "Fix the kinds of tokens for robots"
		r, err := b.client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "plan", Arguments: args})
		if err != nil {
			return "", err
		}
		return r.Messages[0].Content.(*mcp.TextContent).Text, nil
	}
	text, err := plan(map[string]string{"estimate": "6", "contents": "1000"})
	for _, want := range []string{"Robots still get the old kind", "6 steps: 42 calls", "package auth"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("no %q in %s, %v", want, text, err)
		}
	}
	if text, err := plan(map[string]string{}); err != nil || strings.Contains(text, "package auth") {
		t.Errorf("contents that nobody asked for: %s, %v", text, err)
	}
	if _, err := plan(map[string]string{"estimate": "many"}); err == nil || !strings.Contains(err.Error(), "is no number of estimate") {
		t.Errorf("many steps: %v", err)
	}
}

// TestMayShow: what may come with its text leads nowhere else, and keeps no secrets.
func TestMayShow(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/a.go", "key.go", ".github/b.yml", "prod.env", ".env.local", ".npmrc", "deploy/id_rsa", "main.tfvars", ".git/config", ".manicule/core.codex.json"} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), "x\n")
	}
	if err := os.Symlink(filepath.Join(root, "prod.env"), filepath.Join(root, "notes.md")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	for name, want := range map[string]bool{
		"src/a.go": true, "key.go": true, ".github/b.yml": true,
		"prod.env": false, ".env.local": false, ".npmrc": false, "deploy/id_rsa": false, "main.tfvars": false,
		".git/config": false, ".manicule/core.codex.json": false, "notes.md": false, "../x": false, `src\a.go`: false, "gone.go": false,
	} {
		if got := mayShow(root, name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestTrustedPatterns: what nobody has reviewed does not decide what an agent reads.
func TestTrustedPatterns(t *testing.T) {
	for name, tc := range map[string]struct {
		trust file.Trust
		want  bool
	}{
		"of a person":           {file.Trust{}, true},
		"from outside":          {file.Trust{Tainted: true}, false},
		"to be reviewed":        {file.Trust{NeedsReview: true}, false},
		"came with a clone":     {file.Trust{Unreviewed: true}, false},
		"from outside, checked": {file.Trust{Tainted: true, VerifiedBy: "Ada"}, true},
	} {
		if got := trusted(&file.Memory{Trust: tc.trust}); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestContextOrder: the recipe for such a task comes first, and the newest outcome.
func TestContextOrder(t *testing.T) {
	b := newSandbox(t)
	recipe := func(what, task string) {
		b.remember(memory.Draft{Type: file.WorkflowRecipe, What: what, Details: file.Details{Task: task, Steps: []file.Step{{Do: "edit the list of formats"}}}})
	}
	recipe("Adding a format to the exporter: edit the list of formats, then run the exporter's checks", "release the exporter")
	recipe("Formats go into the list of formats of the exporter", "add a format to the exporter")
	b.remember(memory.Draft{Type: file.WorkUnitOutcome, What: "Adding the first format to the exporter took a day"})
	b.now = b.now.Add(48 * time.Hour)
	b.remember(memory.Draft{Type: file.WorkUnitOutcome, What: "Adding the second format to the exporter took an hour"})
	r, _ := b.call("context", map[string]any{"task": "add a format to the exporter", "budget": 3000})
	text := textOf(r)
	for _, pair := range [][2]string{{"Formats go into", "Adding a format"}, {"second format", "first format"}} {
		if i, j := strings.Index(text, pair[0]), strings.Index(text, pair[1]); i < 0 || j < 0 || i > j {
			t.Errorf("%q does not come before %q in %s", pair[0], pair[1], text)
		}
	}
}
