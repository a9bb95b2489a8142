package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"

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
