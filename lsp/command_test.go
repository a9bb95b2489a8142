package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/secret/full"
)

// execute runs a command, its arguments given as JSON.
func execute(t testing.TB, e *lsptest.Editor, command string, args ...string) string {
	t.Helper()
	raw, err := tryExecute(e, command, args...)
	if err != nil {
		t.Fatalf("%s %v: %v", command, args, err)
	}
	return string(raw)
}

func tryExecute(e *lsptest.Editor, command string, args ...string) (json.RawMessage, error) {
	p := &protocol.ExecuteCommandParams{Command: command}
	for _, a := range args {
		p.Arguments = append(p.Arguments, protocol.LSPAny(strings.ReplaceAll(a, "ROOT", string(e.URI("."))[len("file://"):])))
	}
	return e.Call(protocol.MethodWorkspaceExecuteCommand, p)
}

func started(t *testing.T) *lsptest.Editor {
	t.Helper()
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	return e
}

func quoted(s string) string { return `"` + s + `"` }

func TestRememberCommand(t *testing.T) {
	tests := []struct {
		name string
		args []string
		line uint32 // where the hover shows it
	}{
		{"at a symbol", []string{`"file://ROOT/a.go"`, `"a.go#Validate"`, `"learned something"`}, 2},
		{"at a line", []string{`"file://ROOT/a.go"`, `"a.go:3"`, `"learned something"`}, 2},
		{"at a file", []string{`"file://ROOT/a.go"`, `"a.go"`, `"learned something"`}, 0},
		{"with more, in order", []string{`"file://ROOT/a.go"`, `"a.go"`, `"learned something"`, `{"type": "convention", "why": "because", "tags": ["x"], "pin": true}`}, 0},
		{"as one object", []string{`{"uri": "file://ROOT/a.go", "place": "a.go#Validate", "text": "learned something"}`}, 2},
		{"by a scope", []string{`{"uri": "file://ROOT/a.go", "scope": ["*.go"], "text": "learned something"}`}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := started(t)
			var res memory.Result
			if err := json.Unmarshal([]byte(execute(t, e, "manicule.remember", tt.args...)), &res); err != nil || !res.Accepted {
				t.Fatalf("answer: %+v %v", res, err)
			}
			if got := hoverText(t, e, "a.go", tt.line, 5); !strings.Contains(got, "learned something") {
				t.Errorf("hover: %s", got)
			}
		})
	}
}

// TestRememberOnUnsavedCode: a memory about a function that is not on disk yet is about
// its file.
func TestRememberOnUnsavedCode(t *testing.T) {
	e := started(t)
	e.Replace("a.go", "package a\n\nfunc Fresh() {}\n")
	if got := execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Fresh"`, `"learned something"`); !strings.Contains(got, `"accepted":true`) {
		t.Errorf("answer: %s", got)
	}
	if got := hoverText(t, e, "a.go", 0, 0); !strings.Contains(got, "learned something") {
		t.Errorf("hover: %s", got)
	}
}

func TestRememberForFolder(t *testing.T) {
	e := started(t)
	e.Write("src/b.go", "package b\n")
	execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"src/"`, `"about the folder"`)
	e.Open("src/b.go")
	if got := hoverText(t, e, "src/b.go", 0, 0); !strings.Contains(got, "about the folder") {
		t.Errorf("hover: %s", got)
	}
}

func TestRememberWithoutText(t *testing.T) {
	e := started(t)
	got := execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`)
	if !strings.Contains(got, `"needsText":true`) || !strings.Contains(got, `"place":"a.go#Validate"`) {
		t.Errorf("answer: %s", got)
	}
	st := e.Await(lsptest.When("a message", func(s lsptest.State) bool { return len(s.Messages) == 1 }))
	if !strings.Contains(st.Messages[0].Message, `--at "a.go#Validate"`) {
		t.Errorf("message: %s", st.Messages[0].Message)
	}
}

// TestRememberWithoutTextInAForm: a client with a form of its own asks, and nothing else tells the person how.
func TestRememberWithoutTextInAForm(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	e.Open("a.go")
	if got := execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`); !strings.Contains(got, `"needsText":true`) {
		t.Errorf("answer: %s", got)
	}
	execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, `"password = \"`+"hunter2hunter2"+`\""`)
	st := e.Await(lsptest.When("a message", func(s lsptest.State) bool { return len(s.Messages) > 0 }))
	if strings.Contains(st.Messages[0].Message, "--at") {
		t.Errorf("message: %s", st.Messages[0].Message)
	}
}

// TestRefusalsThatTheClientShows are answers and no messages.
func TestRefusalsThatTheClientShows(t *testing.T) {
	e := started(t)
	secret := quoted("ghp_" + strings.Repeat("aB3dE6gH9j", 4)[:36])
	quiet := `{"quiet": true}`
	for _, got := range []string{
		execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go"`, secret, quiet),
		execute(t, e, "manicule.rememberFile", `"file://ROOT/a.go"`, secret, quiet),
		execute(t, e, "manicule.disputeMemory", quoted(uuid1), secret, quiet),
	} {
		if !strings.Contains(got, `"accepted":false`) {
			t.Errorf("answer: %s", got)
		}
	}
	execute(t, e, "manicule.disputeMemory", quoted(uuid1), secret)
	st := e.Await(lsptest.When("a message", func(s lsptest.State) bool { return len(s.Messages) > 0 }))
	if len(st.Messages) != 1 {
		t.Errorf("messages: %v", st.Messages)
	}
}

// TestEditThatChangesNothing writes no version, and a change that the server doesn't know is not lost in silence.
func TestEditThatChangesNothing(t *testing.T) {
	e := started(t)
	if got := execute(t, e, "manicule.editMemory", quoted(uuid1), `{"version": 1, "quiet": true}`); !strings.Contains(got, `"code":"unchanged"`) || !strings.Contains(got, `"accepted":true`) {
		t.Errorf("answer: %s", got)
	}
	for _, command := range []string{"editMemory", "correctMemory", "acceptMemory"} {
		if raw, err := tryExecute(e, "manicule."+command, quoted(uuid1), `{"importnace": "high"}`); err == nil || !strings.Contains(err.Error(), "importnace") {
			t.Errorf("%s: %s, %v", command, raw, err)
		}
	}
	if got := execute(t, e, "manicule.editMemory", quoted(uuid1), `{"why": "half of it: \ud83d"}`); !strings.Contains(got, `"version":2`) {
		t.Errorf("a character that was cut: %s", got)
	}
}

func TestSecretIsNotRemembered(t *testing.T) {
	e := started(t)
	secret := "ghp_" + strings.Repeat("aB3dE6gH9j", 4)[:36]
	got := execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go"`, quoted("the token is "+secret))
	if !strings.Contains(got, `"accepted":false`) {
		t.Errorf("answer: %s", got)
	}
	st := e.Await(lsptest.When("a warning", func(s lsptest.State) bool { return len(s.Messages) == 1 }))
	if st.Messages[0].Type != protocol.MessageTypeWarning || strings.Contains(st.Messages[0].Message, secret) {
		t.Errorf("message: %+v", st.Messages[0])
	}
}

func TestMemoryCommands(t *testing.T) {
	e := started(t)
	id := quoted(uuid1)
	hover := func(want string) {
		t.Helper()
		if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, want) {
			t.Errorf("hover lacks %q: %s", want, got)
		}
	}
	execute(t, e, "manicule.pinMemory", id)
	hover("pinned")
	execute(t, e, "manicule.unpinMemory", `{"uuid": `+id+`}`)
	execute(t, e, "manicule.confirmMemory", id)
	hover("verified by ahmed")
	e.Write("CODEOWNERS", "*.go @owners\n")
	execute(t, e, "manicule.disputeMemory", id, `"not any more"`)
	hover("disputed by ahmed (not any more)")
	hover("Decides: @owners")
	execute(t, e, "manicule.withdrawDispute", id)
	hover("verified by ahmed")
	if got := hoverText(t, e, "a.go", 2, 5); strings.Contains(got, "disputed") {
		t.Errorf("a withdrawn dispute is shown: %s", got)
	}
	execute(t, e, "manicule.editMemory", id, `{"what": "another text", "note": "narrowed"}`)
	hover("another text")
	execute(t, e, "manicule.forgetMemory", id)
	hover("null")
}

func TestOpenCommands(t *testing.T) {
	for _, command := range []string{"manicule.openMemory", "manicule.editMemory"} {
		e := started(t)
		want := e.URI(where + uuid1 + ".json")
		if got := execute(t, e, command, quoted(uuid1)); !strings.Contains(got, string(want)) {
			t.Errorf("%s answered %s", command, got)
		}
		st := e.Await(lsptest.When("a document", func(s lsptest.State) bool { return len(s.Shown) == 1 }))
		if st.Shown[0].URI != want {
			t.Errorf("shown: %s", st.Shown[0].URI)
		}
	}
}

func TestShowMemories(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Answer = func(method string, params json.RawMessage) (any, bool) {
		if method != protocol.MethodWindowShowMessageRequest {
			return nil, false
		}
		var p protocol.ShowMessageRequestParams
		if err := protocol.Unmarshal(params, &p); err != nil || len(p.Actions) == 0 {
			t.Errorf("%s: %v", params, err)
			return nil, false
		}
		return p.Actions[0], true
	}
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	for _, args := range [][]string{
		{`"file://ROOT/a.go"`, `{"line": 2, "character": 0}`, `["` + uuid1 + `"]`},
		{`"file://ROOT/a.go"`, `{"line": 2, "character": 0}`},
	} {
		before := len(e.State().Shown)
		got := execute(t, e, "manicule.showMemories", args...)
		if !strings.Contains(got, `"what":"first"`) || !strings.Contains(got, `"age":"1 hour ago"`) {
			t.Errorf("answer: %s", got)
		}
		st := e.Await(lsptest.When("the chosen document", func(s lsptest.State) bool { return len(s.Shown) == before+1 }))
		if st.Shown[before].URI != e.URI(where+uuid1+".json") {
			t.Errorf("shown: %s", st.Shown[before].URI)
		}
	}
}

func TestMenu(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Answer = func(method string, params json.RawMessage) (any, bool) {
		if method != protocol.MethodWindowShowMessageRequest {
			return nil, false
		}
		return protocol.MessageActionItem{Title: "Pin"}, true
	}
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	got := execute(t, e, "manicule.memoryActions", quoted(uuid1))
	if want := `{"title":"Pin","command":"manicule.pinMemory","arguments":["` + uuid1 + `"]}`; !strings.Contains(got, want) || strings.Contains(got, "unpin") {
		t.Errorf("the menu is %s, want %s in it", got, want)
	}
	e.Await(lsptest.When("the memory is pinned", func(lsptest.State) bool {
		return strings.Contains(hoverText(t, e, "a.go", 2, 5), "pinned")
	}))
}

func TestClientThatListsItself(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Options = `{"clientLists": true}`
	e.Initialize(c)
	e.Open("a.go")
	execute(t, e, "manicule.showMemories", `"file://ROOT/a.go"`, `{"line": 2, "character": 0}`)
	execute(t, e, "manicule.memoryActions", quoted(uuid1))
	execute(t, e, "manicule.status")
	if n := len(e.State().Offers); n != 0 {
		t.Errorf("%d lists offered by the server", n)
	}
}

func TestDraftCommands(t *testing.T) {
	s := newSandbox(t, small())
	ws, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	must.OK(t, err)
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	var drafts []string
	for _, what := range []string{"an agent thinks this of Validate", "an agent thinks another thing altogether"} {
		res, err := ws.Remember(t.Context(), memory.Draft{What: what, At: []string{"a.go#Validate"}, Agent: true, Tool: "claude-code"})
		if err != nil || res.Memory == nil {
			t.Fatalf("draft: %+v %v", res, err)
		}
		drafts = append(drafts, quoted(res.Memory.UUID))
	}
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); strings.Contains(got, "an agent") {
		t.Errorf("a draft is shown: %s", got)
	}
	execute(t, e, "manicule.acceptMemory", drafts[0])
	execute(t, e, "manicule.rejectMemory", drafts[1], `"wrong"`)
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "thinks this") || strings.Contains(got, "another thing") {
		t.Errorf("hover: %s", got)
	}
	_, err = tryExecute(e, "manicule.acceptMemory", drafts[1])
	wantCode(t, err, jsonrpc2.InvalidParams)
	for _, uuid := range drafts {
		execute(t, e, "manicule.takeBackReview", uuid)
		_, err = tryExecute(e, "manicule.takeBackReview", uuid)
		wantCode(t, err, jsonrpc2.InvalidParams)
	}
	if got := hoverText(t, e, "a.go", 2, 5); strings.Contains(got, "an agent") {
		t.Errorf("the memory of an acceptance that was taken back is shown: %s", got)
	}
	if list, err := ws.Drafts().List(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("%d drafts wait after the decisions were taken back, want 2 (%v)", len(list), err)
	}
}

func TestSyncAndStatus(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	if got := execute(t, e, "manicule.status"); !strings.Contains(got, `"memories":1`) || !strings.Contains(got, `"version":"test"`) {
		t.Errorf("status: %s", got)
	}
	must.Write(t, filepath.Join(s.root, filepath.FromSlash(where), uuid2+".json"), []byte(gotcha(uuid2, "second", "Validate")))
	if got := execute(t, e, "manicule.sync"); !strings.Contains(got, `"changed":true`) {
		t.Errorf("sync: %s", got)
	}
	if got := execute(t, e, "manicule.status"); !strings.Contains(got, `"memories":2`) {
		t.Errorf("status: %s", got)
	}
}

func TestCommandsWithBadArguments(t *testing.T) {
	e := started(t)
	commands := []string{
		"remember", "showMemories", "memoryActions", "openMemory", "editMemory", "pinMemory", "unpinMemory", "confirmMemory",
		"disputeMemory", "withdrawDispute", "correctMemory", "forgetMemory", "acceptMemory", "rejectMemory", "takeBackReview", "resolveConflict",
	}
	for _, c := range commands {
		for _, args := range [][]string{nil, {"null"}, {"7"}, {`{"x": 1}`}, {`["a"]`}} {
			_, err := tryExecute(e, "manicule."+c, args...)
			wantCode(t, err, jsonrpc2.InvalidParams)
			if err != nil && !strings.Contains(err.Error(), "manicule."+c) && !strings.Contains(err.Error(), "there is no") {
				t.Errorf("%s %v: the message does not say which command: %v", c, args, err)
			}
		}
		if c != "remember" && c != "showMemories" {
			_, err := tryExecute(e, "manicule."+c, `"no such memory"`)
			wantCode(t, err, jsonrpc2.InvalidParams)
		}
	}
	_, err := tryExecute(e, "manicule.nothing")
	wantCode(t, err, jsonrpc2.InvalidParams)
	_, err = tryExecute(e, "manicule.remember", `"file:///elsewhere/x.go"`, `"x.go"`, `"text"`)
	wantCode(t, err, jsonrpc2.InvalidParams)
	if got := execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Valdate"`, `"text"`); !strings.Contains(got, `"accepted":false`) || !strings.Contains(got, "Validate") {
		t.Errorf("a wrong symbol is answered with %s", got)
	}
}
