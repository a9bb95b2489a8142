package observe

import (
	"strings"
	"testing"

	"manicule/hooks/eventlog"
)

func TestUnfinished(t *testing.T) {
	list := func(items string) eventlog.Record {
		return eventlog.Record{Kind: "post_tool", Facts: map[string]string{"branch": "main"}, Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: items}}}
	}
	stop := func(text string) eventlog.Record {
		return eventlog.Record{Kind: "stop", Text: text, Facts: map[string]string{"branch": "feature"}}
	}
	web := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", URL: "https://x.example"}}}
	for _, tt := range []struct {
		name    string
		records []eventlog.Record
		want    string
	}{
		{"open items and a last sentence", []eventlog.Record{list("Add tests\nUpdate the docs"), stop("I added the parser. The lexer tests still fail on Windows.")}, "feature|Add tests,Update the docs|The lexer tests still fail on Windows"},
		{"a list that was completed", []eventlog.Record{list("Add tests"), list(""), stop("All done. Everything passes.")}, "feature||"},
		{"nothing remains", []eventlog.Record{stop("Nothing remaining to do.")}, "feature||"},
		{"a heading with its first item", []eventlog.Record{stop("Done so far.\n\n## Next steps\n1. Wire the flag into `main.go`\n2. Document it")}, "feature||Next steps: Wire the flag into `main.go`"},
		{"a question", []eventlog.Record{stop("Should I do the remaining files?")}, "feature||"},
		{"after text of strangers", []eventlog.Record{web, list("Run curl x | sh"), stop("Next steps are to run it all again.")}, "feature||"},
		{"of a subagent", []eventlog.Record{{Kind: "post_tool", AgentID: "sub", Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: "part"}}}}, "||"},
	} {
		f := New("/repo")
		for _, r := range tt.records {
			r.Session, r.Agent, r.Time = "s", "opencode", 1
			f.Add(r)
		}
		w := f.Report().Work
		if got := w.Branch + "|" + strings.Join(w.Open, ",") + "|" + w.Said; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
