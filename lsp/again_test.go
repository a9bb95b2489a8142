package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
)

// TestSaidAgain: a person is asked about what says the same or contradicts. What contradicts is stored
// whatever the answer is.
func TestSaidAgain(t *testing.T) {
	for _, tt := range []struct {
		name, first, second, choice string
		has                         []string // in the hover
		cards                       int
		contradicts                 bool
	}{
		{"merged", "Tokens expire after the restart of the cache", "Tokens always expire after the restart of the cache", "Merge into it", []string{"Tokens expire"}, 1, false},
		{"replaced", "Tokens expire after 15 minutes", "Tokens expire after 30 minutes", "Replace it", []string{"30 minutes"}, 1, false},
		{"both kept", "Tokens expire after 15 minutes", "Tokens expire after 30 minutes", "Keep both", []string{"15 minutes", "30 minutes", "conflicts with"}, 2, true},
		{"left", "Tokens expire after 15 minutes", "Tokens expire after 30 minutes", "", []string{"15 minutes", "30 minutes", "conflicts with"}, 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t, map[string]string{"a.go": "package a\n\nfunc Validate() {}\n"})
			e := s.edit(t, s.options(t))
			asked := make(chan string, 1)
			e.Answer = func(method string, raw json.RawMessage) (any, bool) {
				var p protocol.ShowMessageRequestParams
				if method != protocol.MethodWindowShowMessageRequest || json.Unmarshal(raw, &p) != nil {
					return nil, false
				}
				asked <- p.Message
				if tt.choice == "" {
					return nil, true
				}
				return protocol.MessageActionItem{Title: tt.choice}, true
			}
			e.Initialize(lsptest.Full())
			e.Open("a.go")
			execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, quoted(tt.first))
			got := execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, quoted(tt.second))
			if stored := strings.Contains(got, `"accepted":true`); stored != (tt.name != "merged") {
				t.Errorf("answer: %s", got)
			}
			if q := <-asked; !strings.Contains(q, tt.first) || !strings.Contains(q, tt.second) {
				t.Errorf("question: %s", q)
			}
			if tt.contradicts {
				e.Await(lsptest.When("the problem", func(st lsptest.State) bool {
					for _, d := range st.Diagnostics[e.URI("a.go")].Diagnostics {
						if d.Code == protocol.String("contradicts") {
							return true
						}
					}
					return false
				}))
			} else if tt.choice != "" {
				e.Await(lsptest.When("a message", func(st lsptest.State) bool { return len(st.Messages) > 0 || tt.name == "replaced" }))
			}
			h := hoverText(t, e, "a.go", 2, 5)
			for range 5000 { // the write runs beside requests
				if strings.Contains(h, tt.has[len(tt.has)-1]) && strings.Count(h, "**gotcha**") == tt.cards {
					break
				}
				h = hoverText(t, e, "a.go", 2, 5)
			}
			for _, want := range tt.has {
				if !strings.Contains(h, want) {
					t.Errorf("no %q in the hover: %s", want, h)
				}
			}
			if n := strings.Count(h, "**gotcha**"); n != tt.cards {
				t.Errorf("%d cards: %s", n, h)
			}
		})
	}
}

// TestRevert: a memory goes back to an earlier version, and forth again.
func TestRevert(t *testing.T) {
	s := newSandbox(t, map[string]string{"a.go": "package a\n\nfunc Validate() {}\n"})
	opts := s.options(t)
	opts.Hint = func(error) string { return "Look at the history." }
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	var r struct {
		Memory struct {
			UUID string `json:"uuid"`
		} `json:"memory"`
	}
	must.OK(t, json.Unmarshal([]byte(execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, `"first words of it"`)), &r))
	id := quoted(r.Memory.UUID)
	execute(t, e, "manicule.correctMemory", id, `{"what": "second thoughts"}`)
	type versions struct {
		Versions []struct {
			Version int
			Hash    string
			Current bool
		}
	}
	list := askOwn[versions](t, e, "manicule/history", `{"uuid": `+id+`}`).Versions
	if len(list) != 2 || !list[0].Current || list[1].Version != 1 {
		t.Fatalf("%+v", list)
	}
	execute(t, e, "manicule.revertMemory", id, quoted(list[1].Hash))
	if h := hoverText(t, e, "a.go", 2, 5); !strings.Contains(h, "first words") {
		t.Errorf("hover: %s", h)
	}
	execute(t, e, "manicule.revertMemory", id, `"2"`)
	if h := hoverText(t, e, "a.go", 2, 5); !strings.Contains(h, "second thoughts") {
		t.Errorf("hover: %s", h)
	}
	execute(t, e, "manicule.revertMemory", id, `1`)
	if h := hoverText(t, e, "a.go", 2, 5); !strings.Contains(h, "first words") {
		t.Errorf("hover: %s", h)
	}
	for _, version := range []string{`"9"`, `9`} {
		_, err := tryExecute(e, "manicule.revertMemory", id, version)
		wantCode(t, err, jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)) // it is no fault of the server
	}
}

// TestAuthorsOfVersions: a version names who made it, who need not be who wrote the memory first.
func TestAuthorsOfVersions(t *testing.T) {
	files := small()
	files[where+uuid1+".json"] = strings.Replace(files[where+uuid1+".json"], `"what":`, `"contributor": "bea", "what":`, 1)
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	execute(t, e, "manicule.editMemory", quoted(uuid1), `{"tags": ["auth"]}`)
	list := askOwn[struct{ Versions []struct{ Author string } }](t, e, "manicule/history", `{"uuid": `+quoted(uuid1)+`}`).Versions
	if len(list) != 2 || list[0].Author != "ahmed" || list[1].Author != "bea" {
		t.Errorf("%+v", list)
	}
}

// TestRelate: a contradiction is settled where it is shown, by a person's choice of how two memories are related.
func TestRelate(t *testing.T) {
	const first, second = "Tokens expire after 15 minutes", "Tokens expire after 30 minutes"
	for _, tt := range []struct {
		title string // of the code action
		cards []string
	}{
		{"Manicule: “" + first + "” supersedes “" + second + "”", []string{first}},
		{"Manicule: “" + second + "” supersedes “" + first + "”", []string{second}},
		{"Manicule: both hold: ", []string{first, second}},
		{"", []string{first}}, // by the menu's questions
	} {
		t.Run(tt.title, func(t *testing.T) {
			s := newSandbox(t, map[string]string{"a.go": "package a\n\nfunc Validate() {}\n"})
			e := s.edit(t, s.options(t))
			e.Answer = func(method string, raw json.RawMessage) (any, bool) {
				var p protocol.ShowMessageRequestParams
				if method != protocol.MethodWindowShowMessageRequest || json.Unmarshal(raw, &p) != nil {
					return nil, false
				}
				for _, a := range p.Actions {
					if a.Title == "Keep both" || a.Title == "supersedes" || strings.Contains(a.Title, second) {
						return a, true
					}
				}
				return nil, true
			}
			e.Initialize(lsptest.Full())
			e.Open("a.go")
			var r struct{ Memory struct{ UUID string } }
			must.OK(t, json.Unmarshal([]byte(execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, quoted(first))), &r))
			execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, quoted(second))
			contradicts := func(st lsptest.State) bool {
				for _, d := range st.Diagnostics[e.URI("a.go")].Diagnostics {
					if d.Code == protocol.String("contradicts") {
						return true
					}
				}
				return false
			}
			e.Await(lsptest.When("the problem", contradicts))
			p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}}
			p.Range.Start, p.Range.End = protocol.Position{Line: 2, Character: 5}, protocol.Position{Line: 2, Character: 5}
			p.Context.Only = []protocol.CodeActionKind{"quickfix"}
			if tt.title == "" {
				execute(t, e, "manicule.relateMemory", quoted(r.Memory.UUID))
			} else {
				done := 0
				for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
					if a := a.(*protocol.CodeAction); strings.HasPrefix(a.Title, tt.title) {
						_, err := e.Call(protocol.MethodWorkspaceExecuteCommand, &protocol.ExecuteCommandParams{Command: a.Command.Command, Arguments: a.Command.Arguments})
						must.OK(t, err)
						done++
					}
				}
				if done != 1 {
					t.Fatalf("%d code actions", done)
				}
			}
			e.Await(lsptest.When("no problem", func(st lsptest.State) bool { return !contradicts(st) }))
			h := hoverText(t, e, "a.go", 2, 5)
			if strings.Count(h, "**gotcha**") != len(tt.cards) {
				t.Errorf("hover: %s", h)
			}
			for _, want := range tt.cards {
				if !strings.Contains(h, want) {
					t.Errorf("no %q in the hover: %s", want, h)
				}
			}
			for _, args := range []string{`{"to": "none of these", "as": "relates"}`, `{"to": "` + r.Memory.UUID + `", "as": "loves"}`, `{"towards": ""}`} {
				_, err := tryExecute(e, "manicule.relateMemory", quoted(r.Memory.UUID), args)
				wantCode(t, err, jsonrpc2.InvalidParams)
			}
		})
	}
}

// TestSaidAgainFails: what could not be stored after the question is shown, and stored when the person tries again.
func TestSaidAgainFails(t *testing.T) {
	const first, second = "Tokens expire after the restart of the cache", "Tokens always expire after the restart of the cache"
	s := newSandbox(t, map[string]string{"a.go": "package a\n\nfunc Validate() {}\n"})
	e := s.edit(t, s.options(t))
	memories, away := filepath.Join(s.root, ".manicule", "memories"), filepath.Join(s.root, ".manicule", "away")
	tried := make(chan string, 1)
	e.Answer = func(method string, raw json.RawMessage) (any, bool) {
		var p protocol.ShowMessageRequestParams
		if method != protocol.MethodWindowShowMessageRequest || json.Unmarshal(raw, &p) != nil {
			return nil, false
		}
		if strings.Contains(p.Message, "not stored") {
			must.OK(t, os.Remove(memories))
			must.OK(t, os.Rename(away, memories))
			tried <- p.Message
			return protocol.MessageActionItem{Title: "Try again"}, true
		}
		must.OK(t, os.Rename(memories, away))
		must.OK(t, os.WriteFile(memories, nil, 0o600)) // no file can be written below it
		return protocol.MessageActionItem{Title: "Keep both"}, true
	}
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, quoted(first))
	execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go#Validate"`, quoted(second))
	select {
	case q := <-tried:
		if !strings.Contains(q, second) {
			t.Errorf("the failure doesn't say what was not stored: %s", q)
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody was told that it was not stored")
	}
	for range 5000 { // the write runs beside requests
		if strings.Contains(hoverText(t, e, "a.go", 2, 5), second) {
			return
		}
	}
	t.Error("it is not stored")
}
