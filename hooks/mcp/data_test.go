package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
)

// toldData is structured data as hosts give it to a model: JSON.stringify of the object.
func toldData(t testing.TB, r *mcp.CallToolResult) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	must.OK(t, e.Encode(r.StructuredContent))
	return strings.TrimSpace(out.String())
}

// noLonger holds that the structured data of an answer take no more tokens than its text, but for
// some slack.
func noLonger(t testing.TB, count func(string) int, name string, r *mcp.CallToolResult, slack int) {
	t.Helper()
	text, data := textOf(r), toldData(t, r)
	if x, y := count(text), count(data); y > x+slack {
		t.Errorf("%s: %d tokens of text, %d of data\n%s\n%s", name, x, y, text, data)
	}
}

// The answers of tests, read back from the data that a client gets.

func (a *Answer) UnmarshalJSON(data []byte) error {
	var in struct {
		Columns string
		Items   [][]any
		Code    [][]string
		More    int
		Next    string
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	a.Items, a.Matched, a.Next = itemsFrom(in.Columns, in.Items), len(in.Items)+len(in.Code)+in.More, in.Next
	return nil
}

func (a *CodeAnswer) UnmarshalJSON(data []byte) error {
	var in struct {
		Affected map[string][]string
		Files    int
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	a.Files = in.Files
	for how, places := range in.Affected {
		for _, p := range places {
			at, root, _ := strings.Cut(p, " in ")
			a.Affected = append(a.Affected, Use{At: at, How: how, Root: root})
		}
	}
	return nil
}

func (a *SessionAnswer) UnmarshalJSON(data []byte) error {
	var in struct {
		Session        string
		Recent         []string
		Prompts, Calls int
		Files          map[string][]string
		Failed         []string
		Shown, Drafts  [][]any
		Omitted        omissions
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*a = SessionAnswer{Session: in.Session, Prompts: in.Prompts, Calls: in.Calls, Failures: in.Failed, Shown: itemsFrom("id type what marks", in.Shown), Drafts: itemsFrom("id type what marks", in.Drafts)}
	a.Recent = in.Recent
	for how, files := range in.Files {
		for _, f := range files {
			a.Files = append(a.Files, Touched{File: f, How: how})
		}
	}
	for reason, n := range in.Omitted {
		a.Omitted = append(a.Omitted, Omission{reason, n})
	}
	return nil
}

func (w *Written) UnmarshalJSON(data []byte) error {
	var in struct{ Refused, Draft, ID, Same, Message string }
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*w = Written{Accepted: in.Refused == "", Draft: in.Draft != "", ID: in.Draft + in.ID, MergedInto: in.Same, Reason: in.Refused + in.Message}
	return nil
}

func itemsFrom(columns string, rows [][]any) (out []Item) {
	for _, row := range rows {
		var it Item
		for i, name := range strings.Fields(columns)[:len(row)] {
			switch name {
			case "id":
				it.ID = row[i].(string)
			case "type":
				it.Type = row[i].(string)
			case "what":
				it.What = row[i].(string)
			case "root":
				it.Root = row[i].(string)
			case "source":
				it.Source = row[i].(string)
			case "why":
				it.Why = row[i].(string)
			case "where":
				it.Where = strings.Split(row[i].(string), ", ")
			case "marks":
				it.Marks = strings.Split(row[i].(string), ", ")
			case "versions":
				for _, v := range row[i].([]any) {
					parts := append(make([]string, 0, 4), "", "", "", "")
					for n, p := range v.([]any) {
						parts[n] = p.(string)
					}
					it.Versions = append(it.Versions, ItemVersion{What: parts[0], By: parts[1], At: parts[2], Why: parts[3]})
				}
			}
		}
		out = append(out, it)
	}
	return out
}

// TestDataNoLongerThanText holds that whoever has data from the server pays no more for them than
// for its text, for each tool, and for memories of all shapes. (So does sandbox.call, for each answer
// of the other tests.)
func TestDataNoLongerThanText(t *testing.T) {
	b := newSandbox(t)
	m := fill(b)
	b.call("build", map[string]any{"new": "Move the queue", "brief": "Away from polling."})
	b.call("work", map[string]any{"id": "ABC-1", "begin": true, "title": "Refunds"})
	thread, _ := b.call("session", map[string]any{"open": "The pool is not measured", "at": "src/auth/token.go"})
	id, _, _ := strings.Cut(structured[struct{ Threads []string }](t, thread).Threads[0], " ")
	calls := []struct {
		tool string
		args map[string]any
	}{
		{"recall", map[string]any{}},
		{"recall", map[string]any{"paths": []string{"src/auth/token.go"}, "limit": 2}},
		{"recall", map[string]any{"ids": []string{m["gotcha"].ShortID()}}},
		{"search", map[string]any{"query": "token refresh"}},
		{"search", map[string]any{"query": "nothing of the kind is anywhere"}},
		{"search", map[string]any{"query": "validate", "code": true}},
		{"context", map[string]any{"task": "change the token", "paths": []string{"src/auth/token.go"}}},
		{"context", map[string]any{"task": "paint the kitchen"}},
		{"impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}}},
		{"impact", map[string]any{"targets": []string{"src/auth/token_test.go#TestLogin"}}},
		{"graph", map[string]any{"target": "src/auth/token.go#Login"}},
		{"graph", map[string]any{"target": "src/auth/token.go"}},
		{"graph", map[string]any{"target": "src/auth"}},
		{"remember", map[string]any{"what": "Validate accepts blanks", "at": []string{"src/auth/token.go#Validate"}}},
		{"remember", map[string]any{"what": "Validate accepts blanks", "at": []string{"src/auth/token.go#Validate"}}},
		{"remember", map[string]any{"what": " "}},
		{"update", map[string]any{"id": m["gotcha"].ShortID(), "what": "Token refresh fails loudly", "reason": "seen in a run"}},
		{"forget", map[string]any{"id": m["dead_end"].ShortID(), "reason": "sessions are gone"}},
		{"confirm", map[string]any{"id": m["convention"].ShortID(), "reason": "it ran"}},
		{"session", map[string]any{}},
		{"session", map[string]any{"update": id, "state": "parked"}},
		{"session", map[string]any{"answers": []string{id + " open", "ffffffff resolved"}}},
		{"session", map[string]any{"close": id, "why": "measured"}},
		{"build", map[string]any{"add": "Write the table"}},
		{"build", map[string]any{"slice": "1", "status": "blocked", "why": "no replica"}},
		{"build", map[string]any{}},
		{"work", map[string]any{"id": "ABC-1"}},
		{"work", map[string]any{"id": "ABC-1", "state": "complete"}},
		{"stats", map[string]any{}},
	}
	tried := map[string]bool{}
	for _, c := range calls {
		tried[c.tool] = true
		r, fault := b.call(c.tool, c.args)
		if refused := c.args["what"] == " "; (fault != "") != refused {
			t.Fatal(c.tool, fault)
		}
		t.Logf("%s %v: %d tokens of text, %d of data", c.tool, c.args, tokens(t)(textOf(r)), tokens(t)(toldData(t, r)))
	}
	list, err := b.client.ListTools(t.Context(), nil)
	must.OK(t, err)
	for _, tool := range list.Tools {
		if !tried[tool.Name] {
			t.Errorf("%s is not compared", tool.Name)
		}
	}
	t.Run("shapes", func(t *testing.T) {
		now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		words := strings.Fields("the token of a session is checked twice before refresh because redis keeps dead connections `go test ./...` users.Validate a \"quoted\" word")
		r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // texts of a test
		say := func(n int) string {
			var out []string
			for range n {
				out = append(out, words[r.IntN(len(words))])
			}
			return strings.Join(out, " ")
		}
		for round := range 400 {
			var hits []found
			root := &rooted{}
			if round%4 == 0 {
				root.root = "web"
			}
			for range 1 + r.IntN(10) {
				mem := &file.Memory{UUID: fmt.Sprintf("01a217de-ba00-7b02-bc7a-%012x", r.Uint64N(1<<48)), Type: file.Types()[r.IntN(len(file.Types()))], What: say(1 + r.IntN(30)), Contributor: "ann"}
				if r.IntN(2) == 0 {
					mem.Why = say(1 + r.IntN(20))
				}
				for range r.IntN(4) {
					mem.Scope = append(mem.Scope, "src/"+words[r.IntN(8)]+"/**")
				}
				if r.IntN(3) == 0 {
					mem.Importance = file.High
				}
				mem.Trust.NeedsReview = r.IntN(4) == 0
				hits = append(hits, found{memory.Hit{Memory: mem}, root})
			}
			a := Answer{Matched: len(hits) + r.IntN(2)*5}
			text, _ := a.page(count(a.Matched, "memory", "memories")+" found", hits, now, window{limit: 1 + r.IntN(10), budget: mostBudget, room: short(), next: func(n int) string { return cursorFor(n, round) }})
			noLonger(t, tokens(t), fmt.Sprint("round ", round), &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: a.data()}, 0)
		}
	})
}
