package agent

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

// folder is the folder of an agent: its ID, without what no package can be named.
func folder(id string) string { return strings.ReplaceAll(id, "-", "") }

// payloads lists the payloads in the testdata of each agent.
func payloads(tb testing.TB) map[string][]string {
	tb.Helper()
	out := map[string][]string{}
	for _, agent := range All().IDs() {
		names, err := filepath.Glob(filepath.Join(folder(agent), "testdata", "*.json"))
		if err != nil || len(names) == 0 {
			tb.Fatalf("no payloads of %s: %v", agent, err)
		}
		out[agent] = names
	}
	return out
}

func scanFile(tb testing.TB, name string) event.Value {
	tb.Helper()
	data := must.Read(tb, name)
	v, err := event.Scan(bytes.NewReader(data), nil)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return v
}

// TestAgents holds each agent's payloads to the normalised event and the answer.
func TestAgents(t *testing.T) {
	for agent, names := range payloads(t) {
		for _, name := range names {
			c := All().Detect(agent, scanFile(t, name)).Wire
			ev := c.Parse(scanFile(t, name))
			shown, err := json.Marshal(ev, json.Deterministic(true), jsontext.WithIndent("  "), json.OmitZeroStructFields(true))
			must.OK(t, err)
			got := fmt.Sprintf("%s\nanswer: %s\nempty:  %s\n", shown, c.Render(ev, "a fact"), c.Render(ev, ""))
			golden := strings.TrimSuffix(name, ".json") + ".golden"
			if *update {
				must.Write(t, golden, got)
			}
			want := must.Read(t, golden)
			if got != string(want) {
				t.Errorf("%s:\n%s", name, got)
			}
			if ev.Agent != agent || ev.Session == "" {
				t.Errorf("%s: taken for %q, session %q", name, ev.Agent, ev.Session)
			}
		}
	}
}

// TestDetect gives payloads to hooks that were installed for another agent.
func TestDetect(t *testing.T) {
	for agent, names := range payloads(t) {
		if agent == "gemini" || agent == "claude-code" || agent == "crush" {
			continue // not all of their payloads can be told from each other's
		}
		for _, name := range names {
			v := scanFile(t, name)
			if agent == "codex" && !v.Has("turn_id") {
				continue // a session's start looks like Claude Code's, and is answered alike
			}
			for _, word := range []string{"claude-code", "", "nonsense"} {
				if got := All().Detect(word, v).ID; got != agent {
					t.Errorf("%s given to %q is taken for %q", name, word, got)
				}
			}
		}
	}
	for in, want := range map[string]string{
		`{"conversationId":"x","stepIdx":1}`:                                               "",
		`{"clineVersion":"3","taskId":"1"}`:                                                "",
		`{"hook_event_name":"AfterTool","session_id":"s"}`:                                 "gemini",
		`{"tool_name":"read_file","tool_input":{"filePath":"/a"}}`:                         "vscode",
		`{"transcript_path":"/h/.claude/projects/x/s.jsonl","hook_event_name":"Whatever"}`: "claude-code",
		`{"hook_event_name":"SessionStart","session_id":"s"}`:                              "cursor",
	} {
		v, err := event.ScanString(in)
		must.OK(t, err)
		if got := All().Detect("cursor", v).ID; got != want {
			t.Errorf("%s is taken for %q, want %q", in, got, want)
		}
	}
}

// TestNoPermission holds that no answer ever decides a permission.
func TestNoPermission(t *testing.T) {
	for agent, names := range payloads(t) {
		for _, name := range names {
			c := All().Detect(agent, scanFile(t, name)).Wire
			out := c.Render(c.Parse(scanFile(t, name)), "a fact")
			for _, word := range []string{"permission", "decision", "deny", "allow"} {
				if bytes.Contains(bytes.ToLower(out), []byte(word)) {
					t.Errorf("%s: %s", name, out)
				}
			}
		}
	}
}

// TestCodexSchemas holds payloads and answers to the schemas inside Codex.
func TestCodexSchemas(t *testing.T) {
	data, err := os.ReadFile("../../../shared/data/agent-schemas/codex-hook-schemas-0.169.0.json")
	if err != nil {
		t.Skip("the schemas of Codex are not here")
	}
	all, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must.OK(t, err)
	files := map[string]string{"SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit", "PreToolUse": "pre-tool-use", "PostToolUse": "post-tool-use", "PreCompact": "pre-compact", "Stop": "stop"}
	check := func(schema string, doc []byte) error {
		c := jsonschema.NewCompiler()
		if err := c.AddResource(schema, all.(map[string]any)[schema]); err != nil {
			return err
		}
		s, err := c.Compile(schema)
		if err != nil {
			return err
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}
	for _, name := range payloads(t)["codex"] {
		doc := must.Read(t, name)
		codex, _ := Lookup("codex")
		c := codex.Wire
		ev := c.Parse(scanFile(t, name))
		if err := check(files[ev.Name]+".command.input", doc); err != nil {
			t.Errorf("payload %s: %v", name, err)
		}
		if out := c.Render(ev, "a fact"); len(out) > 0 {
			if err := check(files[ev.Name]+".command.output", out); err != nil {
				t.Errorf("answer to %s: %v", name, err)
			}
		}
	}
}

// FuzzAgents gives anything to every agent: an answer is nothing or an object.
func FuzzAgents(f *testing.F) {
	for i, agent := range All().IDs() {
		for _, name := range payloads(f)[agent] {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i, string(data), "text")
		}
	}
	f.Fuzz(func(t *testing.T, i int, payload, text string) {
		agents := All()
		v, err := event.ScanString(payload)
		if err != nil {
			return
		}
		asked := agents[uint(i)%uint(len(agents))]
		for _, a := range []spec.Agent{agents.Detect(asked.ID, v), asked} {
			c := a.Wire
			if c.Parse == nil {
				continue
			}
			ev := c.Parse(v)
			for _, out := range [][]byte{c.Render(ev, text), c.Render(ev, ""), c.Empty()} {
				if len(out) > 0 && (out[0] != '{' || !jsontext.Value(out).IsValid()) {
					t.Errorf("%s answers %s", a.ID, out)
				}
			}
		}
	})
}
