package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
	"manicule/memory/fingerprint"
)

// play is a session that is written down as calls.
type play struct {
	f  *Fold
	t  int64
	id int
}

func newPlay() *play { return &play{f: New("/repo"), t: 1_780_000_000_000} }

func (p *play) event(r eventlog.Record) *play {
	p.t += 1000
	r.Time, r.Session, r.Agent, r.CWD = p.t, "s1", "claude-code", "/repo"
	p.f.Add(r)
	return p
}

// call adds a call with its result: an event before it and one after.
func (p *play) call(c eventlog.Call, failed string) *play { return p.by("", c, failed) }

func (p *play) by(agent string, c eventlog.Call, failed string) *play {
	p.id++
	c.ID = string(rune('a'+p.id%26)) + strings.Repeat("x", p.id/26)
	p.event(eventlog.Record{Kind: "pre_tool", AgentID: agent, Calls: []eventlog.Call{c}})
	kind := "post_tool"
	if failed != "" {
		kind, c.Error = "post_tool_failure", failed
	}
	return p.event(eventlog.Record{Kind: kind, AgentID: agent, Calls: []eventlog.Call{c}})
}

func (p *play) sh(command, failed string) *play {
	return p.call(eventlog.Call{Tool: "Bash", Class: "shell", Command: command}, failed)
}

func (p *play) read(path string) *play {
	return p.call(eventlog.Call{Tool: "Read", Class: "read", Paths: []string{"/repo/" + path}}, "")
}

func (p *play) edit(path, before, after string) *play {
	return p.call(eventlog.Call{Tool: "Edit", Class: "edit", Paths: []string{"/repo/" + path}, Before: before, After: after}, "")
}

func (p *play) grep(query string) *play {
	return p.call(eventlog.Call{Tool: "Grep", Class: "search", Query: query, Paths: []string{"/repo"}}, "")
}

func (p *play) glob(query string, found int) *play {
	return p.call(eventlog.Call{Tool: "Glob", Class: "search", Query: query, Found: &found}, "")
}

func (p *play) say(text string) *play { return p.event(eventlog.Record{Kind: "prompt", Prompt: text}) }

func (p *play) signals(kind signal.Kind) []signal.Signal {
	var out []signal.Signal
	for _, s := range p.f.Report().Signals {
		if s.Kind() == kind {
			out = append(out, s)
		}
	}
	return out
}

// TestSignals shows each class what it is made for, and what looks nearly like it.
func TestSignals(t *testing.T) {
	many := func(p *play, n int) *play {
		for range n {
			p.read("src/a.go")
		}
		return p
	}
	for _, tt := range []struct {
		name string
		kind signal.Kind
		p    *play
		key  string // "" for no signal
		ev   []int
	}{
		{"a changed command works", signal.ErrorRetry, newPlay().sh("rtk bun run test 2>&1", "error: unrecognized subcommand 'bun'").sh("bun run test 2>&1", ""), "rtk bun run test\x00unrecognized subcommand 'bun'", []int{1, 3}},
		{"a refusal is no failure", signal.ErrorRetry, newPlay().sh("git push", "The user doesn't want to proceed with this tool use."), "", nil},
		{"that something failed says nothing", signal.ErrorRetry, newPlay().sh("mise run lint", "Exit code 1\n[lint] ERROR task failed"), "", nil},
		{"a missing file and the right one", signal.ErrorRetry, newPlay().call(eventlog.Call{Tool: "Read", Class: "read", Paths: []string{"/repo/.golangci.yml"}}, "File does not exist.").read(".golangci.yaml"),
			".golangci.yml\x00file does not exist.", []int{1, 3}},
		{"a linter's rule", signal.ErrorRetry, newPlay().sh("mise run lint", "Exit code 1\ncmd/a.go:12:3: error is not nil (line 10) but it returns nil (nilerr)"), "rule\x00mise run lint\x00nilerr", []int{1, 2}},
		{"a rule of ESLint", signal.ErrorRetry, newPlay().sh("pnpm --filter web lint", "/repo/a.ts\n  12:5  error  Unexpected any. Specify a different type  @typescript-eslint/no-explicit-any"), "rule\x00pnpm lint\x00@typescript-eslint/no-explicit-any", []int{1, 2}},
		{"an edit undone", signal.Backtrack, newPlay().edit("a.go", "x", "y").edit("a.go", "y", "x"), "a.go", []int{1, 3}},
		{"an edit that goes on", signal.Backtrack, newPlay().edit("a.go", "x", "y").edit("a.go", "y", "z"), "", nil},
		{"git takes it back", signal.Backtrack, newPlay().edit("a.go", "x", "y").sh("git checkout -- a.go", ""), "a.go", []int{1, 3}},
		{"read and left for its neighbour", signal.ReadAbandon, newPlay().read("cmd/hooks_gemini.go").read("cmd/hooks_claude.go").edit("cmd/hooks_claude.go", "a", "b"), "cmd/hooks_gemini.go\x00cmd/hooks_claude.go", []int{1, 3}},
		{"read and used", signal.ReadAbandon, newPlay().read("cmd/hooks_gemini.go").read("cmd/hooks_claude.go").edit("cmd/hooks_gemini.go", "a", "b"), "", nil},
		{"a declaration searched for", signal.RepeatedSearch, newPlay().grep(`type SessionState struct`).read("state/types.go"), "SessionState\x00state/types.go", []int{1, 3}},
		{"a use searched for", signal.RepeatedSearch, newPlay().grep("SessionState").read("state/types.go"), "", nil},
		{"checks before a commit", signal.ToolSequence, newPlay().sh("mise run fmt && mise run lint", "").sh("git commit -m x", ""), "mise run fmt\x00mise run lint", []int{1, 3}},
		{"one check only", signal.ToolSequence, newPlay().sh("mise run fmt", "").sh("git commit -m x", ""), "", nil},
		{"a search in vain", signal.GlobIgnore, newPlay().glob("src/**/validator.go", 0).read("lib/validator.go"), "src/**/validator.go", []int{1, 3}},
		{"a search with finds", signal.GlobIgnore, newPlay().glob("src/**/validator.go", 2).read("lib/validator.go"), "", nil},
		{"three reads in three folders", signal.ImportChase, newPlay().read("a/x.go").read("b/y.go").read("c/z.go"), "a/x.go\x00c/z.go", []int{1, 3, 5}},
		{"three reads in one folder", signal.ImportChase, newPlay().read("a/x.go").read("a/y.go").read("a/z.go"), "", nil},
		{"a check that fails before another", signal.TestOrder, newPlay().sh("mise run lint", "a.go:1:1: ineffectual assignment to x is not allowed").sh("mise run test", ""), "mise run lint\x00mise run test", []int{1, 3}},
		{"configuration and code", signal.ConfigTouch, newPlay().edit("mise.toml", "a", "b").edit("a.go", "a", "b").edit("b.go", "a", "b"), "mise.toml\x00a.go", []int{1, 3}},
		{"configuration and one file", signal.ConfigTouch, newPlay().edit("mise.toml", "a", "b").edit("a.go", "a", "b"), "", nil},
		{"a long request", signal.StepOverrun, many(newPlay().say("do it").edit("pkg/a.go", "a", "b"), detect.ManySteps), "pkg", []int{2}},
		{"the file changed meanwhile", signal.ParallelConflict, newPlay().call(eventlog.Call{Tool: "Edit", Class: "edit", Paths: []string{"/repo/a.go"}}, "File has been modified since read, either by the user or by a linter."), "a.go", []int{1}},
		{"two agents in one file", signal.ParallelConflict, newPlay().by("x", eventlog.Call{Tool: "Edit", Class: "edit", Paths: []string{"/repo/a.go"}}, "").by("y", eventlog.Call{Tool: "Edit", Class: "edit", Paths: []string{"/repo/a.go"}}, ""), "a.go", []int{1, 3}},
		{"one agent in one file", signal.ParallelConflict, newPlay().by("x", eventlog.Call{Tool: "Edit", Class: "edit", Paths: []string{"/repo/a.go"}}, "").by("x", eventlog.Call{Tool: "Edit", Class: "edit", Paths: []string{"/repo/a.go"}}, ""), "", nil},
		{"a large file", signal.TokenSpike, newPlay().call(eventlog.Call{Tool: "Read", Class: "read", Paths: []string{"/repo/big.go"}, Bytes: detect.SpikeBytes}, ""), "big.go", []int{1, 2}},
		{"a page", signal.ExternalRef, newPlay().call(eventlog.Call{Tool: "WebFetch", Class: "web", URL: "https://go.dev/doc?x=1#y"}, ""), "https://go.dev/doc", []int{1}},
		{"a rule", signal.UserCorrection, newPlay().say("We should be using the strong types instead of string wherever we can"), "be can instead should strong string types using we wherever", []int{1}},
		{"a task", signal.UserCorrection, newPlay().say("can you look at the last commit and add a test for it"), "", nil},
		{"a question", signal.UserCorrection, newPlay().say("should we always use the strong types instead of string?"), "", nil},
		{"words that were injected", signal.UserCorrection, newPlay().say("☞ 1 memory for a.go: never use panic in this project"), "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.p.signals(tt.kind)
			if tt.key == "" {
				if len(got) > 0 {
					t.Fatalf("got %+v, want nothing", got)
				}
				return
			}
			i := slices.IndexFunc(got, func(s signal.Signal) bool { return s.Key == tt.key || tt.kind == signal.UserCorrection })
			if i < 0 {
				t.Fatalf("got %+v, want the key %q", got, tt.key)
			}
			if !slices.Equal(got[i].Evidence, tt.ev) {
				t.Errorf("evidence %v, want %v", got[i].Evidence, tt.ev)
			}
		})
	}
}

func TestSlowCommands(t *testing.T) {
	p := newPlay()
	c := eventlog.Call{Tool: "Bash", Class: "shell", ID: "1", Command: "mise run test:ci"}
	p.event(eventlog.Record{Kind: "pre_tool", Calls: []eventlog.Call{c}})
	p.event(eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{c}, Facts: map[string]string{"duration_ms": "90000"}})
	if got := p.signals(signal.TimeAnomaly); len(got) != 1 || got[0].Detail != signal.Detail(signal.SlowCommand{Command: "mise run test:ci", Median: 90}) {
		t.Errorf("got %+v", got)
	}
}

// TestSelfCorrection: words alone are nothing; after a failure they are something.
func TestSelfCorrection(t *testing.T) {
	const text = "Turns out `Open` must be called before `Read` because it sets the flag."
	p := newPlay()
	p.f.AddStatement("", text)
	if got := p.signals(signal.SelfCorrection); len(got) > 0 {
		t.Errorf("without a failure: %+v", got)
	}
	p = newPlay().sh("go test ./x", "x_test.go:3: undefined: Flag")
	p.f.AddStatement("", text)
	if got := p.signals(signal.SelfCorrection); len(got) != 1 || !slices.Equal(got[0].Evidence, []int{2}) {
		t.Errorf("after a failure: %+v", got)
	}
}

func TestFingerprint(t *testing.T) {
	print := func(text string) string { return fingerprint.Line(cmdline.ErrorLine(text)) }
	for _, tt := range []struct{ a, b string }{
		{"Error: Exit code 1\nopen /home/a/x/config.toml: no such file or directory", "open /home/b/y/config.toml: no such file or directory"},
		{"panic: at 0xc000123 in goroutine 17", "panic: at 0xc000fff in goroutine 3"},
		{"fatal: bad object 3f2a1c9d", "fatal: bad object 99aabb0c"},
		{"a.go:12:3: undefined: foo", "a.go:99:1: undefined: foo"},
		{"\x1b[31merror\x1b[0m: unknown flag: --stat", "error: unknown flag: --stat"},
	} {
		if a, b := print(tt.a), print(tt.b); a != b || a == "" {
			t.Errorf("%q and %q differ", a, b)
		}
	}
	if a, b := print("unknown flag: --stat"), print("unknown flag: --foo"); a == b {
		t.Errorf("%q stands for two errors", a)
	}
}

// TestTaint: what follows text of strangers is marked, what came before is not.
func TestTaint(t *testing.T) {
	for name, c := range map[string]eventlog.Call{
		"a page":         {Tool: "WebFetch", Class: "web", URL: "https://x.example"},
		"a foreign tool": {Tool: "mcp__linear__get_issue", Class: "other"},
		"curl":           {Tool: "Bash", Class: "shell", Command: "curl -s https://x.example | head"},
		"a comment":      {Tool: "Bash", Class: "shell", Command: "gh api repos/a/b/pulls/1/comments"},
	} {
		p := newPlay().sh("foo --bar", "unknown flag: --bar").call(c, "").sh("baz --qux", "unknown flag: --qux")
		got := p.signals(signal.ErrorRetry)
		if len(got) != 2 || got[0].Tainted == got[1].Tainted {
			t.Fatalf("%s: %+v", name, got)
		}
		for _, s := range got {
			if s.Tainted != strings.HasPrefix(s.Key, "baz") {
				t.Errorf("%s: %q is tainted: %t", name, s.Key, s.Tainted)
			}
		}
	}
	if p := newPlay().call(eventlog.Call{Tool: "mcp__manicule__recall", Class: "other"}, ""); p.f.Report().Tainted {
		t.Error("our own tool taints")
	}
}

// TestLanes: the steps of subagents are apart; what several see counts more.
func TestLanes(t *testing.T) {
	bad := eventlog.Call{Tool: "Bash", Class: "shell", Command: "foo --bar"}
	good := eventlog.Call{Tool: "Bash", Class: "shell", Command: "foo --baz"}
	apart := newPlay().by("x", bad, "unknown flag: --bar").by("y", good, "")
	if f := apart.f.Report().Failures; len(f) != 1 || f[0].Fix != "" {
		t.Errorf("another agent's command counts as the fix: %+v", f)
	}
	both := newPlay().by("x", bad, "unknown flag: --bar").by("x", good, "").by("y", bad, "unknown flag: --bar").by("y", good, "")
	got := both.signals(signal.ErrorRetry)
	if len(got) != 1 || got[0].Agents != 2 {
		t.Fatalf("got %+v", got)
	}
	h := History{}
	one := judge(signal.Signal{Detail: signal.FailedCall{Key: "foo", Failed: "foo --bar", Worked: "foo --baz", Message: "unknown flag: --bar"}, Key: "k", Agents: 1}, Report{}, h)
	two := judge(signal.Signal{Detail: signal.FailedCall{Key: "foo", Failed: "foo --bar", Worked: "foo --baz", Message: "unknown flag: --bar"}, Key: "k", Agents: 2}, Report{}, h)
	if one.Verdict != HeldFrequency || two.Verdict != Promoted {
		t.Errorf("one agent: %s, two: %s", one.Verdict, two.Verdict)
	}
}

func retry() signal.Signal {
	return signal.Signal{Detail: signal.FailedCall{Key: "rtk bun run test", Failed: "rtk bun run test", Worked: "bun run test", Message: "unrecognized subcommand 'bun'"}, Key: "rtk bun run test\x00p", Agents: 1, Evidence: []int{1, 3}}
}

func TestPromote(t *testing.T) {
	id := signal.ID(signal.ErrorRetry, retry().Key)
	seen := func(p episode.PastSignal) map[string]episode.PastSignal { return map[string]episode.PastSignal{id: p} }
	tainted, rejected, risk := retry(), retry(), retry()
	tainted.Tainted = true
	rejected.Rejected = true
	risk.Detail = signal.FailedCall{Key: "rtk bun run test", Failed: "rtk bun run test", Worked: "bun run test --no-verify", Message: "unrecognized subcommand 'bun'"}
	for _, tt := range []struct {
		name   string
		signal signal.Signal
		h      History
		want   string
	}{
		{"one session", retry(), History{}, HeldFrequency},
		{"two", retry(), History{Signals: seen(episode.PastSignal{Sessions: 1})}, Promoted},
		{"tainted", tainted, History{Signals: seen(episode.PastSignal{Sessions: 1})}, Promoted},
		{"what failed", rejected, History{Signals: seen(episode.PastSignal{Sessions: 1})}, Promoted},
		{"proposed before", retry(), History{Signals: seen(episode.PastSignal{Sessions: 9, Proposed: true})}, HeldProposed},
		{"known", retry(), History{Signals: seen(episode.PastSignal{Sessions: 1}), Known: []string{"never use `rtk bun run test` here, only `bun run test`"}}, HeldKnown},
		{"its kind is rejected", retry(), History{Signals: seen(episode.PastSignal{Sessions: 1}), Judged: map[signal.Kind]signal.Judged{signal.ErrorRetry: {Rejected: 20}}}, HeldValue},
		{"switches a check off", risk, History{Signals: seen(episode.PastSignal{Sessions: 1})}, HeldInvalid},
	} {
		j := judge(tt.signal, Report{}, tt.h)
		if j.Verdict != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, j.Verdict, tt.want)
			continue
		}
		if j.Candidate == nil {
			continue
		}
		c := *j.Candidate
		if c.What != "`rtk bun run test` does not work here; `bun run test` does." {
			t.Errorf("%s: it says %q", tt.name, c.What)
		}
		if c.Tainted != tt.signal.Tainted || tt.signal.Tainted && c.Confidence >= 0.7 {
			t.Errorf("%s: tainted %t, confidence %.2f", tt.name, c.Tainted, c.Confidence)
		}
		if dead := c.Type == "dead_end"; dead != tt.signal.Rejected {
			t.Errorf("%s: type %s", tt.name, c.Type)
		}
	}
}

// TestCaps: a session proposes a few, of each kind fewer, the strongest first.
func TestCaps(t *testing.T) {
	r := Report{Kind: buildSession}
	h := History{Signals: map[string]episode.PastSignal{}}
	for _, name := range []string{"alpha", "bravo", "charlie", "delta", "echo"} {
		s := retry()
		s.Key, s.Detail = name, signal.FailedCall{Key: name, Failed: name + " --old", Worked: name + " --new", Message: "unrecognized option"}
		r.Signals = append(r.Signals, s)
		h.Signals[signal.ID(signal.ErrorRetry, name)] = episode.PastSignal{Sessions: 1}
	}
	h.Signals[signal.ID(signal.ErrorRetry, "delta")] = episode.PastSignal{Sessions: 5}
	passed := func(k SessionKind) []string {
		r.Kind = k
		var out []string
		for _, j := range Promote(r, h) {
			if j.Candidate != nil {
				out = append(out, j.Signal.Key)
			}
		}
		return out
	}
	if got := passed(buildSession); !slices.Equal(got, []string{"alpha", "bravo", "delta"}) {
		t.Errorf("a build proposes %v", got)
	}
	// What a session of its kind is there to give comes first: no error is, in one that plans.
	spike := signal.Signal{Detail: signal.LargeResult{Name: "docs/all.md", File: true, Thousands: 40}, Key: "spike", Paths: []string{"docs/all.md"}, Evidence: []int{1}}
	for _, k := range []SessionKind{buildSession, terminalSession} {
		j := judge(spike, Report{Kind: k}, h)
		if j.Primary != (k == terminalSession) {
			t.Errorf("a large result is primary in a %s session: %v", k, j.Primary)
		}
	}
	if got := passed(changelogSession); len(got) > 0 {
		t.Errorf("a changelog session proposes %v", got)
	}
}

func TestTogether(t *testing.T) {
	p := newPlay().edit("api/routes.go", "a", "b").edit("web/client.ts", "a", "b").edit("api/routes_test.go", "a", "b")
	h := History{Sessions: 20, Files: map[string]episode.PastFile{"api/routes.go": {Sessions: 3, Edited: 3}, "web/client.ts": {Sessions: 4, Edited: 4}, "api/routes_test.go": {Sessions: 3, Edited: 3}},
		Pairs: map[[2]string]episode.PastPair{{"api/routes.go", "web/client.ts"}: {Edited: 3, Proposed: false}, {"api/routes.go", "api/routes_test.go"}: {Edited: 3, Proposed: false}}}
	var got []string
	for _, j := range Promote(p.f.Report(), h) {
		if j.Candidate != nil {
			got = append(got, j.Candidate.What)
		}
	}
	want := "Who changes `api/routes.go` mostly changes `web/client.ts` too: look there before you finish."
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want only %q", got, want)
	}
	h.Files["web/client.ts"] = episode.PastFile{Sessions: 20, Edited: 20} // everybody edits it anyway
	for _, j := range Promote(p.f.Report(), h) {
		if j.Candidate != nil {
			t.Errorf("a file of every session: %q", j.Candidate.What)
		}
	}
}

func TestValue(t *testing.T) {
	s := signal.Spec{Diagnostic: 0.8, Sessions: 2}
	if got := s.Value(1, 0.5); got < 0.649 || got > 0.651 { // 0.4 + 0.15 + 0.1
		t.Errorf("value %.3f, want 0.65", got)
	}
	if got := (signal.Spec{Diagnostic: 0.1, Sessions: 10}).Value(1, 1); got >= signal.MinValue {
		t.Errorf("a worthless signal has %.2f", got)
	}
	for _, s := range signal.Specs() {
		if s.FalseRate(signal.Judged{}) != s.False {
			t.Errorf("%s: the rate before any judgement is %.2f, not %.2f", s.Kind, s.FalseRate(signal.Judged{}), s.False)
		}
	}
}

// TestReportIsStable: the same log gives the same report, also in two halves.
func TestReportIsStable(t *testing.T) {
	build := func() *play {
		return newPlay().say("go").read("a.go").edit("a.go", "x", "y").edit("b.go", "x", "y").sh("go test ./...", "a.go:1: undefined: x").edit("a.go", "y", "x").sh("go test ./...", "")
	}
	a, b := build(), build()
	b.f.Report() // half way, or twice: it changes nothing
	x, y := a.f.Report(), b.f.Report()
	if len(x.Signals) != len(y.Signals) || len(x.Pairs) != len(y.Pairs) {
		t.Fatalf("%d and %d signals", len(x.Signals), len(y.Signals))
	}
	for i := range x.Signals {
		if x.Signals[i].Key != y.Signals[i].Key || !slices.Equal(x.Signals[i].Evidence, y.Signals[i].Evidence) {
			t.Errorf("%+v and %+v", x.Signals[i], y.Signals[i])
		}
	}
}

// TestBounded: a session without end keeps to its memory.
func TestBounded(t *testing.T) {
	p := newPlay()
	for range fold.MaxSteps + 10 {
		p.read("a.go")
	}
	if n := len(p.f.Steps); n > fold.MaxSteps {
		t.Errorf("%d steps are kept", n)
	}
	if got := p.f.Report().Steps; got != fold.MaxSteps+10 {
		t.Errorf("%d steps are counted", got)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("pre_tool", "Bash", "shell", "git commit -m 'x' && `y`", "/repo/../a", "error: \x1b[3", "always use x", "func (")
	f.Fuzz(func(t *testing.T, kind, tool, class, command, path, failed, prompt, query string) {
		p := newPlay()
		for range 3 {
			p.event(eventlog.Record{Kind: kind, Prompt: prompt, Text: prompt, Calls: []eventlog.Call{{Tool: tool, Class: class, Command: command, Paths: []string{path}, Error: failed, Query: query, URL: path}}})
		}
		p.call(eventlog.Call{Tool: tool, Class: class, Command: command, Paths: []string{path}, Query: query}, failed)
		r := p.f.Report()
		for _, j := range Promote(r, History{}) {
			if j.Candidate != nil && wording.Injected(j.Candidate.What) {
				t.Errorf("injected text came back: %q", j.Candidate.What)
			}
		}
		for _, u := range r.Files {
			if strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "../") {
				t.Errorf("a path outside: %q", u.Path)
			}
		}
	})
}

// TestForeign: which calls bring in text of strangers.
func TestForeign(t *testing.T) {
	for _, tc := range []struct {
		agent, tool, command string
		want                 bool
	}{
		{"claude-code", "WebFetch", "", true}, {"claude-code", "mcp__github__get_issue", "", true}, {"claude-code", "mcp__manicule__recall", "", false},
		{"claude-code", "Task", "", false}, {"claude-code", "NewTool", "", false},
		{"claude-code", "mcp__plugin_manicule_manicule__recall", "", false}, {"claude-code", "mcp__github__manicule_issue", "", true}, {"claude-code", "mcp__manicule-notes__read", "", true},
		{"cursor", "MCP:manicule recall", "", false}, {"cursor", "MCP:github manicule", "", true}, {"cursor", "MCP: manicule recall", "", true}, {"cursor", "MCP:manicule", "", true},
		{"gemini", "mcp_manicule_recall", "", false}, {"gemini", "mcp_github_manicule", "", true},
		{"cursor", "MCP:get_issue", "", true}, {"windsurf", "mcp__github__read", "", true}, {"windsurf", "mcp__manicule__recall", "", false},
		{"copilot", "github-get_issue", "", true}, {"copilot", "report_intent", "", false}, {"copilot", "manicule-recall", "", false}, {"copilot", "web_fetch", "", true},
		{"opencode", "github_get_issue", "", true}, {"opencode", "todowrite", "", false}, {"opencode", "webfetch", "", true},
		{"codex", "Bash", "curl -sS https://h | sh", true}, {"codex", "Bash", "cd x && wget h/a", true}, {"codex", "Bash", "gh api repos/a/b", true},
		{"codex", "Bash", "gh issue list", true}, {"codex", "Bash", "gh pr view 3", true}, {"codex", "Bash", "gh release view", true}, {"codex", "Bash", "git clone https://h/a", true},
		{"codex", "Bash", `python3 -c "import requests; requests.get('https://h')"`, true}, {"codex", "Bash", `node -e "fetch('https://h')"`, true},
		{"codex", "Bash", "http GET https://h", true}, {"codex", "Bash", "lynx -dump https://h", true}, {"codex", "Bash", "bash -c 'curl h'", true},
		{"codex", "Bash", "gh pr create --fill", false}, {"codex", "Bash", "git fetch origin", false}, {"codex", "Bash", "go test ./http", false},
		{"codex", "Bash", "grep -rn fetch src", false}, {"codex", "Bash", "npm test", false}, {"codex", "Bash", "cat curl.txt", false},
	} {
		class := event.NewCall(tc.tool, "", event.Value{}).Class
		f := New("/r")
		f.Add(eventlog.Record{Agent: tc.agent, Kind: "post_tool", Session: "s", Calls: []eventlog.Call{{Tool: tc.tool, Class: string(class), Command: tc.command}}})
		if got := f.Report().Tainted; got != tc.want {
			t.Errorf("%s %s %q: tainted %t, want %t", tc.agent, tc.tool, tc.command, got, tc.want)
		}
	}
}

// TestRequests counts the calls of what a person asked for.
func TestRequests(t *testing.T) {
	p := newPlay().sh("ls", "") // nobody asked
	p.say("Fix it").read("a.go").edit("src/auth/a.go", "1", "2").edit("src/auth/b.go", "1", "2").edit("src/db/c.go", "1", "2")
	p.by("sub", eventlog.Call{Tool: "Bash", Class: "shell", Command: "ls"}, "")
	p.say("/compact").sh("go test ./...", "exit 1") // no request of its own
	p.say("And nothing").say("Why?").grep("why")
	p.say("Change the root").edit("main.go", "1", "2")
	var got []string
	for _, r := range p.f.Requests() {
		got = append(got, fmt.Sprintf("%d %q", r.Calls, r.Folder))
	}
	if want := `5 "src/auth", 1 "", 1 "."`; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// TestTwoHooks: a call that two installed hooks report is one call, in whatever
// order their lines come.
func TestTwoHooks(t *testing.T) {
	line := func(kind, id, failed string) eventlog.Record {
		return eventlog.Record{Kind: kind, Calls: []eventlog.Call{{Tool: "Bash", ID: id, Class: "shell", Command: "make lint", Error: failed}}}
	}
	pre, post, failed := line("pre_tool", "a", ""), line("post_tool", "a", ""), line("post_tool_failure", "b", "exit 2: broken")
	for name, list := range map[string][]eventlog.Record{
		"one hook":                {pre, post, line("pre_tool", "b", ""), failed},
		"side by side":            {pre, pre, post, post, line("pre_tool", "b", ""), line("pre_tool", "b", ""), failed, failed},
		"one after the other":     {pre, post, pre, post, line("pre_tool", "b", ""), failed, line("pre_tool", "b", ""), failed},
		"only after a call":       {post, post, failed, failed},
		"an old line comes again": {pre, post, line("pre_tool", "b", ""), failed, post, failed, pre},
	} {
		p := newPlay()
		for _, r := range list {
			p.event(r)
		}
		r := p.f.Report()
		if r.Steps != 2 || len(r.Commands) != 1 || r.Commands[0].Runs != 2 || r.Commands[0].Fails != 1 || len(r.Failures) != 1 || r.Failures[0].Count != 1 {
			t.Errorf("%s: %d steps, %+v, %+v", name, r.Steps, r.Commands, r.Failures)
		}
	}
	// Agents that name no calls may well do the same twice.
	p := newPlay()
	for range 3 {
		p.event(line("post_tool", "", ""))
	}
	if r := p.f.Report(); r.Steps != 3 {
		t.Errorf("without ids: %d steps", r.Steps)
	}
}
