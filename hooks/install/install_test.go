package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"manicule/hooks/agent/spec"
	"manicule/indexer/jsonc"
	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

func commandOf(t *testing.T, name string, shared bool) string {
	t.Helper()
	c, err := Command(name, "manicule", shared)
	must.OK(t, err)
	return c
}

// goldenOf is the file in an agent's folder that holds what is written for it.
func goldenOf(name, what string, shared bool) string {
	if shared {
		what += "-shared"
	}
	return filepath.Join("..", "agent", strings.ReplaceAll(name, "-", ""), "testdata", "installed", what+".golden")
}

func agentOf(t *testing.T, name string) spec.Agent {
	t.Helper()
	a, err := lookup(name)
	must.OK(t, err)
	return a
}

// TestGolden holds what is written where there was nothing.
func TestGolden(t *testing.T) {
	for _, name := range Agents() {
		for _, shared := range []bool{false, true} {
			command := commandOf(t, name, shared)
			got, err := Add(name, nil, command)
			if err != nil {
				t.Fatal(name, err)
			}
			golden := goldenOf(name, "hooks", shared)
			if *update {
				must.Write(t, golden, got)
			}
			want := must.Read(t, golden)
			if !bytes.Equal(got, want) {
				t.Errorf("%s:\n%s", golden, got)
			}
			if _, empty, err := Remove(name, got); err != nil || !empty {
				t.Errorf("%s: of a file that is ours alone something is left: %v", name, err)
			}
		}
	}
}

// existing are files of other people.
func existing() map[string]string {
	return map[string]string{
		"empty object": "{}\n",
		"one line":     `{"model":"opus","permissions":{"allow":["Bash(ls)"]}}`,
		"no hooks":     "{\n    \"z\": 1,\n    \"a\": {\"b\": []}\n}\n",
		"comments":     "// mine\n{\n\t\"b\": 1, // one\n\t/* two */ \"hooks\": {\n\t\t// three\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}], // four\n\t}, // five\n\t// six\n}\n// seven\n",
		"hooks of others": `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "guard.sh manicule hook" }]
      }
    ],
    "preCompact": [ { "command": "y" } ],
    "post_read_code": [ { "command": "y" } ]
  },
  "last": true
}`,
		"windows lines": "{\r\n  \"a\": 1\r\n}\r\n",
		"a mark":        "\ufeff{\n  \"a\": 1\n}\n",
		"inline hooks":  "{\n  \"hooks\": {\"SessionStart\": [{\"hooks\": []}], \"sessionStart\": [{\"command\": \"z\"}]}\n}\n",
		"deep indent":   "{\n        \"a\": {\n                \"b\": 1\n        }\n}\n",
	}
}

// TestRoundTrip adds to everybody's files: nothing of theirs is lost, a second
// time changes nothing, and taking it out gives the file back, byte for byte.
func TestRoundTrip(t *testing.T) {
	for _, name := range Agents() {
		if name == "opencode" {
			continue
		}
		for title, src := range existing() {
			if agentOf(t, name).Hooks.Version {
				src = strings.Replace(src, "{", "{ \"version\": 1,", 1)
				src = strings.Replace(src, ",}", "}", 1)
			}
			added, err := Add(name, []byte(src), commandOf(t, name, false))
			if err != nil {
				t.Errorf("%s, %s: %v", name, title, err)
				continue
			}
			if _, err := jsonc.Parse(bytes.TrimPrefix(added, []byte(bom))); err != nil {
				t.Errorf("%s, %s: %v in\n%s", name, title, err, added)
			}
			for _, kept := range strings.FieldsFunc(src, func(r rune) bool { return strings.ContainsRune(" \t\r\n{}[],", r) }) {
				if !bytes.Contains(added, []byte(kept)) {
					t.Errorf("%s, %s: %q is lost in\n%s", name, title, kept, added)
				}
			}
			again, err := Add(name, added, commandOf(t, name, false))
			if err != nil || !bytes.Equal(again, added) {
				t.Errorf("%s, %s: the second time changes it (%v):\n%s", name, title, err, again)
			}
			back, empty, err := Remove(name, added)
			if err != nil || string(back) != src || empty != (title == "empty object") {
				t.Errorf("%s, %s: taken out again (%v, %v):\n%s\nwant\n%s", name, title, empty, err, back, src)
			}
		}
	}
}

// TestUpgrade replaces what another version or another place of the program wrote.
func TestUpgrade(t *testing.T) {
	old, err := Add("claude-code", []byte(existing()["hooks of others"]), "/opt/manicule hook claude-code")
	must.OK(t, err)
	old = bytes.Replace(old, []byte(`"PostToolBatch"`), []byte(`"PreCompact"`), 1) // an event of that version
	now, err := Add("claude-code", old, commandOf(t, "claude-code", true))
	must.OK(t, err)
	if bytes.Contains(now, []byte("/opt/")) || bytes.Count(now, []byte("if command -v")) != 8 {
		t.Errorf("%s", now)
	}
	back, _, err := Remove("claude-code", now)
	if err != nil || !bytes.Contains(back, []byte("guard.sh")) || bytes.Contains(back, []byte("hook claude-code")) {
		t.Errorf("%v\n%s", err, back)
	}
}

// TestSharedGroup has somebody put a handler beside ours: only ours goes.
func TestSharedGroup(t *testing.T) {
	src := `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "manicule hook claude-code"}, {"type": "command", "command": "mine"}]}]}}`
	got, empty, err := Remove("claude-code", []byte(src))
	if want := `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}}`; err != nil || empty || string(got) != want {
		t.Errorf("%v %v\n%s", empty, err, got)
	}
}

func TestMalformed(t *testing.T) {
	for _, src := range []string{"{", "[]", "7", `{"hooks": 7}`, `{"hooks": {"SessionStart": {}}}`, `{"a": 'x'}`, "\x00"} {
		if out, err := Add("claude-code", []byte(src), "manicule hook claude-code"); err == nil || out != nil || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%q: %q, %v", src, out, err)
		}
	}
	if _, err := Add("opencode", []byte("export const Mine = 1"), "manicule hook opencode"); err == nil {
		t.Error("somebody's plugin was replaced")
	}
	if _, err := Add("nobody", nil, "x"); err == nil {
		t.Error("an unknown agent was installed for")
	}
}

func TestOurs(t *testing.T) {
	for command, want := range map[string]bool{
		"manicule hook claude-code":                                                          true,
		"/usr/local/bin/manicule hook claude-code":                                           true,
		`'C:\Program Files\manicule.exe' hook claude-code`:                                   true,
		"my-manicule hook claude-code":                                                       false,
		"manicule hook claude-code2":                                                         false,
		"manicule hook cursor":                                                               false,
		"guard.sh && manicule hook claude-code && notify":                                    false,
		"if command -v manicule >/dev/null 2>&1; then manicule hook claude-code || true; fi": true,
	} {
		if got := ours("claude-code", command); got != want {
			t.Errorf("ours(%q) = %v", command, got)
		}
	}
}

// TestSharedCommand runs the shared line with and without the program.
func TestSharedCommand(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	bin := t.TempDir()
	for _, program := range []string{"absent", "there", "failing"} {
		body := "#!/bin/sh\ncat\n"
		if program == "failing" {
			body = "#!/bin/sh\nexit 3\n"
		}
		if program != "absent" {
			must.OK(t, os.WriteFile(filepath.Join(bin, program), []byte(body), 0o755))
		}
		for name, empty := range map[string]string{"claude-code": "", "gemini": "{}\n"} {
			line, err := Command(name, program, true)
			must.OK(t, err)
			cmd := exec.Command(sh, "-c", line)
			cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
			cmd.Stdin = strings.NewReader(`{"event":1}`)
			out, err := cmd.Output()
			want := map[string]string{"absent": empty, "there": `{"event":1}`, "failing": ""}[program]
			if err != nil || string(out) != want {
				t.Errorf("%s, %s: %q, %v", name, program, out, err)
			}
		}
	}
}

// TestClaudeSchema holds Claude Code's file to the public schema of its settings.
func TestClaudeSchema(t *testing.T) {
	const dir = "../../../shared/data/protocol-schemas/claude-code-schemastore/"
	data, err := os.ReadFile(dir + "schemas/json/claude-code-settings.json")
	if err != nil {
		t.Skip("the schema of Claude Code's settings is not here")
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must.OK(t, err)
	c := jsonschema.NewCompiler()
	must.OK(t, c.AddResource("settings", schema))
	s, err := c.Compile("settings")
	must.OK(t, err)
	others, err := filepath.Glob(dir + "test/claude-code-settings/*.json")
	must.OK(t, err)
	sources := [][]byte{nil}
	for _, name := range others {
		src := must.Read(t, name)
		sources = append(sources, src)
	}
	for i, src := range sources {
		for _, shared := range []bool{false, true} {
			out, err := Add("claude-code", src, commandOf(t, "claude-code", shared))
			must.OK(t, err)
			std, err := jsonc.Standardize(bytes.Clone(out))
			must.OK(t, err)
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(std))
			must.OK(t, err)
			if err := s.Validate(v); err != nil {
				t.Errorf("file %d: %v", i, err)
			}
			back, _, err := Remove("claude-code", out)
			if err != nil || src != nil && !bytes.Equal(back, src) {
				t.Errorf("file %d doesn't come back: %v\n%s", i, err, back)
			}
		}
	}
}

// TestPlugin runs OpenCode's plugin in Node with a program in our place.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here")
	}
	dir := t.TempDir()
	stub := filepath.Join(dir, "stub.sh")
	must.OK(t, os.WriteFile(stub, []byte("#!/bin/sh\nin=$(cat)\nprintf '%s\\n' \"$in\" >> \""+dir+"/asked\"\nprintf '{\"context\":\"a fact\"}'\n"), 0o755))
	plugin, err := Add("opencode", nil, stub)
	must.OK(t, err)
	must.Write(t, filepath.Join(dir, "manicule.mjs"), plugin)
	script := `
import { Manicule } from "./manicule.mjs"
const hooks = await Manicule({ directory: process.cwd() })
const after = { title: "", output: "file", metadata: {} }
await hooks["tool.execute.after"]({ tool: "read", sessionID: "s", callID: "c", args: { filePath: "a.ts" } }, after)
const system = { system: ["base"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, system)
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system: [] })
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } })
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, system)
await hooks["chat.message"]({ sessionID: "s" }, { message: {}, parts: [{ type: "text", text: "/remember x" }] })
await hooks["chat.message"]({ sessionID: "s" }, { message: {}, parts: [{ type: "text", text: "hello" }] })
console.log(JSON.stringify([after.output, system.system]))
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
process.exit(0)
`
	must.Write(t, filepath.Join(dir, "run.mjs"), script)
	cmd := exec.Command(node, "run.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if want := `["file\n\na fact",["base","a fact","a fact"]]`; err != nil || strings.TrimSpace(string(out)) != want {
		t.Fatalf("%v: %s", err, out)
	}
	var asked []byte
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit) && bytes.Count(asked, []byte("\n")) < 5; runtime.Gosched() { // OpenCode exits before the last one is passed on
		if asked, err = os.ReadFile(filepath.Join(dir, "asked")); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for line := range strings.Lines(string(asked)) {
		var e struct {
			Client string `json:"client"`
			Name   string `json:"hook_event_name"`
			Source string `json:"source"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Client != "opencode" {
			t.Errorf("%v: %s", err, line)
		}
		names = append(names, e.Name+e.Source)
	}
	if got := strings.Join(names, " "); got != "tool.execute.after session.startstartup session.startcompact chat.message session.idle" {
		t.Errorf("asked %s", got)
	}
}

func FuzzAdd(f *testing.F) {
	for _, src := range existing() {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		added, err := Add("claude-code", []byte(src), "manicule hook claude-code")
		if err != nil {
			return
		}
		if _, err := jsonc.Parse(bytes.TrimPrefix(added, []byte(bom))); err != nil {
			t.Errorf("%v in %s", err, added)
		}
		if again, err := Add("claude-code", added, "manicule hook claude-code"); err != nil || !bytes.Equal(again, added) {
			t.Errorf("again, %v: %s", err, again)
		}
		back, _, err := Remove("claude-code", added)
		if err != nil || bytes.Contains(back, []byte("manicule hook claude-code")) {
			t.Errorf("back, %v: %s", err, back)
		}
	})
}
