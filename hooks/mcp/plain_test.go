package mcp

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
)

// TestTextAlone holds that an answer is paid for once: without Options.Structured there are
// no data and no schema that would owe them, and the text is the same.
func TestTextAlone(t *testing.T) {
	size := tokens(t)
	plain, both := newSandbox(t, func(o *Options) { o.Structured = false }), newSandbox(t)
	for _, b := range []*sandbox{plain, both} {
		for _, d := range []memory.Draft{
			{Type: file.Gotcha, What: "Token refresh fails silently when Redis is gone", Why: "The pool keeps dead connections", At: []string{"src/auth/token.go#Validate"}},
			{Type: file.DeadEnd, What: "Tokens in a cookie broke the mobile client", Scope: []string{"src/auth/**"}},
			{Type: file.Convention, What: "Errors of the token are wrapped, never replaced", Scope: []string{"src/**"}},
		} {
			b.remember(d)
		}
	}
	tools, err := plain.client.ListTools(t.Context(), nil)
	must.OK(t, err)
	for _, tool := range tools.Tools {
		if tool.OutputSchema != nil {
			t.Errorf("%s has a schema of data", tool.Name)
		}
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"recall", map[string]any{"paths": []string{"src/auth/token.go"}}},
		{"search", map[string]any{"query": "token refresh"}},
		{"context", map[string]any{"task": "change the token"}},
		{"impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}}},
		{"graph", map[string]any{"target": "src/auth/token.go#Login"}},
		{"stats", map[string]any{}},
	} {
		one, fault := plain.call(c.tool, c.args)
		if fault != "" {
			t.Fatal(c.tool, fault)
		}
		two, fault := both.call(c.tool, c.args)
		if fault != "" {
			t.Fatal(c.tool, fault)
		}
		if one.StructuredContent != nil || two.StructuredContent == nil {
			t.Errorf("%s: data %v, and with data %v", c.tool, one.StructuredContent, two.StructuredContent)
		}
		if !strings.HasPrefix(textOf(one), "☞") || len(textOf(one)) != len(textOf(two)) {
			t.Errorf("%s answers\n%s\nand with data\n%s", c.tool, textOf(one), textOf(two))
		}
		data, err := json.Marshal(two.StructuredContent)
		must.OK(t, err)
		t.Logf("%s: %d tokens of text, %d of data", c.tool, size(textOf(two)), size(string(data)))
	}
}

// TestGraphOfSymbol holds that the files around a symbol's file are no answer about the
// symbol, while they are one about the file.
func TestGraphOfSymbol(t *testing.T) {
	b := newSandbox(t)
	r, fault := b.call("graph", map[string]any{"target": "src/auth/token.go#Login"})
	if fault != "" || strings.Contains(textOf(r), "file use") || !strings.Contains(textOf(r), "caller ") {
		t.Errorf("%s%s", fault, textOf(r))
	}
	r, fault = b.call("graph", map[string]any{"target": "src/auth/token.go"})
	if fault != "" || !strings.Contains(textOf(r), "file used by src/auth/token_test.go") {
		t.Errorf("%s%s", fault, textOf(r))
	}
}

// TestContextOfNothing holds that what holds for all work is not shown as if it were about
// the task.
func TestContextOfNothing(t *testing.T) {
	const nothing = "nothing is known about this task"
	b := newSandbox(t)
	b.remember(memory.Draft{Type: file.Convention, What: "Commits carry a reason in their body"})
	b.remember(memory.Draft{Type: file.Gotcha, What: "Token refresh fails silently when Redis is gone", At: []string{"src/auth/token.go#Validate"}})
	r, fault := b.call("context", map[string]any{"task": "paint the kitchen ceiling blue"})
	if fault != "" || !strings.Contains(textOf(r), nothing) || !strings.Contains(textOf(r), "Commits carry a reason") {
		t.Errorf("%s%s", fault, textOf(r))
	}
	r, fault = b.call("context", map[string]any{"task": "mend the refresh of the token"})
	if fault != "" || strings.Contains(textOf(r), nothing) || !strings.Contains(textOf(r), "fails silently") {
		t.Errorf("%s%s", fault, textOf(r))
	}
}

// A task of which several memories share only common words is told few of them, and that they may be beside the point.
func TestContextOfLittle(t *testing.T) {
	b := newSandbox(t)
	for _, what := range []string{
		"Invoices are numbered by the month in which the customer paid them", "Sessions of the importer end when the window of the customer is closed",
		"The cache of prices is emptied when a customer changes the currency", "A queue keeps letters to the customer for nine days",
		"Reports count each customer once, whichever shop he came from", "The mailer drops a customer without an address",
	} {
		b.remember(memory.Draft{Type: file.ModuleInsight, What: what, At: []string{"src/auth/token.go#Validate"}})
	}
	r, fault := b.call("context", map[string]any{"task": "paint the waiting room of the customer lounge in a warmer colour before winter"})
	text := textOf(r)
	if n := strings.Count(text, "- module insight"); fault != "" || n == 0 || n > 3 || !strings.Contains(text, "nothing is surely about this task") {
		t.Errorf("%d weak ones: %s%s", n, fault, text)
	}
}
