package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestWrongArguments: what is wrong with a call is said in a sentence with a hint, and in no words of
// JSON Schema.
func TestWrongArguments(t *testing.T) {
	b := newSandbox(t)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"context", map[string]any{}, "context needs task. Try: It takes task (a text), budget (number), contents (number), estimate (number), paths (list of texts), resume (true or false)."},
		{"recall", map[string]any{"pahts": "main.go"}, `recall has no "pahts". Try: Name it paths (a list of texts).`},
		{"search", map[string]any{"text": "x", "colour": 1}, `search needs query, and has no "colour", "text". Try: It takes query (a text), budget`},
		{"recall", map[string]any{"paths": 1}, `paths of recall must be a list of texts, not 1. Try: It takes`},
		{"recall", map[string]any{"paths": "main.go, src"}, `paths of recall must be a list of texts, not "main.go, src". Try: It takes`},
		{"recall", map[string]any{"paths": "main.go\nsrc"}, `paths of recall must be a list of texts, not "main.go\nsrc". Try: It takes`},
		{"search", map[string]any{"query": "x", "limit": "many"}, `limit of search must be a number, not "many". Try: `},
		{"search", map[string]any{"query": "x", "limit": 1.5}, `limit of search must be a number, not 1.5. Try: `},
		{"search", map[string]any{"query": []string{"x", "y"}}, `query of search must be a text, not ["x","y"]. Try: `},
		{"search", map[string]any{"query": "x", "code": "yes"}, `code of search must be true or false, not "yes". Try: `},
		{"recall", map[string]any{"paths": []any{1}}, `paths of recall must be a list of texts, not [1]. Try: `},
		{"recall", map[string]any{"paths": []string{"src", strings.Repeat("x/", 300_000)}}, "paths of recall is too long. Try: Give at most 4096 bytes."},
		{"impact", map[string]any{"target": strings.Repeat("x/", 300_000)}, "targets of impact is too long. Try: Give at most 4096 bytes."},
		{"search", map[string]any{"query": strings.Repeat("x ", 300_000)}, "query of search is too long. Try: Give at most 65536 bytes."},
		{"forget", map[string]any{"id": "ffffffff"}, "forget needs reason. Try: It takes id (a text), reason (a text)."},
		{"remember", map[string]any{"what": "Writes go through one queue only", "at": []string{"src/nothing.go"}}, "give a scope: scope 'src/nothing.go'"},
		{"search", map[string]any{"query": "x", "types": []string{"nonsense"}}, `unknown memory type "nonsense". Try: Use one of gotcha,`},
	} {
		r, err := b.client.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Errorf("%s %v: %v", c.tool, c.args, err)
			continue
		}
		got := ""
		for _, x := range r.Content {
			got += x.(*mcp.TextContent).Text
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %v answers %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	if r, fault := b.call("recall", map[string]any{"paths": []string{"src"}, "colour": "red"}); r.IsError {
		t.Errorf("an argument that no tool has is not ignored: %s", fault)
	}
	for name, want := range map[string]string{"recal": `there is no tool "recal". Try: recall.`, "verify": `there is no tool "verify". Try: build, confirm, context,`} {
		if _, err := b.client.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestMeantArguments: a form that can only mean one thing is taken as that.
func TestMeantBy(t *testing.T) {
	for name, want := range map[string]string{"anchors": "at", "file_path": "at", "Location": "at", "tag": "tags", "mood": "moods", "rationale": "why", "why": "reason"} {
		if got := meantBy(name); !slices.Contains(got, want) || want != "at" && slices.Contains(got, "at") {
			t.Errorf("%q stands for %q", name, got)
		}
	}
}

func TestMeantArguments(t *testing.T) {
	b := newSandbox(t)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"recall", map[string]any{"paths": "src"}, "for src."},
		{"recall", map[string]any{"path": "src"}, "for src."},
		{"recall", map[string]any{"path": []string{"src"}}, "for src."},
		{"recall", map[string]any{"paths": `["src", "cmd"]`}, "for src, cmd."},
		{"recall", map[string]any{"paths": "[src]"}, "for [src]."},
		{"recall", map[string]any{"paths": "src/*.{ts,tsx}"}, "for src/*.{ts,tsx}."},
		{"recall", map[string]any{"file": "src"}, "for src."},
		{"remember", map[string]any{"what": "The queue holds five jobs", "file": "src/auth/token.go", "reason": "the broker refuses more"}, "kept as draft"},
		{"search", map[string]any{"query": []string{"x"}}, "found"},
		{"search", map[string]any{"query": "x", "limit": "5", "code": "false"}, "found"},
	} {
		r, fault := b.call(c.tool, c.args)
		if r.IsError || fault != "" {
			t.Errorf("%s %v: %s", c.tool, c.args, fault)
			continue
		}
		if got := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, c.want) {
			t.Errorf("%s %v answers %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	drafts, err := b.w.Drafts().List(t.Context())
	if err != nil || len(drafts) != 1 || len(drafts[0].Anchors) != 1 || drafts[0].Why != "the broker refuses more" {
		t.Errorf("what was remembered at a file is not there: %+v, %v", drafts, err)
	}
}

// TestUnreadArguments: what a tool that writes has no place for is named in its answer, and what one that reads has none for is not worth a word.
func TestUnreadArguments(t *testing.T) {
	b := newSandbox(t)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"build", map[string]any{"new": "Move the queue", "milestone": "May", "estimate": 3}, `"estimate", "milestone" was not read: build takes add (text), brief (text)`},
		{"remember", map[string]any{"what": "The queue holds five jobs at most", "at": []string{"src/auth/token.go"}}, ""},
		{"recall", map[string]any{"paths": "src", "colour": "red"}, ""},
	} {
		r, fault := b.call(c.tool, c.args)
		if r.IsError || fault != "" {
			t.Errorf("%s %v: %s", c.tool, c.args, fault)
			continue
		}
		got := ""
		for _, x := range r.Content[1:] {
			got += x.(*mcp.TextContent).Text
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s %v adds %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}
