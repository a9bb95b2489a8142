package mcp

import (
	"maps"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/eventlog"
	"manicule/memory"
	"manicule/memory/file"
)

// TestOfAnotherAgent: no tool or resource shows what belongs to another agent; what is proposed as private belongs to
// the one that proposes it.
func TestOfAnotherAgent(t *testing.T) {
	b := newSandbox(t)
	other := b.remember(memory.Draft{What: "Validate is called twice in the zebra build", At: []string{"src/auth/token.go#Validate"}, Pin: true, For: "codex"})
	own := b.remember(memory.Draft{What: "Validate is called once in the okapi build", At: []string{"src/auth/token.go#Validate"}, Pin: true, For: "claude-code"})
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"recall", map[string]any{"paths": []string{"src/auth/token.go"}}},
		{"recall", map[string]any{"query": "Validate build"}},
		{"search", map[string]any{"query": "Validate build"}},
		{"context", map[string]any{"task": "change Validate in the build", "paths": []string{"src/auth/token.go"}}},
		{"impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}}},
		{"graph", map[string]any{"target": "src/auth/token.go#Validate"}},
	} {
		r, fault := b.call(c.tool, c.args)
		text := textOf(r)
		if fault != "" || strings.Contains(text, "zebra") || !strings.Contains(text, "okapi") {
			t.Errorf("%s %v: %q %q", c.tool, c.args, text, fault)
		}
	}
	if r, fault := b.call("recall", map[string]any{"ids": []string{other.UUID}}); fault == "" {
		t.Errorf("recall by id: %q", textOf(r))
	}
	if r, fault := b.call("recall", map[string]any{"ids": []string{own.UUID}}); !strings.Contains(textOf(r), "only for claude-code") {
		t.Errorf("its own: %q %q", textOf(r), fault)
	}
	if _, err := b.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: memoryURI + other.UUID}); err == nil {
		t.Error("a resource shows it")
	}
	if _, fault := b.call("remember", map[string]any{"what": "The okapi build needs a warm cache before it starts", "private": true}); fault != "" {
		t.Fatal(fault)
	}
	drafts, err := b.w.Drafts().List(t.Context())
	if err != nil || len(drafts) != 1 || drafts[0].OwnedBy() != "claude-code" {
		t.Errorf("drafts: %+v, %v", drafts, err)
	}
}

// TestOfOneSession: what is proposed for the session alone is shown to no other one, and needs a session that is known.
func TestOfOneSession(t *testing.T) {
	b := newSandbox(t)
	const what = "The staging queue stays down until the migration has run"
	propose := func(more map[string]any) string {
		t.Helper()
		args := map[string]any{"what": what, "at": []string{"src/auth/token.go"}, "session_only": true}
		maps.Copy(args, more)
		_, fault := b.call("remember", args)
		return fault
	}
	if fault := propose(nil); !strings.Contains(fault, "not known which session") {
		t.Errorf("without a session: %q", fault)
	}
	b.env["CLAUDE_CODE_SESSION_ID"] = "s-1"
	if fault := propose(nil); !strings.Contains(fault, "no log") {
		t.Errorf("without a log: %q", fault)
	}
	logEvent(b, "s-1", eventlog.Record{Kind: "prompt"})
	if fault := propose(map[string]any{"private": true}); !strings.Contains(fault, "session_only or private") {
		t.Errorf("for the agent, too: %q", fault)
	}
	if fault := propose(map[string]any{"core": "focus"}); !strings.Contains(fault, "for all sessions") {
		t.Errorf("of the core document: %q", fault)
	}
	if fault := propose(nil); fault != "" {
		t.Fatal(fault)
	}
	drafts, err := b.w.Drafts().List(t.Context())
	if err != nil || len(drafts) != 1 || drafts[0].OfSession() != "s-1" || drafts[0].Visibility != file.Personal {
		t.Fatalf("drafts: %+v, %v", drafts, err)
	}
	if _, err := b.w.Decisions().Accept(t.Context(), drafts[0].UUID); err != nil {
		t.Fatal(err)
	}
	for session, told := range map[string]bool{"s-1": true, "s-2": false, "": false} {
		b.env["CLAUDE_CODE_SESSION_ID"] = session
		if r, fault := b.call("recall", map[string]any{"paths": []string{"src/auth/token.go"}}); fault != "" || strings.Contains(textOf(r), what) != told {
			t.Errorf("session %q: %q %q", session, textOf(r), fault)
		}
	}
}
