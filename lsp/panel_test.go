package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/search"
	"manicule/memory/secret/full"
	"manicule/memory/store"
	"manicule/memory/trust"
)

// askOwn sends a request of our own that must succeed and reads its answer.
func askOwn[T any](t testing.TB, e *lsptest.Editor, method, params string) T {
	t.Helper()
	raw, err := e.Call(method, protocol.LSPAny(params))
	if err != nil {
		t.Fatalf("%s %s: %v", method, params, err)
	}
	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s answered %s: %v", method, raw, err)
	}
	return out
}

// theItem is an item as a client reads it.
type theItem struct {
	UUID, Type, Layer, What, URI, Path, State, Reason, UpdatedAt string
	Branch                                                       string
	Location                                                     *protocol.Location
	Scope                                                        []string
	Pinned, Disputed, Draft                                      bool
	Confidence                                                   float64
	Trust                                                        struct {
		Origin, VerifiedBy string
		Tainted            bool
	}
	Suggestion *struct {
		Location   protocol.Location
		Confidence float64
		Preview    string
	}
}

type theGroup struct {
	ID, Label, Folder, Path, URI string
	Count                        int
	Items                        []theItem
}

type theTree struct{ Groups []theGroup }

// text is the tree in lines.
func (t theTree) text() string {
	var b strings.Builder
	for _, g := range t.Groups {
		fmt.Fprintf(&b, "%s [%s]\n", g.Label, g.Path)
		for _, x := range g.Items {
			fmt.Fprintf(&b, "  %s", x.What)
			if x.Location != nil {
				fmt.Fprintf(&b, " %d", x.Location.Range.Start.Line)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func memoryJSON(n int, rest string) (name, text string) {
	id := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", n)
	if !strings.Contains(rest, `"trust"`) {
		rest += `, "trust": {"origin": "user_taught"}`
	}
	return where + id + ".json", fmt.Sprintf(`{"uuid": %q, "created_at": "2026-05-04T11:00:00.000Z", %s}`, id, rest)
}

// several is a workspace with memories of all kinds.
func several() map[string]string {
	files := map[string]string{
		"a.go":          "package a\n\nfunc Validate() {}\n\nfunc Other() {}\n",
		"src/auth/t.go": "package auth\n\nfunc Token() {}\n",
		"README.md":     "# read me\n",
	}
	for i, rest := range []string{
		`"type": "gotcha", "what": "of Other", "anchors": [{"kind": "symbol", "path": "a.go", "symbol": "Other", "lines": {"start": 5, "end": 5}}]`,
		`"type": "gotcha", "what": "of Validate", "anchors": [{"kind": "symbol", "path": "a.go", "symbol": "Validate", "lines": {"start": 3, "end": 3}}]`,
		`"type": "convention", "what": "of auth", "scope": ["src/auth/**"], "pinned": true`,
		`"type": "decision", "what": "of everything"`,
		`"type": "decision", "what": "of two files", "anchors": [{"kind": "file", "path": "a.go"}, {"kind": "file", "path": "src/auth/t.go"}]`,
		`"type": "gotcha", "what": "disputed", "scope": ["README.md"], "trust": {"origin": "import", "tainted": true, "disputed_by": "ahmed"}`,
	} {
		name, text := memoryJSON(i+1, rest)
		files[name] = text
	}
	return files
}

func TestTree(t *testing.T) {
	s := newSandbox(t, several())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	for by, want := range map[string]string{
		"file": "README.md [README.md]\n  disputed\na.go [a.go]\n  of two files 0\n  of Validate 2\n  of Other 4\nsrc/auth/** [src/auth]\n  of auth\n" +
			"src/auth/t.go [src/auth/t.go]\n  of two files 0\nwhole project []\n  of everything\n",
		"module": "./ [.]\n  disputed\n  of two files 0\n  of Validate 2\n  of Other 4\nsrc/auth/ [src/auth]\n  of two files 0\n  of auth\nwhole project []\n  of everything\n",
		"type":   "gotcha []\n  disputed\n  of Validate 2\n  of Other 4\ndecision []\n  of everything\n  of two files 0\nconvention []\n  of auth\n",
		"state":  "fresh []\n  of two files 0\n  of Validate 2\n  of Other 4\nwithout an anchor []\n  of everything\n  disputed\n  of auth\n",
	} {
		got := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q}`, by))
		if got.text() != want {
			t.Errorf("by %s: got\n%swant\n%s", by, got.text(), want)
		}
		again := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q, "folder": %q}`, by, e.URI(".")))
		if again.text() != want {
			t.Errorf("by %s of the folder: got\n%s", by, again.text())
		}
	}
	for _, g := range askOwn[theTree](t, e, "manicule/tree", `{}`).Groups {
		for _, x := range g.Items {
			if x.What == "disputed" && (!x.Disputed || !x.Trust.Tainted || x.Trust.Origin != "import" || x.Path != "README.md" || x.URI == "") {
				t.Errorf("item: %+v", x)
			}
		}
	}
}

// TestTreeNamesFolders: groups of two folders, and of two scopes on one folder, are
// distinguishable.
func TestTreeNamesFolders(t *testing.T) {
	files := map[string]string{}
	for i, scope := range []string{"src/**", "src/*.go"} {
		for _, dir := range []string{"one", "two"} {
			name, text := memoryJSON(i+1, fmt.Sprintf(`"type": "gotcha", "what": "of %s", "scope": [%q]`, dir, scope))
			files[dir+"/"+name] = text
		}
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Folders = []string{"one", "two"}
	e.Initialize(c)
	for by, n := range map[string]int{"file": 4, "module": 2, "type": 2, "state": 2} {
		groups := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q}`, by)).Groups
		seen := map[string]bool{}
		for _, g := range groups {
			seen[g.Folder+" "+g.Label] = true
			for _, x := range g.Items {
				if g.Folder != string(e.URI(strings.TrimPrefix(x.What, "of "))) {
					t.Errorf("by %s: %q is in a group of %s", by, x.What, g.Folder)
				}
			}
		}
		if len(groups) != n || len(seen) != n {
			t.Errorf("by %s: %+v", by, groups)
		}
	}
}

// TestTreeFollowsEdits: an item is where unsaved edits moved it.
func TestTreeFollowsEdits(t *testing.T) {
	s := newSandbox(t, several())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	e.Edit("a.go", protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 1}}, "\n\n\n")
	got := askOwn[theTree](t, e, "manicule/tree", `{"by": "file"}`)
	if !strings.Contains(got.text(), "of Validate 5\n  of Other 7") {
		t.Errorf("got\n%s", got.text())
	}
}

func TestOverviewAndStale(t *testing.T) {
	files := several()
	delete(files, "src/auth/t.go")
	files[where+"broken.json"] = "{"
	s := newSandbox(t, files)
	opts := s.options(t)
	opts.RefreshAfter = 1
	opts.Track = func(m lsp.Memories) (lsp.Tracker, error) { return follow.Open(m.(*memory.Workspace)), nil }
	opts.Trust = func(lsp.Memories) lsp.Trust { return &fakeTrust{level: 3} }
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	type overview struct {
		Version    string
		TrustLevel int
		Folders    []struct {
			URI, Name                                      string
			Memories, Candidates, Stale, Orphaned, Invalid int
			Index                                          struct {
				State       string
				Done, Total int
			}
		}
	}
	lost, _ := memoryJSON(5, "")
	e.Await(lsptest.When("the lost anchor", func(st lsptest.State) bool { return len(st.Diagnostics[e.URI(lost)].Diagnostics) > 0 }))
	got := askOwn[overview](t, e, "manicule/overview", `{}`)
	if len(got.Folders) != 1 {
		t.Fatalf("overview: %+v", got)
	}
	f := got.Folders[0]
	if f.Memories != 6 || f.Invalid != 1 || f.Index.State != "off" || f.Name != "w" || f.URI != string(e.URI(".")) || got.Version != "test" || got.TrustLevel != 3 {
		t.Errorf("overview: %+v", got)
	}
	stale := askOwn[struct{ Items []theItem }](t, e, "manicule/stale", `{}`)
	if len(stale.Items) != 1 || stale.Items[0].What != "of two files" || stale.Items[0].State != "orphaned" || stale.Items[0].Reason == "" {
		t.Errorf("stale: %+v", stale)
	}
	if first := askOwn[struct {
		Items []theItem
		Total int
	}](t, e, "manicule/stale", `{"limit": 0}`); len(first.Items) != 0 || first.Total != 1 {
		t.Errorf("the first of none: %+v", first)
	}
}

// TestCountsWithoutSuperseded: superseded memories are neither in the tree nor in the
// counts.
func TestCountsWithoutSuperseded(t *testing.T) {
	files := several()
	name, text := memoryJSON(7, `"type": "gotcha", "what": "of Other, again", "scope": ["a.go"], "relations": [{"type": "supersedes", "memory": "0198f0c2-7a41-7c3e-9d7a-000000000001", "confidence": 1}]`)
	files[name] = text
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	got := askOwn[struct{ Folders []struct{ Memories int } }](t, e, "manicule/overview", `{}`)
	if len(got.Folders) != 1 || got.Folders[0].Memories != 6 {
		t.Errorf("overview: %+v", got)
	}
	if got := execute(t, e, "manicule.status"); !strings.Contains(got, `"memories":6`) {
		t.Errorf("status: %s", got)
	}
	if got := askOwn[theTree](t, e, "manicule/tree", `{}`).text(); strings.Contains(got, "of Other 4") || !strings.Contains(got, "of Other, again") {
		t.Errorf("tree:\n%s", got)
	}
}

func TestPanelsWithBadParameters(t *testing.T) {
	s := newSandbox(t, several())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	for _, tt := range []struct{ method, params, says string }{
		{"manicule/tree", `{"by": "colour"}`, "file, module, type or state"},
		{"manicule/tree", `{"by": 7}`, "manicule/tree"},
		{"manicule/tree", `[]`, "manicule/tree"},
		{"manicule/tree", `{"folder": "file:///elsewhere"}`, "no open workspace folder"},
		{"manicule/candidates", `{"folder": "untitled:x"}`, "on disk"},
		{"manicule/stale", `{"folder": "file:///elsewhere"}`, "no open workspace folder"},
		{"manicule/stale", `{"limit": -1}`, "limit must not be negative"},
		{"manicule/history", `{}`, "uuid is missing"},
		{"manicule/history", `{"uuid": "0198f0c2"}`, "there is no memory"},
		{"manicule/log", `{"limit": 0}`, "limit must be"},
		{"manicule/log", `{"limit": 1000000}`, "limit must be"},
		{"manicule/sessionSummary", `{}`, "session is missing"},
		{"manicule/sessionSummary", `{"session": "x"}`, "there is no session"},
	} {
		_, err := e.Call(tt.method, protocol.LSPAny(tt.params))
		wantCode(t, err, jsonrpc2.InvalidParams)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s %s: %v", tt.method, tt.params, err)
		}
	}
	_, err := e.Call("manicule/nothing", nil)
	wantCode(t, err, jsonrpc2.MethodNotFound)
	for _, method := range []string{"manicule/overview", "manicule/tree", "manicule/candidates", "manicule/stale", "manicule/log"} {
		if _, err := e.Call(method, nil); err != nil {
			t.Errorf("%s without parameters: %v", method, err)
		}
	}
}

// stuckMemories blocks searches.
type stuckMemories struct {
	*memory.Workspace
	asked chan struct{}
}

// Find waits until it is cancelled.
func (m stuckMemories) Find(ctx context.Context, _ search.Question) (search.Answer, error) {
	m.asked <- struct{}{}
	<-ctx.Done()
	return search.Answer{}, ctx.Err()
}

func TestPanelIsCancelled(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	asked := make(chan struct{}, 1)
	opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
		w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: dir, Env: s.env, Now: clock})
		return stuckMemories{w, asked}, err
	}
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err := e.CallContext(ctx, "manicule/search", protocol.LSPAny(`{"text": "first"}`))
	var wire *jsonrpc2.Error
	if !errors.Is(err, context.Canceled) && !(errors.As(err, &wire) && wire.Code == -32800) {
		t.Errorf("got %v", err)
	}
}

func TestHistory(t *testing.T) {
	e := started(t)
	execute(t, e, "manicule.editMemory", quoted(uuid1), `{"what": "second", "note": "narrowed"}`)
	execute(t, e, "manicule.disputeMemory", quoted(uuid1), `"no"`)
	got := askOwn[struct {
		Versions []struct {
			Version                      int
			At, Author, Kind, Note, Text string
			Current                      bool
		}
	}](t, e, "manicule/history", `{"uuid": "`+uuid1+`"}`)
	if len(got.Versions) != 3 {
		t.Fatalf("versions: %+v", got)
	}
	v := got.Versions
	if v[0].Kind != "dispute" || v[0].Author != "ahmed" || !v[0].Current || v[1].Current || v[1].Note != "narrowed" || !strings.Contains(v[1].Text, `"what": "second"`) || !strings.Contains(v[2].Text, `"what": "first"`) {
		t.Errorf("versions: %+v", v)
	}
	for _, x := range v {
		if _, err := file.Parse([]byte(x.Text)); err != nil {
			t.Errorf("version %d is no memory file: %v", x.Version, err)
		}
	}
}

// waitingCandidates is a workspace with a draft and a candidate for a.go.
func waitingCandidates(t *testing.T, s *sandbox) (draft, candidate string) {
	t.Helper()
	ws, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	must.OK(t, err)
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	res, err := ws.Remember(t.Context(), memory.Draft{What: "an agent thinks this of Validate", At: []string{"a.go#Validate"}, Agent: true, Tool: "claude-code", Session: "s1"})
	if err != nil || res.Memory == nil {
		t.Fatalf("draft: %+v %v", res, err)
	}
	obs := store.Observation{Session: "s1", Log: "s-s1", Agent: "claude-code", Kind: "feature", Started: clock().Add(-time.Hour).UnixMilli(), Ended: clock().UnixMilli()}
	list, err := ws.Observer().Observe(t.Context(), obs, []memory.Inferred{{
		Draft: memory.Draft{Type: file.Gotcha, What: "Edits of `a.go` tend to be taken back: settle the approach first.", Why: "An edit was undone in 3 sessions.", Scope: []string{"a.go"}, Confidence: .7, Session: "s1", Tool: "claude-code"},
		Kind:  "backtrack", Key: "a.go", Sessions: []string{"s1"}, Evidence: []int{4, 9}, Count: 3, Value: .6,
	}})
	if err != nil || list[0].Memory == nil {
		t.Fatalf("candidate: %+v %v", list, err)
	}
	return res.Memory.UUID, list[0].Memory.UUID
}

type waitingCandidate struct {
	Folder, UUID, Type, What, Origin, CreatedAt string
	Evidence, Paths, Scope                      []string
	Confidence                                  float64
	Sessions                                    int
	Tainted                                     bool
}

type theCandidates struct {
	Candidates []waitingCandidate
	Total      int
}

func TestCandidates(t *testing.T) {
	s := newSandbox(t, small())
	draft, candidate := waitingCandidates(t, s)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	got := askOwn[theCandidates](t, e, "manicule/candidates", `{}`).Candidates
	if len(got) != 2 {
		t.Fatalf("candidates: %+v", got)
	}
	if first := askOwn[theCandidates](t, e, "manicule/candidates", `{"limit": 1}`); first.Total != 2 || len(first.Candidates) != 1 || first.Candidates[0].UUID != got[0].UUID {
		t.Errorf("the first: %+v", first)
	}
	at := slices.IndexFunc(got, func(c waitingCandidate) bool { return c.UUID == candidate })
	c, d := got[at], got[1-at]
	if c.Sessions != 3 || !slices.Equal(c.Paths, []string{"a.go"}) || !slices.Contains(c.Evidence, "events 4, 9 of session s1") || c.Origin != "observer_inferred" || c.Folder != string(e.URI("")) {
		t.Errorf("candidate: %+v", c)
	}
	if d.UUID != draft || d.Sessions != 1 || !slices.Equal(d.Paths, []string{"a.go"}) || len(d.Evidence) == 0 {
		t.Errorf("draft: %+v", d)
	}
	one := askOwn[struct {
		UUID, Folder string
		Code         []struct {
			Path, Text string
			More       int
			Location   protocol.Location
		}
	}](t, e, "manicule/candidate", `{"uuid": `+quoted(draft)+`}`)
	if one.UUID != draft || len(one.Code) != 1 || one.Code[0].Path != "a.go" || !strings.HasPrefix(one.Code[0].Text, "func Validate(") || !strings.HasPrefix(string(one.Code[0].Location.URI), one.Folder) {
		t.Errorf("the draft and its code: %+v", one)
	}
	if _, err := e.CallContext(t.Context(), "manicule/candidate", protocol.LSPAny(`{"uuid": "none"}`)); err == nil || !strings.Contains(err.Error(), "waits for review") {
		t.Errorf("one that does not wait: %v", err)
	}
	res := execute(t, e, "manicule.acceptMemory", quoted(candidate), `{"what": "Settle the approach before changing a.go", "type": "convention", "scope": "*.go"}`)
	if !strings.Contains(res, `"accepted":true`) || !strings.Contains(res, "Settle the approach before") {
		t.Errorf("accepted: %s", res)
	}
	e.Open("a.go")
	if h := hoverText(t, e, "a.go", 0, 0); !strings.Contains(h, "Settle the approach before") || !strings.Contains(h, "verified by ahmed") {
		t.Errorf("hover: %s", h)
	}
	execute(t, e, "manicule.rejectMemory", quoted(draft), `"not so"`)
	if left := askOwn[theCandidates](t, e, "manicule/candidates", `{}`).Candidates; len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

func TestEditCandidate(t *testing.T) {
	s := newSandbox(t, small())
	draft, _ := waitingCandidates(t, s)
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	if got := execute(t, e, "manicule.editMemory", quoted(draft)); !strings.Contains(got, `"needsEdit":true`) || !strings.Contains(got, "an agent thinks") {
		t.Errorf("asked for: %s", got)
	}
	if got := execute(t, e, "manicule.editMemory", quoted(draft), `{"what": "another thought about Validate"}`); !strings.Contains(got, `"draft":true`) {
		t.Errorf("edited: %s", got)
	}
	if got := askOwn[theCandidates](t, e, "manicule/candidates", `{}`).Candidates; !strings.Contains(fmt.Sprint(got), "another thought about Validate") {
		t.Errorf("candidates: %+v", got)
	}
}

func TestRememberFile(t *testing.T) {
	e := started(t)
	e.Write("src/b.go", "package b\n")
	for _, tt := range []struct{ uri, want string }{
		{"file://ROOT/a.go", `"path":"a.go"`}, {"file://ROOT/src", `src/**`}, {"file://ROOT", `"scope":null`},
	} {
		got := execute(t, e, "manicule.rememberFile", quoted(tt.uri), quoted("something about "+tt.uri))
		if !strings.Contains(got, `"accepted":true`) || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.uri, got)
		}
	}
	if got := execute(t, e, "manicule.rememberFile", `"file://ROOT/a.go"`); !strings.Contains(got, `"needsText":true`) {
		t.Errorf("without a text: %s", got)
	}
	for _, args := range [][]string{nil, {"7"}, {`"file:///elsewhere/x"`, `"t"`}, {`"file://ROOT/none.go"`, `"t"`}, {`"file://ROOT/.manicule"`, `"t"`}} {
		_, err := tryExecute(e, "manicule.rememberFile", args...)
		wantCode(t, err, jsonrpc2.InvalidParams)
	}
}

func TestDismiss(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	has := func(n int) {
		t.Helper()
		e.Await(lsptest.When(fmt.Sprintf("%d diagnostics", n), func(st lsptest.State) bool {
			p, ok := st.Diagnostics[e.URI("a.go")]
			return ok && len(p.Diagnostics) == n
		}))
	}
	has(1)
	if got := execute(t, e, "manicule.dismiss", quoted(uuid1)); !strings.Contains(got, `["diagnostic","lens","fix"]`) {
		t.Errorf("answer: %s", got)
	}
	has(0)
	if got := lensText(t, e, "a.go"); got != "" {
		t.Errorf("lens: %s", got)
	}
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("the hover, which was asked for, lacks it: %s", got)
	}
	other := s.edit(t, s.options(t)) // another editor on the same machine
	other.Initialize(lsptest.Full())
	other.Open("a.go")
	if got := lensText(t, other, "a.go"); got != "" {
		t.Errorf("lens elsewhere: %s", got)
	}
	menu := func(want, not string) {
		t.Helper()
		if got := execute(t, e, "manicule.memoryActions", quoted(uuid1)); !strings.Contains(got, `"`+want+`"`) || strings.Contains(got, `"`+not+`"`) {
			t.Errorf("menu, which should have %s: %s", want, got)
		}
	}
	menu("Show here again", "Don't show here")
	if got := execute(t, e, "manicule.undismiss", quoted(uuid1)); !strings.Contains(got, `"surfaces":[]`) {
		t.Errorf("answer: %s", got)
	}
	has(1)
	menu("Don't show here", "Show here again")
	execute(t, e, "manicule.dismiss", quoted(uuid1))
	execute(t, e, "manicule.dismiss", quoted(uuid1), "null", "false")
	has(1)
	execute(t, e, "manicule.dismiss", quoted(uuid1), `"hover"`)
	if got := hoverText(t, e, "a.go", 2, 5); strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
	for _, args := range [][]string{nil, {`"x"`}, {quoted(uuid1), `"screen"`}, {quoted(uuid1), `"hover"`, `3`}} {
		_, err := tryExecute(e, "manicule.dismiss", args...)
		wantCode(t, err, jsonrpc2.InvalidParams)
	}
}

// TestCapPerFile: lenses and diagnostics are limited, and the memories of the other
// lenses join the file's.
func TestCapPerFile(t *testing.T) {
	files := map[string]string{"a.go": "package a\n"}
	for i := range 8 {
		files["a.go"] += fmt.Sprintf("\nfunc F%d() {}\n", i)
		name, text := memoryJSON(i+1, fmt.Sprintf(`"type": "gotcha", "what": "about F%d", "pinned": %v, "anchors": [{"kind": "symbol", "path": "a.go", "symbol": "F%d"}]`, i, i == 6, i))
		files[name] = text
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Config, c.Options = false, `{"maxPerFile": 3}`
	e.Initialize(c)
	e.Open("a.go")
	st := e.Await(lsptest.When("diagnostics", func(st lsptest.State) bool { return len(st.Diagnostics[e.URI("a.go")].Diagnostics) > 0 }))
	list := diagText(st.Diagnostics[e.URI("a.go")].Diagnostics)
	if strings.Count(list, "\n") != 3 || !strings.Contains(list, "about F6") {
		t.Errorf("diagnostics:\n%s", list)
	}
	lenses := lensText(t, e, "a.go")
	if strings.Count(lenses, "\n") != 3 || !strings.HasPrefix(lenses, "0:0-0:9 ☞ 6 memories here") || !strings.Contains(lenses, "14:0") {
		t.Errorf("lenses:\n%s", lenses)
	}
}

// TestCapWithManyAnchors: the limit counts lines, not memories, and a memory with many
// anchors leaves room for others.
func TestCapWithManyAnchors(t *testing.T) {
	text, anchors := "package a\n", []string{}
	for i := range 25 {
		text += fmt.Sprintf("\nfunc F%d() {}\n", i)
		anchors = append(anchors, fmt.Sprintf(`{"kind": "symbol", "path": "a.go", "symbol": "F%d"}`, i))
	}
	files := map[string]string{"a.go": text}
	for i, rest := range []string{
		`"type": "gotcha", "what": "of all", "pinned": true, "anchors": [` + strings.Join(anchors, ", ") + `]`,
		`"type": "gotcha", "what": "of two", "anchors": [` + anchors[23] + ", " + anchors[24] + `]`,
		`"type": "gotcha", "what": "of the file", "anchors": [{"kind": "file", "path": "a.go"}]`,
	} {
		name, text := memoryJSON(i+1, rest)
		files[name] = text
	}
	s := newSandbox(t, files)
	for most, want := range map[int]struct{ first, has string }{
		1: {"0:0-0:9 ☞ 3 memories here", ""}, 2: {"0:0-0:9 ☞ 3 memories here", "2:0-2:12 ☞ 1 memory here"},
		20: {"0:0-0:9 ☞ 2 memories here", "48:0-48:13 ☞ 2 memories here"}, 26: {"0:0-0:9 ☞ 1 memory here", "48:0-48:13 ☞ 2 memories"}, 100: {"0:0-0:9 ☞ 1 memory here", "48:0-48:13 ☞ 2 memories"},
	} {
		e := s.edit(t, s.options(t))
		c := lsptest.Full()
		c.Config, c.Options = false, fmt.Sprintf(`{"maxPerFile": %d}`, most)
		e.Initialize(c)
		e.Open("a.go")
		lenses := lensText(t, e, "a.go")
		if strings.Count(lenses, "\n") != min(most, 26) || !strings.HasPrefix(lenses, want.first) || !strings.Contains(lenses, want.has) || strings.Contains(lenses, "any more") {
			t.Errorf("at most %d lenses:\n%s", most, lenses)
		}
		st := e.Await(lsptest.When("diagnostics", func(st lsptest.State) bool { return len(st.Diagnostics[e.URI("a.go")].Diagnostics) > 0 }))
		list := diagText(st.Diagnostics[e.URI("a.go")].Diagnostics)
		if strings.Count(list, "\n") != min(most, 28) || !strings.Contains(list, "of all") || (strings.Contains(list, "of two") && strings.Contains(list, "of the file")) != (most > 2) {
			t.Errorf("at most %d diagnostics:\n%s", most, list)
		}
	}
}

// TestLensNamesEachOnce: a lens that names a memory twice counts it once.
func TestLensNamesEachOnce(t *testing.T) {
	e := started(t)
	data := protocol.LSPAny(fmt.Sprintf(`{"uri": %q, "uuids": [%q, %q]}`, e.URI("a.go"), uuid1, uuid1))
	got := lsptest.Do[protocol.CodeLens](e, protocol.MethodCodeLensResolve, &protocol.CodeLens{Data: data})
	if got.Command.Title != "☞ 1 memory here" {
		t.Errorf("title: %s", got.Command.Title)
	}
}

// fakeTrust is a trust level that can be set.
type fakeTrust struct {
	mu     sync.Mutex
	level  int
	higher bool // another one is offered
	kept   int

	answered chan struct{} // a value for each answer; nil if nobody waits
}

// note tells who waits that there was an answer.
func (f *fakeTrust) note() {
	select {
	case f.answered <- struct{}{}:
	default:
	}
}

// Level is the level.
func (f *fakeTrust) Level(context.Context) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.level
}

// SetLevel sets it.
func (f *fakeTrust) SetLevel(_ context.Context, level int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.level = level
	f.note()
	return nil
}

// Higher offers a level if there is one.
func (f *fakeTrust) Higher(context.Context) (trust.Offer, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return trust.Offer{From: f.level, To: f.level + 1, Why: "3 of 4 drafts were accepted in 3 sessions"}, f.higher
}

// Keep counts the answers that the level stays.
func (f *fakeTrust) Keep(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept++
	f.higher = false
	f.note()
	return nil
}

// TestLowerTrustOffer: the third memory that a person calls wrong offers a lower trust
// level.
func TestLowerTrustOffer(t *testing.T) {
	for answer, want := range map[string]int{"Lower it": 1, "Keep it": 2} {
		s := newSandbox(t, several())
		opts := s.options(t)
		level := &fakeTrust{level: 2}
		opts.Trust = func(lsp.Memories) lsp.Trust { return level }
		e := s.edit(t, opts)
		e.Answer = func(method string, _ json.RawMessage) (any, bool) {
			return protocol.MessageActionItem{Title: answer}, method == protocol.MethodWindowShowMessageRequest
		}
		e.Initialize(lsptest.Full())
		for range 4 { // one memory, however often
			execute(t, e, "manicule.disputeMemory", quoted("0198f0c2-7a41-7c3e-9d7a-000000000001"))
		}
		for i := range 3 { // a correction says that it was wrong, too
			if n := len(e.State().Offers); n != 0 {
				t.Errorf("asked after %d", i)
			}
			id := quoted(fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i+1))
			if i == 1 {
				execute(t, e, "manicule.correctMemory", id, `{"what": "what is right"}`)
				continue
			}
			execute(t, e, "manicule.disputeMemory", id)
		}
		st := e.Await(lsptest.When("the question", func(st lsptest.State) bool { return len(st.Offers) == 1 }))
		if !strings.Contains(st.Offers[0].Message, "The trust level is 2.") {
			t.Errorf("question: %s", st.Offers[0].Message)
		}
		if !strings.Contains(st.Offers[0].Message, "called 3 memories wrong") {
			t.Errorf("question: %s", st.Offers[0].Message)
		}
		if want == 1 {
			e.Await(lsptest.When("the new level", func(st lsptest.State) bool {
				return slices.ContainsFunc(st.Messages, func(m protocol.ShowMessageParams) bool {
					return strings.Contains(m.Message, "the trust level is now 1")
				})
			}))
		}
		if got := execute(t, e, "manicule.status"); !strings.Contains(got, fmt.Sprintf(`"trustLevel":%d`, want)) {
			t.Errorf("%s: status: %s", answer, got)
		}
	}
}

// TestTreeInParts: with many memories the groups come first, and the memories of one, of one file or of each as far as a
// limit goes when they are asked for.
func TestTreeInParts(t *testing.T) {
	s := newSandbox(t, several())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	for _, by := range []string{"file", "module", "type", "state"} {
		whole := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q}`, by)).Groups
		few := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q, "inline": 5}`, by)).Groups
		if len(few) != len(whole) {
			t.Fatalf("by %s: %d groups without memories, %d with", by, len(few), len(whole))
		}
		for i, g := range few {
			if g.Count != len(whole[i].Items) || g.Count != whole[i].Count || len(g.Items) > 0 || g.Label != whole[i].Label || g.ID != whole[i].ID {
				t.Errorf("by %s: %+v of %+v", by, g, whole[i])
			}
			one := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q, "inline": 0, "group": %q, "folder": %q}`, by, g.ID, g.Folder))
			if want := (theTree{whole[i : i+1]}); one.text() != want.text() {
				t.Errorf("by %s, %s: got\n%swant\n%s", by, g.ID, one.text(), want.text())
			}
			first := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q, "group": %q, "limit": 1}`, by, g.ID)).Groups[0]
			if len(first.Items) != 1 || first.Count != g.Count || first.Items[0].What != whole[i].Items[0].What {
				t.Errorf("by %s, one of %s: %+v", by, g.ID, first)
			}
		}
		if got := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": %q, "inline": 6}`, by)); got.text() != (theTree{whole}).text() {
			t.Errorf("by %s: six memories are not too many: %s", by, got.text())
		}
	}
	got := askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"by": "file", "inline": 0, "uri": %q}`, e.URI("src/auth/t.go")))
	if want := "a.go [a.go]\n  of two files 0\nsrc/auth/** [src/auth]\n  of auth\nsrc/auth/t.go [src/auth/t.go]\n  of two files 0\nwhole project []\n  of everything\n"; got.text() != want {
		t.Errorf("of a file: got\n%s", got.text())
	}
	for method, wrong := range map[string]string{"tree": `{"inline": -1}`, "candidates": `{"limit": -1}`, "threads": `{"limit": -2}`} {
		if _, err := e.Call("manicule/"+method, json.RawMessage(wrong)); err == nil || !strings.Contains(err.Error(), "negative") {
			t.Errorf("%s %s: %v", method, wrong, err)
		}
	}
	if _, err := e.Call("manicule/tree", json.RawMessage(`{"by": "file", "limit": -1}`)); err == nil {
		t.Error("a negative limit of items")
	}
	if got := askOwn[theTree](t, e, "manicule/tree", `{"group": "0:gone"}`); len(got.Groups) != 0 {
		t.Errorf("a group that is gone: %+v", got)
	}
}

// TestTreeOfALink: a file that is opened by the name of a link has the memories of the file that it leads to.
func TestTreeOfALink(t *testing.T) {
	s := newSandbox(t, several())
	if err := symlink("a.go", filepath.Join(s.root, "link.go")); err != nil {
		t.Skip(err)
	}
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	of := func(name string) string {
		return askOwn[theTree](t, e, "manicule/tree", fmt.Sprintf(`{"uri": %q}`, e.URI(name))).text()
	}
	if got, want := of("link.go"), of("a.go"); got != want || !strings.Contains(got, "of Validate") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestTreeOfManyIsSmall: what a panel asks for first grows with the groups, and not with the memories.
func TestTreeOfManyIsSmall(t *testing.T) {
	files := map[string]string{"a.go": "package a\n"}
	for i := range 400 {
		name, text := memoryJSON(i+1, fmt.Sprintf(`"type": "gotcha", "what": "number %d of a lot", "scope": ["src/%d/**"]`, i, i%8))
		files[name] = text
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	size := func(params string) int {
		raw, err := e.Call("manicule/tree", json.RawMessage(params))
		must.OK(t, err)
		return len(raw)
	}
	if whole, first := size(`{}`), size(`{"inline": 200}`); first*50 > whole {
		t.Errorf("%d bytes of groups, %d with all memories", first, whole)
	}
}
