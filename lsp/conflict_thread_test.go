package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/lsp/lsptest"
)

const (
	sessions = ".manicule/sessions/"
	thread1  = "0198f0c2-7a41-7c3e-9d7a-0000000000f1"
	thread2  = "0198f0c2-7a41-7c3e-9d7a-0000000000f2"
)

// undecidedThreads is a workspace with a shared thread that one side of a merge deleted, and one with two versions.
func undecidedThreads() map[string]string {
	files := small()
	shared := func(uuid, what, anchors, conflict string) {
		files[sessions+uuid+".json"] = `{"uuid": "` + uuid + `", "type": "work_state", "what": "` + what + `", "anchors": [` + anchors + `], "contributor": "ada", "trust": {"origin": "user_taught"},
"lineage": {"version": 4}, "created_at": "2026-05-04T11:00:00.000Z", "updated_at": "2026-05-04T11:00:00.000Z", "thread_kind": "thread", "thread_state": "open",
"conflict": [{"type": "work_state", "scope": null, "contributor": "bea", "updated_at": "2026-05-04T10:00:00.000Z", ` + conflict + `}]}`
	}
	shared(thread1, "Validate is too strict", `{"kind": "symbol", "path": "a.go", "symbol": "Validate"}`, `"what": "Validate is strict", "deleted": true`)
	shared(thread2, "Release on Monday", "", `"what": "Release on Tuesday"`)
	return files
}

// TestThreadConflict: undecided threads are in the review list, each way to decide ends the conflict on every surface, and the
// file says what was decided.
func TestThreadConflict(t *testing.T) {
	for _, tt := range []struct {
		name, uuid, choice string
		file               string // what it has then; "" if it is gone
	}{
		{"the changed one", thread1, `{"keep": 1, "version": 4}`, "too strict"},
		{"the deletion", thread1, `{"keep": 2, "rest": "drop"}`, ""},
		{"the first", thread2, `{"keep": 1}`, "on Monday"},
		{"the second", thread2, `{"keep": 2}`, "on Tuesday"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t, undecidedThreads())
			e := s.edit(t, s.options(t))
			e.Initialize(lsptest.Full())
			e.Open("a.go")
			own := sessions + tt.uuid + ".json"
			at := e.URI("a.go")
			if tt.uuid == thread2 {
				at = e.URI(own) // it has no place in the code
			}
			conflicts := func(st lsptest.State) (n int) {
				for _, d := range st.Diagnostics[at].Diagnostics {
					if d.Code == protocol.String("conflict") {
						n++
					}
				}
				return n
			}
			e.Await(lsptest.When("the diagnostic", func(st lsptest.State) bool { return conflicts(st) == 1 }))
			e.Open(own)
			actions, err := e.Call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.URI(own)}, "range": protocol.Range{}, "context": map[string]any{"diagnostics": []any{}}})
			if err != nil || strings.Count(string(actions), `"manicule.resolveConflict"`) != 2 {
				t.Errorf("actions in its own file: %s, %v", actions, err)
			}
			if words := "“Validate is too strict”, which was deleted by bea"; tt.uuid == thread1 && (!strings.Contains(string(actions), "keep "+words) || !strings.Contains(string(actions), "delete "+words)) {
				t.Errorf("titles: %s", actions)
			}
			if over := askOwn[struct{ Folders []struct{ Candidates int } }](t, e, "manicule/overview", `{}`); over.Folders[0].Candidates != 2 {
				t.Errorf("overview: %+v", over)
			}
			list := askOwn[reviewList](t, e, "manicule/candidates", `{}`).Candidates
			if len(list) != 2 || list[0].Act != "conflict" || list[0].Version != 4 || list[0].Type != "thread" || list[0].Versions[1].Type != "thread" || len(list[0].Versions) != 2 {
				t.Fatalf("review list: %+v", list)
			}
			if one := askOwn[struct {
				UUID   string
				Thread bool
			}](t, e, "manicule/candidate", `{"uuid": "`+tt.uuid+`"}`); one.UUID != tt.uuid || !one.Thread {
				t.Errorf("one of them: %+v", one)
			}
			if got := execute(t, e, "manicule.resolveConflict", quoted(tt.uuid), tt.choice); !strings.Contains(got, `"accepted":true`) {
				t.Fatalf("answer: %s", got)
			}
			e.Await(lsptest.When("no such diagnostic", func(st lsptest.State) bool { return conflicts(st) == 0 }))
			if left := askOwn[reviewList](t, e, "manicule/candidates", `{}`).Candidates; len(left) != 1 || left[0].UUID == tt.uuid {
				t.Errorf("left: %+v", left)
			}
			data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(own)))
			if tt.file == "" != os.IsNotExist(err) || !strings.Contains(string(data), tt.file) || strings.Contains(string(data), "conflict") {
				t.Errorf("%s, %v", data, err)
			}
		})
	}
}

// TestThreadConflictIsReadFirst: a thread keeps one version, and nothing is decided by a number that meant another one.
func TestThreadConflictIsReadFirst(t *testing.T) {
	s := newSandbox(t, undecidedThreads())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	for choice, want := range map[string]string{`{"keep": 1, "rest": "keep"}`: "one version", `{"keep": 2, "version": 3}`: "changed meanwhile"} {
		if got := execute(t, e, "manicule.resolveConflict", quoted(thread2), choice); !strings.Contains(got, `"accepted":false`) || !strings.Contains(got, want) {
			t.Errorf("%s: %s", choice, got)
		}
	}
	if _, err := tryExecute(e, "manicule.resolveConflict", quoted(thread2), `{"keep": 3}`); err == nil || !strings.Contains(err.Error(), "has no version 3") {
		t.Errorf("a third: %v", err)
	}
	_, err := tryExecute(e, "manicule.rejectMemory", quoted(thread1))
	wantCode(t, err, jsonrpc2.InvalidParams)
	if list := askOwn[reviewList](t, e, "manicule/candidates", `{}`).Candidates; len(list) != 2 {
		t.Errorf("review list: %+v", list)
	}
}

// TestThreadConflictAsks: a client without lists of its own is asked, also when it accepts the entry of the review list.
func TestThreadConflictAsks(t *testing.T) {
	for _, command := range []string{"manicule.resolveConflict", "manicule.acceptMemory"} {
		t.Run(command, func(t *testing.T) {
			s := newSandbox(t, undecidedThreads())
			e := s.edit(t, s.options(t))
			e.Answer = func(method string, raw json.RawMessage) (any, bool) {
				var p protocol.ShowMessageRequestParams
				if method != protocol.MethodWindowShowMessageRequest || json.Unmarshal(raw, &p) != nil || len(p.Actions) != 2 || !strings.Contains(p.Message, "this thread was deleted by bea") {
					return nil, false
				}
				return p.Actions[1], true
			}
			e.Initialize(lsptest.Full())
			e.Open("a.go")
			if got := execute(t, e, command, quoted(thread1)); !strings.Contains(got, `"needsResolution":true`) || !strings.Contains(got, `"thread":true`) {
				t.Errorf("answer: %s", got)
			}
			e.Await(lsptest.When("no such diagnostic", func(st lsptest.State) bool {
				_, err := os.Lstat(filepath.Join(s.root, filepath.FromSlash(sessions+thread1+".json")))
				return os.IsNotExist(err) && len(st.Diagnostics[e.URI("a.go")].Diagnostics) == 1 // a memory's
			}))
		})
	}
}

// TestThreadConflictOfGit: where git stops at a thread that the other side deleted, it leaves the file as it is, and the editor
// hears of it all the same.
func TestThreadConflictOfGit(t *testing.T) {
	files := small()
	files[sessions+thread1+".json"] = `{"uuid": "` + thread1 + `", "type": "work_state", "what": "Validate is too strict", "anchors": [{"kind": "symbol", "path": "a.go", "symbol": "Validate"}],
"contributor": "ada", "trust": {"origin": "user_taught"}, "created_at": "2026-05-04T11:00:00.000Z", "updated_at": "2026-05-04T11:00:00.000Z", "thread_kind": "thread", "thread_state": "open"}
`
	s := newSandbox(t, files)
	own := filepath.Join(s.root, filepath.FromSlash(sessions+thread1+".json"))
	git := func(fails bool, args ...string) {
		t.Helper()
		out, err := gittest.Try(t, s.root, append([]string{"-c", "user.name=Bea", "-c", "user.email=b@example.org", "-c", "core.hooksPath=/dev/null"}, args...)...)
		if (err != nil) != fails {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git(false, "init", "-q", "-b", "main")
	git(false, "add", "-A")
	git(false, "commit", "-qm", "first")
	git(false, "checkout", "-qb", "other")
	git(false, "rm", "-q", sessions+thread1+".json")
	git(false, "commit", "-qm", "not needed")
	git(false, "checkout", "-q", "main")
	data := strings.Replace(files[sessions+thread1+".json"], "too strict", "far too strict", 1)
	must.Write(t, own, data)
	git(false, "commit", "-qam", "words")
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	conflicts := func(st lsptest.State) bool {
		return slices.ContainsFunc(st.Diagnostics[e.URI("a.go")].Diagnostics, func(d protocol.Diagnostic) bool { return d.Code == protocol.String("conflict") })
	}
	e.Await(lsptest.When("what is there", func(st lsptest.State) bool { return len(st.Diagnostics[e.URI("a.go")].Diagnostics) == 1 }))
	git(true, "merge", "-q", "other")
	e.Await(lsptest.When("the diagnostic", conflicts))
	git(false, "merge", "--abort")
	e.Await(lsptest.When("no such diagnostic", func(st lsptest.State) bool { return !conflicts(st) }))
}

// TestManyThreadConflicts: of four undecided threads at one place three have their ways, and the fourth has one action that asks.
func TestManyThreadConflicts(t *testing.T) {
	files := undecidedThreads()
	first := files[sessions+thread1+".json"]
	for i := range 3 {
		uuid := thread1[:len(thread1)-2] + fmt.Sprintf("a%d", i)
		files[sessions+uuid+".json"] = strings.Replace(first, thread1, uuid, 1)
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	e.Await(lsptest.When("the diagnostics", func(st lsptest.State) bool {
		n := 0
		for _, d := range st.Diagnostics[e.URI("a.go")].Diagnostics {
			if d.Code == protocol.String("conflict") {
				n++
			}
		}
		return n == 4
	}))
	whole := map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 100, "character": 0}}
	actions, err := e.Call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.URI("a.go")}, "range": whole, "context": map[string]any{"diagnostics": []any{}}})
	if err != nil || strings.Count(string(actions), "keep “Validate is too strict”") != 2*3 || strings.Count(string(actions), "decide between the versions of “Validate is too strict”") != 2*1 { // as title and in the command
		t.Errorf("%s, %v", actions, err)
	}
}
