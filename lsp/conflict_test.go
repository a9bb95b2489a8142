package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/memory"
)

// inConflict is a workspace with a memory of which a merge kept two versions.
func inConflict() map[string]string {
	files := small()
	files[where+uuid1+".json"] = `{"uuid": "` + uuid1 + `", "type": "gotcha", "what": "Validate is slow: cache it.", "anchors": [{"kind": "symbol", "path": "a.go", "symbol": "Validate"}],
"contributor": "ada", "trust": {"origin": "user_taught"}, "lineage": {"version": 4}, "created_at": "2026-05-04T11:00:00.000Z", "updated_at": "2026-05-04T11:00:00.000Z",
"conflict": [{"type": "gotcha", "what": "Validate is cheap: don't cache it.", "scope": null, "contributor": "bea", "updated_at": "2026-05-04T10:00:00.000Z"}]}`
	return files
}

type reviewList struct {
	Candidates []struct {
		UUID, What, Act, Target string
		Type                    string
		Evidence, Paths         []string
		Version                 int
		Versions                []struct {
			Number                         int
			Label, What, Why, Type, Author string
		}
	}
}

// TestConflict: a memory with several versions is in the review list, each way to
// decide ends the conflict on every surface, and what nobody kept is not lost.
func TestConflict(t *testing.T) {
	for _, tt := range []struct {
		name, command, choice string
		has, lacks            string // in the hover
		cards                 int
	}{
		{"the first", "resolveConflict", `{"keep": 1}`, "slow: cache", "cheap", 1},
		{"the second", "resolveConflict", `{"keep": 2, "rest": "drop", "version": 4}`, "cheap: don't", "slow", 1},
		{"both", "resolveConflict", `{"keep": 1, "rest": "keep"}`, "cheap: don't", "undecided", 2},
		{"the newest supersedes", "resolveConflict", `{"keep": 1, "rest": "supersede"}`, "slow: cache", "cheap", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t, inConflict())
			e := s.edit(t, s.options(t))
			e.Initialize(lsptest.Full())
			e.Open("a.go")
			u := e.URI("a.go")
			conflicts := func(st lsptest.State) (n int) {
				for _, d := range st.Diagnostics[u].Diagnostics {
					if d.Code == protocol.String("conflict") {
						n++
					}
				}
				return n
			}
			e.Await(lsptest.When("the diagnostic", func(st lsptest.State) bool { return conflicts(st) == 1 }))
			list := askOwn[reviewList](t, e, "manicule/candidates", `{}`).Candidates
			if len(list) != 1 || list[0].UUID != uuid1 || list[0].Act != "conflict" || list[0].Target != uuid1 || list[0].Version != 4 || len(list[0].Paths) != 1 || len(list[0].Evidence) != 3 {
				t.Fatalf("review list: %+v", list)
			}
			if v := list[0].Versions; len(v) != 2 || v[0].Number != 1 || v[0].Author != "ada" || v[1].Author != "bea" || !strings.Contains(v[1].Label, "cheap") {
				t.Errorf("versions: %+v", v)
			}
			over := askOwn[struct{ Folders []struct{ Candidates int } }](t, e, "manicule/overview", `{}`)
			if over.Folders[0].Candidates != 1 {
				t.Errorf("overview: %+v", over)
			}
			own := where + uuid1 + ".json"
			e.Open(own)
			actions, err := e.Call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.URI(own)}, "range": protocol.Range{}, "context": map[string]any{"diagnostics": []any{}}})
			if err != nil || strings.Count(string(actions), `"manicule.resolveConflict"`) != 4 {
				t.Errorf("actions in its own file: %s, %v", actions, err)
			}
			if got := execute(t, e, "manicule."+tt.command, quoted(uuid1), tt.choice); !strings.Contains(got, `"accepted":true`) {
				t.Fatalf("answer: %s", got)
			}
			e.Await(lsptest.When("no such diagnostic", func(st lsptest.State) bool { return conflicts(st) == 0 }))
			if left := askOwn[reviewList](t, e, "manicule/candidates", `{}`).Candidates; len(left) != 0 {
				t.Errorf("left: %+v", left)
			}
			h := hoverText(t, e, "a.go", 2, 5)
			if !strings.Contains(h, tt.has) || strings.Contains(h, tt.lacks) || strings.Count(h, "**gotcha**") != tt.cards {
				t.Errorf("hover: %s", h)
			}
		})
	}
}

// TestManyConflicts: each of many conflicts at one place can be decided there, the fourth by a question.
func TestManyConflicts(t *testing.T) {
	files := inConflict()
	for i := range 4 {
		id := strings.TrimSuffix(uuid1, uuid1[len(uuid1)-2:]) + fmt.Sprint(60+i)
		text := strings.ReplaceAll(files[where+uuid1+".json"], uuid1, id)
		files[where+id+".json"] = strings.ReplaceAll(text, "slow: cache", fmt.Sprintf("slow in case %d: cache", i))
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	raw, err := e.Call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.URI("a.go")},
		"range": protocol.Range{Start: protocol.Position{Line: 2, Character: 5}, End: protocol.Position{Line: 2, Character: 5}}, "context": map[string]any{"diagnostics": []any{}}})
	must.OK(t, err)
	var actions []struct {
		Command struct {
			Command   string
			Arguments []json.RawMessage
		}
	}
	must.OK(t, json.Unmarshal(raw, &actions))
	ways := map[string]int{}
	for _, a := range actions {
		if a.Command.Command == "manicule.resolveConflict" {
			ways[string(a.Command.Arguments[0])] += len(a.Command.Arguments)
		}
	}
	asked := 0
	for _, n := range ways {
		if n == 1 {
			asked++
		}
	}
	if len(ways) != 5 || asked != 2 {
		t.Errorf("of 5 conflicts %d can be decided, %d of them by a question: %v", len(ways), asked, ways)
	}
}

// TestConflictIsReadFirst: nothing is decided by a number that meant another version.
func TestConflictIsReadFirst(t *testing.T) {
	s := newSandbox(t, inConflict())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	for _, choice := range []string{`{"keep": 1, "rest": "burn"}`, `"first"`} {
		_, err := tryExecute(e, "manicule.resolveConflict", quoted(uuid1), choice)
		wantCode(t, err, jsonrpc2.InvalidParams)
	}
	for _, choice := range []string{`{}`, `{"keep": 3}`} {
		if _, err := tryExecute(e, "manicule.resolveConflict", quoted(uuid1), choice); err == nil || !strings.Contains(err.Error(), "has no version") {
			t.Errorf("%s: %v", choice, err)
		}
	}
	if _, err := tryExecute(e, "manicule.rejectMemory", quoted(uuid1)); err == nil || !strings.Contains(err.Error(), "try: manicule.resolveConflict") {
		t.Errorf("rejected: %v", err)
	}
	var res memory.Result
	if err := json.Unmarshal([]byte(execute(t, e, "manicule.resolveConflict", quoted(uuid1), `{"keep": 2, "version": 3}`)), &res); err != nil || res.Accepted || !strings.Contains(res.Reason, "changed meanwhile") {
		t.Errorf("answer: %+v %v", res, err)
	}
	if list := askOwn[reviewList](t, e, "manicule/candidates", `{}`).Candidates; len(list) != 1 {
		t.Errorf("review list: %+v", list)
	}
}

// TestConflictAsks: a client without lists of its own is asked, also when it accepts
// the entry of the review list.
func TestConflictAsks(t *testing.T) {
	for _, command := range []string{"manicule.resolveConflict", "manicule.acceptMemory"} {
		t.Run(command, func(t *testing.T) {
			s := newSandbox(t, inConflict())
			e := s.edit(t, s.options(t))
			e.Answer = func(method string, raw json.RawMessage) (any, bool) {
				var p protocol.ShowMessageRequestParams
				if method != protocol.MethodWindowShowMessageRequest || json.Unmarshal(raw, &p) != nil || len(p.Actions) != 4 {
					return nil, false
				}
				return p.Actions[1], true
			}
			e.Initialize(lsptest.Full())
			e.Open("a.go")
			if got := execute(t, e, command, quoted(uuid1)); !strings.Contains(got, `"needsResolution":true`) {
				t.Errorf("answer: %s", got)
			}
			u := e.URI("a.go")
			e.Await(lsptest.When("the decision", func(st lsptest.State) bool {
				d := st.Diagnostics[u].Diagnostics
				return len(d) == 1 && d[0].Code == protocol.String("gotcha") && strings.Contains(string(d[0].Message.(protocol.String)), "cheap")
			}))
		})
	}
}
