package mcp

import (
	"strings"
	"testing"

	"manicule/memory/core"
)

// TestCore: an agent proposes what every session should begin with, and changes nothing.
func TestCore(t *testing.T) {
	b := newSandbox(t)
	r, fault := b.call("remember", map[string]any{"what": "A billing service in Go", "core": "summary", "why": "The README says so."})
	if out := structured[Written](t, r); fault != "" || !out.Accepted || !out.Draft {
		t.Fatalf("remember: %s %+v", fault, out)
	}
	d, err := core.Read(b.w.Place(), "")
	if err != nil || !d.Empty() {
		t.Fatalf("the document changed: %+v, %v", d, err)
	}
	waiting, err := b.w.Drafts().List(t.Context())
	if err != nil || len(waiting) != 1 {
		t.Fatalf("waiting: %v, %v", waiting, err)
	}
	if _, err := b.w.Decisions().Accept(t.Context(), waiting[0].UUID); err != nil {
		t.Fatal(err)
	}
	if d, err = core.Read(b.w.Place(), ""); err != nil || d.Summary != "A billing service in Go" {
		t.Errorf("after a person accepted: %+v, %v", d, err)
	}
	if _, fault := b.call("remember", map[string]any{"what": "A billing service", "core": "title"}); !strings.Contains(fault, "no part of the core document") {
		t.Errorf("an unknown part: %q", fault)
	}
}

// TestOwnCore: what an agent proposes for its own document is in that one once a person has accepted it, and
// neither the project nor another agent has it. An agent whose sessions begin with nothing has none.
func TestOwnCore(t *testing.T) {
	b := newSandbox(t)
	r, fault := b.call("remember", map[string]any{"what": "Answers in German", "core": "preferences", "private": true})
	if out := structured[Written](t, r); fault != "" || !out.Accepted || !out.Draft {
		t.Fatalf("remember: %s %+v", fault, out)
	}
	waiting, err := b.w.Drafts().List(t.Context())
	if err != nil || len(waiting) != 1 {
		t.Fatalf("waiting: %v, %v", waiting, err)
	}
	if d, err := core.Read(b.w.Place(), "claude-code"); err != nil || !d.Empty() {
		t.Fatalf("before anybody accepted: %+v, %v", d, err)
	}
	if _, err := b.w.Decisions().Accept(t.Context(), waiting[0].UUID); err != nil {
		t.Fatal(err)
	}
	for whose, want := range map[string]string{"claude-code": "Answers in German", "": "", "codex": ""} {
		if d, err := core.Read(b.w.Place(), whose); err != nil || d.Preferences != want {
			t.Errorf("the document of %q: %+v, %v", whose, d, err)
		}
	}

	b.name = "some-client"
	b.connect(nil)
	if _, fault := b.call("remember", map[string]any{"what": "Answers in French", "core": "preferences", "private": true}); !strings.Contains(fault, "no session of this agent") {
		t.Errorf("an agent without sessions: %q", fault)
	}
}
