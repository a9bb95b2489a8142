package hooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
	"manicule/hooks/nudge"
	"manicule/indexer/linefile"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// world is a project on disk with memories in memory.
type world struct {
	tb     testing.TB
	root   string
	state  string
	opens  int
	closes int
	roots  map[string][]*file.Memory // by root
	drafts []memory.Draft
	slow   chan struct{} // when set, ForPath waits for it
	stuck  chan struct{} // when set, Brief waits for it, whatever its context says
	fail   error
	mu     sync.Mutex
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	root, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	w := &world{tb: tb, root: root, state: filepath.Join(tb.TempDir(), "state"), roots: map[string][]*file.Memory{}}
	w.mkdir(".manicule", "src/auth", "src/db")
	w.write("src/auth/x.ts", "src/auth/y.ts", "src/db/z.ts")
	w.roots[root] = []*file.Memory{
		mem("g1", file.Gotcha, "Token refresh fails silently when Redis is unreachable", "src/auth/**"),
		mem("d1", file.Decision, "Sessions live in Redis", "src/auth/**"),
		mem("d2", file.Decision, "Tokens are opaque", "src/auth/x.ts"),
		mem("p1", file.Convention, "Errors are wrapped"),
	}
	return w
}

func mem(id string, t file.Type, what string, scopes ...string) *file.Memory {
	m := &file.Memory{UUID: id, Type: t, What: what, Scope: scopes, Importance: file.Medium}
	if len(scopes) == 0 {
		m.Confidence = 1 // one of a place is not sure, so it is only counted
		m.Trust.Origin = file.UserTaught
	}
	return m
}

func (w *world) mkdir(names ...string) {
	for _, n := range names {
		if err := os.MkdirAll(filepath.Join(w.root, n), 0o755); err != nil {
			w.tb.Fatal(err)
		}
	}
}

func (w *world) write(names ...string) {
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(w.root, n), []byte("x\n"), 0o644); err != nil {
			w.tb.Fatal(err)
		}
	}
}

// memories is the fake behind the consumer's interface.
type memories struct {
	w    *world
	root string
}

func (m memories) Root() string { return m.root }

func (m memories) Close() error {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	m.w.closes++
	return nil
}

func (m memories) ForPath(ctx context.Context, q memory.PathQuery) ([]memory.Hit, error) {
	if m.w.slow != nil {
		select {
		case <-m.w.slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if m.w.fail != nil {
		return nil, m.w.fail
	}
	var out []memory.Hit
	for _, mm := range m.w.roots[m.root] {
		if match := matches(mm, q.Path, q.Dir); match != memory.MatchNone {
			out = append(out, memory.Hit{Memory: mm, Match: match})
		}
	}
	return out, nil
}

func (m memories) Brief(context.Context) ([]memory.Hit, int, error) {
	if m.w.stuck != nil {
		<-m.w.stuck
	}
	var out []memory.Hit
	for _, mm := range m.w.roots[m.root] {
		if len(mm.Scope) == 0 || mm.Pinned {
			out = append(out, memory.Hit{Memory: mm, Match: memory.MatchProject})
		}
	}
	return out, len(m.w.roots[m.root]), nil
}

func (m memories) Files(_ context.Context, paths []string) ([]memory.Hit, error) {
	var out []memory.Hit
	for _, mm := range m.w.roots[m.root] {
		if slices.Contains(paths, mm.UUID) {
			out = append(out, memory.Hit{Memory: mm})
		}
	}
	return out, nil
}

// open finds the nearest root upwards, as discovery does.
func (w *world) open(_ context.Context, dir string) (Memories, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for d := dir; ; d = filepath.Dir(d) {
		if _, ok := w.roots[d]; ok {
			w.opens++
			return memories{w, d}, nil
		}
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil || d == filepath.Dir(d) {
			return nil, ErrNoWorkspace
		}
	}
}

func (w *world) options(agent, stdin string, out io.Writer) Options {
	return Options{
		Agent: agent, Stdin: strings.NewReader(stdin), Stdout: out, Start: time.Now(),
		Getenv:       patient,
		OpenReadOnly: w.open,
		Remember: func(_ context.Context, _ string, d memory.Draft) (memory.Result, error) {
			w.drafts = append(w.drafts, d)
			return memory.Result{Accepted: true, Memory: mem("new", file.Gotcha, d.What), Draft: d.Agent}, nil
		},
		StateDir: func(string) (string, error) { return w.state, nil },
	}
}

// patient is the environment of a person who gives events all the time that they need: what a test wants to
// hear does not depend on what else the machine does.
func patient(name string) string {
	if name == slowEnv {
		return "1h"
	}
	return ""
}

// answerInTime runs a hook with the usual budgets, and returns what it printed and how long that took. It is for
// a bubble of synctest, in which time passes only while nothing runs.
func answerInTime(opt Options) (string, time.Duration) {
	opt.Getenv = func(string) string { return "" }
	began := time.Now()
	out := answer(opt)
	return out, time.Since(began)
}

// run gives one event to the hook and returns the text of its answer.
func (w *world) run(event map[string]any) string {
	w.tb.Helper()
	return w.as("claude-code", event)
}

func (w *world) as(agent string, event map[string]any) string {
	w.tb.Helper()
	for k, v := range map[string]any{"session_id": "s1", "cwd": w.root} {
		if _, ok := event[k]; !ok {
			event[k] = v
		}
	}
	in, err := json.Marshal(event)
	if err != nil {
		w.tb.Fatal(err)
	}
	var out bytes.Buffer
	Run(context.Background(), w.options(agent, string(in), &out))
	var answer struct {
		Specific struct {
			Name    string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Context string `json:"additional_context"`
	}
	if out.Len() == 0 {
		return ""
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		w.tb.Fatalf("%v: %s", err, out.String())
	}
	return answer.Specific.Context + answer.Context
}

// ids makes each call another one.
var ids int

func tool(name, key, value string) map[string]any {
	ids++
	return map[string]any{"hook_event_name": "PreToolUse", "tool_name": name, "tool_use_id": fmt.Sprint("t", ids), "tool_input": map[string]any{key: value}}
}

const nudgeX = "☞ 3 memories for src/auth/x.ts: 1 gotcha, 2 decisions."
const nudgeHow = " `manicule recall src/auth/x.ts` shows them."
const nudgeProject = "☞ 1 memory for the whole project: 1 convention “Errors are wrapped”."

func TestNudgeOnce(t *testing.T) {
	w := newWorld(t)
	read := func() map[string]any { return tool("Read", "file_path", filepath.Join(w.root, "src/auth/x.ts")) }
	if got := w.run(read()); got != nudgeX+nudgeHow+"\n"+nudgeProject {
		t.Errorf("first: %s", got)
	}
	if got := w.run(read()); got != "" {
		t.Errorf("again: %s", got)
	}
	if got := w.run(tool("Edit", "file_path", "src/auth/y.ts")); got != "" {
		t.Errorf("another file of the same memories: %s", got)
	}
	other := read()
	other["session_id"] = "s2"
	if got := w.run(other); got == "" {
		t.Error("nothing in another session")
	}
	sub := read()
	sub["agent_id"] = "a1"
	if got := w.run(sub); got == "" {
		t.Error("nothing in a subagent")
	}
	if got := w.run(map[string]any{"hook_event_name": "SessionStart", "source": "compact"}); !strings.Contains(got, "4 memories") || !strings.Contains(got, "“Errors are wrapped”") {
		t.Errorf("the brief after a compaction: %s", got)
	}
	if got := w.run(read()); got != nudgeX {
		t.Errorf("after the compaction: %s", got)
	}
	w.quiet()
	if w.opens != w.closes {
		t.Errorf("%d opened, %d closed", w.opens, w.closes)
	}
}

// TestProjectWide: what is not sure enough, disputed, or no person's word is counted by a nudge and a brief, and not quoted.
// Who pins a memory wants it quoted.
func TestProjectWide(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *file.Memory)
		quoted bool
	}{
		"sure":                            {func(*file.Memory) {}, true},
		"not sure":                        {func(m *file.Memory) { m.Confidence = .5 }, false},
		"of a document":                   {func(m *file.Memory) { m.Trust.Origin = file.Import }, false},
		"of a document, read by a person": {func(m *file.Memory) { m.Trust = file.Trust{Origin: file.Import, VerifiedBy: "Ada"} }, false},
		"of a document, important to a person": {func(m *file.Memory) {
			m.Trust, m.Importance = file.Trust{Origin: file.Import, VerifiedBy: "Ada"}, file.High
		}, true},
		"of a document, pinned": {func(m *file.Memory) { m.Trust.Origin, m.Pinned = file.Import, true }, true},
		"of an agent":           {func(m *file.Memory) { m.Trust.Origin = file.AgentExplicit }, false},
		"of an agent, accepted": {func(m *file.Memory) { m.Trust = file.Trust{Origin: file.AgentExplicit, VerifiedBy: "Ada"} }, true},
		"not sure, pinned":      {func(m *file.Memory) { m.Confidence, m.Pinned = .5, true }, true},
		"disputed":              {func(m *file.Memory) { m.Trust.DisputedBy = "Bob" }, false},
		"disputed, and pinned":  {func(m *file.Memory) { m.Trust.DisputedBy, m.Pinned = "Bob", true }, false},
	} {
		w := newWorld(t)
		for _, m := range w.roots[w.root] {
			if len(m.Scope) == 0 {
				c.change(m)
			}
		}
		got := w.run(tool("Read", "file_path", filepath.Join(w.root, "src/auth/x.ts")))
		if !strings.Contains(got, "1 memory for the whole project: 1 convention") || strings.Contains(got, "wrapped") != c.quoted {
			t.Errorf("%s: a nudge: %s", name, got)
		}
		got = w.run(map[string]any{"session_id": "other", "hook_event_name": "SessionStart", "source": "startup"})
		if !strings.Contains(got, "4 memories") || strings.Contains(got, "wrapped") != c.quoted {
			t.Errorf("%s: a brief: %s", name, got)
		}
	}
}

func TestNudgeKinds(t *testing.T) {
	for name, tc := range map[string]struct {
		event func(w *world) map[string]any
		want  string
	}{
		"create":        {func(*world) map[string]any { return tool("Write", "file_path", "src/auth/new/deep.ts") }, "2 memories for src/auth/new/deep.ts"},
		"search":        {func(w *world) map[string]any { return tool("Grep", "path", filepath.Join(w.root, "src")) }, "1 memory for the whole project"},
		"search all":    {func(*world) map[string]any { return tool("Grep", "pattern", "x") }, "1 memory for the whole project"},
		"glob":          {func(*world) map[string]any { return tool("Glob", "pattern", "src/auth/**/*.ts") }, "2 memories for src/auth/"},
		"search a file": {func(*world) map[string]any { return tool("Grep", "path", "src/auth/y.ts") }, "2 memories for src/auth/y.ts"},
		"backslashes":   {func(*world) map[string]any { return tool("Read", "file_path", `src\auth\x.ts`) }, "3 memories for src/auth/x.ts"},
		"dots":          {func(*world) map[string]any { return tool("Read", "file_path", "src/db/../auth/x.ts") }, "3 memories for src/auth/x.ts"},
		"other":         {func(*world) map[string]any { return tool("TodoWrite", "file_path", "src/auth/x.ts") }, ""},
		"outside":       {func(*world) map[string]any { return tool("Read", "file_path", "/etc/passwd") }, ""},
		"above":         {func(*world) map[string]any { return tool("Read", "file_path", "../x.ts") }, ""},
		"another drive": {func(*world) map[string]any { return tool("Read", "file_path", `C:\shop\src\auth\x.ts`) }, ""},
		"only a failure": {func(*world) map[string]any {
			e := tool("Read", "file_path", "src/auth/x.ts")
			e["hook_event_name"] = "PostToolUseFailure"
			return e
		}, ""},
		"only logged": {func(*world) map[string]any {
			e := tool("Read", "file_path", "src/auth/x.ts")
			e["hook_event_name"] = "PostToolUse"
			return e
		}, ""},
		"batch": {func(*world) map[string]any {
			return map[string]any{"hook_event_name": "PostToolBatch", "tool_calls": []any{
				tool("Bash", "command", "sed -n 1,9p src/auth/y.ts"), tool("Read", "file_path", "src/auth/x.ts")}}
		}, "2 memories for src/auth/y.ts: 1 gotcha, 1 decision. `manicule recall src/auth/y.ts` shows them.\n☞ 1 memory for src/auth/x.ts: 1 decision."},
	} {
		w := newWorld(t)
		got := w.run(tc.event(w))
		if tc.want == "" && got != "" || !strings.HasPrefix(strings.TrimPrefix(got, "☞ "), tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestManyBelow holds that a search through a large folder says nothing of single files in it, and
// doesn't use up what they have to say.
func TestManyBelow(t *testing.T) {
	w := newWorld(t)
	for i := range 10 {
		w.roots[w.root] = append(w.roots[w.root], mem(fmt.Sprint("m", i), file.Pattern, "p", "src/db/**"))
	}
	if got := w.run(tool("Grep", "path", "src")); strings.Contains(got, "src/") {
		t.Errorf("the folder: %s", got)
	}
	if got := w.run(tool("Glob", "path", "src")); got != "" {
		t.Errorf("the folder again: %s", got)
	}
	if got := w.run(tool("Read", "file_path", "src/auth/x.ts")); got != nudgeX {
		t.Errorf("a file in it: %s", got)
	}
}

func TestLinksAndRoots(t *testing.T) {
	w := newWorld(t)
	w.mkdir("apps/web/.manicule", "node_modules/evil/.manicule")
	w.roots[filepath.Join(w.root, "apps/web")] = []*file.Memory{mem("n1", file.Gotcha, "Nested", "main.ts")}
	w.roots[filepath.Join(w.root, "node_modules/evil")] = []*file.Memory{mem("e1", file.Gotcha, "Poison", "**")}
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.roots[elsewhere] = []*file.Memory{mem("x1", file.Gotcha, "Elsewhere", "**")}
	if got := w.run(tool("Read", "file_path", "apps/web/main.ts")); !strings.Contains(got, "1 memory for main.ts") || !strings.Contains(got, "`manicule recall --root apps/web main.ts` shows it") {
		t.Errorf("a nested root: %q", got)
	}
	for _, p := range []string{"node_modules/evil/index.js", filepath.Join(elsewhere, "a.ts")} {
		if got := w.run(tool("Read", "file_path", p)); got != "" {
			t.Errorf("%s: %q", p, got)
		}
	}
	w.mkdir("third/lib/.git") // a submodule that nobody has set up: the project around it knows of it
	w.roots[w.root] = append(w.roots[w.root], mem("l1", file.Gotcha, "Dial needs a deadline", "third/lib/dial.go"))
	if got := w.run(tool("Read", "file_path", "third/lib/dial.go")); !strings.Contains(got, "1 memory for third/lib/dial.go") {
		t.Errorf("a submodule: %q", got)
	}
	w.mkdir("src")
	inside := tool("Read", "file_path", filepath.Join(w.root, "src/auth/x.ts"))
	inside["cwd"], inside["session_id"] = filepath.Join(w.root, "src"), "in-a-folder"
	if got := w.run(inside); !strings.Contains(got, "`manicule recall --root .. src/auth/x.ts` shows") {
		t.Errorf("from a folder: %q", got)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(w.root, link); err != nil {
		t.Skip("no links here")
	}
	e := tool("Read", "file_path", filepath.Join(link, "src/auth/x.ts"))
	e["cwd"] = link
	if got := w.run(e); !strings.HasPrefix(got, nudgeX) {
		t.Errorf("through a link: %q", got)
	}
	if w.opens != w.closes {
		t.Errorf("%d opened, %d closed", w.opens, w.closes)
	}
}

func TestOneOpenPerRoot(t *testing.T) {
	w := newWorld(t)
	w.run(map[string]any{"hook_event_name": "PostToolBatch", "tool_calls": []any{
		tool("Read", "file_path", "src/auth/x.ts"), tool("Read", "file_path", "src/db/z.ts"), tool("Read", "file_path", "src/new/q.ts")}})
	if w.opens != 1 {
		t.Errorf("opened %d times", w.opens)
	}
}

func TestSessionStart(t *testing.T) {
	for source, brief := range map[string]bool{"startup": true, "clear": true, "compact": true, "resume": false, "fork": false} {
		w := newWorld(t)
		if got := w.run(map[string]any{"hook_event_name": "SessionStart", "source": source}); (got != "") != brief {
			t.Errorf("%s: %q", source, got)
		}
	}
	w := newWorld(t)
	w.run(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	if got := w.run(tool("Read", "file_path", "src/db/z.ts")); got != "" {
		t.Errorf("what the brief said is said again: %s", got)
	}
}

// TestNewHere holds that the first three sessions of a workspace are told that
// it is new to Manicule, each at its start.
func TestNewHere(t *testing.T) {
	w := newWorld(t)
	for i, id := range []string{"one", "two", "three", "four"} {
		start := func(source string) string {
			return w.run(map[string]any{"hook_event_name": "SessionStart", "source": source, "session_id": id})
		}
		if got := strings.Contains(start("startup"), nudge.NewHere); got != (i < 3) {
			t.Errorf("session %s is told %v", id, got)
		}
		if strings.Contains(start("compact"), nudge.NewHere) {
			t.Errorf("session %s is told again after a compaction", id)
		}
	}
}

func TestCursorReset(t *testing.T) {
	w := newWorld(t)
	event := func(name, id string) map[string]any {
		return map[string]any{"hook_event_name": name, "cursor_version": "3", "conversation_id": "c", "workspace_roots": []string{w.root},
			"tool_name": "Read", "tool_use_id": id, "tool_input": map[string]any{"file_path": "src/auth/x.ts"}}
	}
	if got := w.as("claude-code", event("postToolUse", "1")); !strings.HasPrefix(got, nudgeX) {
		t.Errorf("first: %q", got)
	}
	if got := w.as("cursor", event("postToolUse", "2")); got != "" {
		t.Errorf("second: %q", got)
	}
	w.as("cursor", event("preCompact", "3"))
	if got := w.as("cursor", event("postToolUse", "4")); !strings.HasPrefix(got, nudgeX) {
		t.Errorf("after a compaction: %q", got)
	}
}

func TestDoubleFiring(t *testing.T) {
	w := newWorld(t)
	start := map[string]any{"hook_event_name": "SessionStart", "source": "startup"}
	if first, second := w.run(start), w.run(start); first == "" || second != "" {
		t.Errorf("first %q, second %q", first, second)
	}
	call := tool("Read", "file_path", "src/auth/x.ts")
	if first, second := w.run(call), w.run(call); first == "" || second != "" {
		t.Errorf("first %q, second %q", first, second)
	}
	prompt := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "/remember x"}
	w.run(prompt)
	w.run(prompt)
	if len(w.drafts) != 1 {
		t.Errorf("stored %d times", len(w.drafts))
	}
}

func TestRemember(t *testing.T) {
	for prompt, tc := range map[string]struct {
		from  string
		draft string
		want  string
	}{
		"/remember tests need Redis":                               {"user", "- “tests need Redis” at [] person", "Manicule has stored “tests need Redis” (gotcha, new)"},
		"/remember --type gotcha --at src/auth/x.ts:3 don't retry": {"", "gotcha “don't retry” at [ROOT/src/auth/x.ts:3] person", "Manicule has stored"},
		"/remember --at='src/db/z.ts' --personal -- --odd":         {"user", "- “--odd” at [ROOT/src/db/z.ts] person", "Manicule has stored"},
		"/manicule:remember\nx":                                    {"user", "- “x” at [] person", "Manicule has stored"},
		"/remember from a program":                                 {"sdk", "- “from a program” at [] agent", "Manicule keeps “from a program” as a draft"},
		"/remember from a timer":                                   {"schedule_wakeup", "", ""},
		"/remember":                                                {"user", "", "Manicule stored nothing for /remember: there is no text after it."},
		"/remember --typo x y":                                     {"user", "", "Manicule stored nothing for /remember: it has no option --typo."},
		"/rememberx y":                                             {"user", "", ""},
		"please /remember y":                                       {"user", "", ""},
	} {
		w := newWorld(t)
		got := w.run(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": prompt, "source": tc.from})
		if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%q: %q", prompt, got)
		}
		draft := ""
		for _, d := range w.drafts {
			who := "person"
			if d.Agent {
				who = "agent"
			}
			kind := string(d.Type)
			if kind == "" {
				kind = "-"
			}
			draft += fmt.Sprintf("%s “%s” at %v %s", kind, d.What, d.At, who)
		}
		if want := strings.ReplaceAll(tc.draft, "ROOT", w.root); draft != want {
			t.Errorf("%q: stored %s, want %s", prompt, draft, want)
		}
	}
}

func TestEventIsLogged(t *testing.T) {
	w := newWorld(t)
	e := tool("Bash", "command", "curl -H 'Authorization: Bearer "+strings.Repeat("aB3dE5fG", 5)+"' x")
	e["hook_event_name"] = "PostToolUseFailure"
	e["error"] = "Exit code 1"
	w.run(e)
	records, bad, err := eventlog.Read(w.state, "s1")
	if err != nil || bad != 0 || len(records) != 1 {
		t.Fatalf("%v %d %v", records, bad, err)
	}
	r := records[0]
	if r.Kind != "post_tool_failure" || *r.Calls[0].OK || r.Calls[0].Error != "Exit code 1" || !strings.Contains(r.Calls[0].Command, "[credentials]") {
		t.Errorf("%+v", r)
	}
	lat, err := Latencies(w.state, 10)
	if err != nil || len(lat) != 1 || lat[0].Outcome != "empty" || lat[0].Event != "PostToolUseFailure" {
		t.Errorf("%v %v", lat, err)
	}
}

// matches is recall's scope table for the fake; memory/scope does the globs.
func matches(m *file.Memory, rel string, isDir bool) memory.Match {
	if len(m.Scope) == 0 {
		return memory.MatchProject
	}
	s, err := scope.Compile(m.Scope, scope.Options{})
	if err != nil {
		return memory.MatchNone
	}
	switch s.Match(rel, isDir) {
	case scope.In:
		return memory.MatchScope
	case scope.Parent:
		return memory.MatchParent
	}
	return memory.MatchNone
}

// TestLearn: what a session has shown is kept when it ends, or when the next
// one begins; never during a session, and never in the way of the answer.
func TestLearn(t *testing.T) {
	w := newWorld(t)
	var calls []string
	send := func(name string, fail error) {
		t.Helper()
		in := fmt.Sprintf(`{"session_id": "s1", "cwd": %q, "hook_event_name": %q, "tool_name": "Bash", "tool_input": {"command": "ls"}}`, w.root, name)
		var out bytes.Buffer
		opt := w.options("claude-code", in, &out)
		opt.Learn = func(_ context.Context, dir, session string) error {
			if dir != w.root {
				t.Errorf("learned in %s", dir)
			}
			if records, _, err := eventlog.Read(w.state, "s1"); session != "" && (err != nil || len(records) == 0) {
				t.Errorf("before the event was logged: %v", err)
			}
			calls = append(calls, name+" "+session)
			return fail
		}
		Run(context.Background(), opt)
	}
	for _, name := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
		send(name, nil)
	}
	if got := strings.Join(calls, ","); got != "SessionStart ,SessionEnd s1" {
		t.Errorf("learned at %q", got)
	}
	send("SessionEnd", context.DeadlineExceeded) // the next session picks it up
	if list, err := Recent(w.state, 5); err != nil || len(list) != 0 {
		t.Errorf("notes %v, %v", list, err)
	}
	send("SessionEnd", fmt.Errorf("disk full"))
	if list, err := Recent(w.state, 5); err != nil || len(list) != 1 || !strings.Contains(list[0].Message, "disk full") {
		t.Errorf("notes %v, %v", list, err)
	}
}

// TestRecordKeepsWhatTells: of a long error the log has the lines that say why,
// and no secret that is among them.
func TestRecordKeepsWhatTells(t *testing.T) {
	noise := strings.Repeat("=== RUN   TestSomething\n--- PASS: TestSomething (0.00s)\n", 100)
	failed := "Exit code 1\n$ go test ./...\n" + noise + "auth.go:12:3: undefined: Flag\n" + noise + "token = \"ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o\" is invalid\n"
	r := logrecord.Of(event.Event{Agent: "claude-code", Kind: event.PostToolFailure, Session: "s", Calls: []event.Call{{Tool: "Bash", Class: event.Shell, Command: "go test ./...", Outcome: event.Failed, Error: failed}}}, time.Now())
	got := r.Calls[0].Error
	if len(got) > 480 || !strings.Contains(got, "auth.go:12:3: undefined: Flag") || !strings.Contains(got, "is invalid") || strings.Contains(got, "ghp_") {
		t.Errorf("kept %d bytes: %q", len(got), got)
	}
	line, err := eventlog.Encode(r)
	if err != nil || len(line) > linefile.MaxLine {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}
