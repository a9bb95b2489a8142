package mcp

//lint:file-ignore SA1019 Roots and logging go with the next protocol; today's clients have nothing else.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/eventlog"
	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/nearby"
	"manicule/memory/search"
)

// TestCancel: a call that the client gives up ends its work.
func TestCancel(t *testing.T) {
	b := newSandbox(t)
	begun, ended := make(chan struct{}), make(chan error, 1)
	b.space.Find = func(ctx context.Context, _ search.Question) (search.Answer, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return search.Answer{}, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.client.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "x"}})
		done <- err
	}()
	<-begun
	cancel()
	for _, c := range []<-chan error{ended, done} {
		select {
		case err := <-c:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
		case <-time.After(time.Minute):
			t.Fatal("it goes on")
		}
	}
	if r, fault := b.call("recall", map[string]any{"paths": []string{"src"}}); r.IsError {
		t.Errorf("after a cancelled call: %s", fault)
	}
}

// TestProgress: a client that waits for the first index of the code is told the progress.
func TestProgress(t *testing.T) {
	b := newSandbox(t)
	resume := make(chan struct{})
	b.space.Indexing = func() (graph.Progress, bool) {
		return graph.Progress{Phase: "read", Done: 3, Total: 9, First: true}, true
	}
	b.space.Impact = func(ctx context.Context, _ []nearby.Place, _ int) (graph.Impact, error) {
		select {
		case <-resume:
			return graph.Impact{}, nil
		case <-ctx.Done():
			return graph.Impact{}, ctx.Err()
		}
	}
	p := &mcp.CallToolParams{Name: "impact", Arguments: map[string]any{"targets": []string{"src/auth/token.go"}}}
	p.SetProgressToken("here")
	done := make(chan error, 1)
	go func() {
		_, err := b.client.CallTool(t.Context(), p)
		done <- err
	}()
	b.await("progress", func() bool { return len(b.steps) > 0 && b.steps[0].Progress == 3 && b.steps[0].Total == 9 })
	close(resume)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestFaultIsLogged: what goes wrong on our side reaches the client's log, what
// was asked wrongly does not.
func TestFaultIsLogged(t *testing.T) {
	b := newSandbox(t)
	if err := b.client.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
		t.Fatal(err)
	}
	b.call("search", map[string]any{"query": " "})
	b.space.Find = func(context.Context, search.Question) (search.Answer, error) {
		return search.Answer{}, errors.New("disk on fire")
	}
	if r, fault := b.call("search", map[string]any{"query": "x"}); !r.IsError || !strings.Contains(fault, "disk on fire") {
		t.Errorf("got %q", textOf(r))
	}
	b.await("the log", func() bool { return len(b.logged) > 0 })
	if len(b.logged) != 1 || !strings.Contains(b.logged[0], "search: disk on fire") {
		t.Errorf("logged %q", b.logged)
	}
	b.space.Find = func(context.Context, search.Question) (search.Answer, error) { panic("out of range") }
	if r, fault := b.call("search", map[string]any{"query": "x"}); !r.IsError || !strings.Contains(fault, "fault in Manicule") {
		t.Errorf("a panic: %q", textOf(r))
	}
}

func TestResources(t *testing.T) {
	b := newSandbox(t)
	m := fill(b)
	ctx := t.Context()
	list, err := b.client.ListResources(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, r := range list.Resources {
		names[r.URI] = r.Title
	}
	for _, want := range []string{memoryURI + m["gotcha"].UUID, topicURI + "MEMORY.md", topicURI + "conventions.md", topicURI + "gotchas.md", topicURI + "procedures.md"} {
		if names[want] == "" {
			t.Errorf("%s is not listed: %v", want, names)
		}
	}
	templates, err := b.client.ListResourceTemplates(ctx, nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("templates %+v, %v", templates, err)
	}
	for _, tt := range []struct{ uri, want, not string }{
		{memoryURI + m["gotcha"].UUID, `"what":"Token refresh fails silently when Redis is down"`, ""},
		{memoryURI + m["gotcha"].ShortID(), `"uuid":"` + m["gotcha"].UUID, ""},
		{memoryURI + m["tainted"].UUID, "tainted: from outside", "<system>"},
		{topicURI + "gotchas.md", "Token refresh", "obey"},
		{topicURI + "procedures.md", "token kind", ""},
	} {
		r, err := b.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: tt.uri})
		if err != nil {
			t.Errorf("%s: %v", tt.uri, err)
			continue
		}
		text := r.Contents[0].Text
		if !strings.Contains(text, tt.want) || !strings.Contains(text, "☞") || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s:\n%s", tt.uri, text)
		}
	}
	for _, uri := range []string{memoryURI + "ffffffff", memoryURI + "x", topicURI + "none.md", "manicule://other/x", "file:///etc/passwd"} {
		if _, err := b.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v", uri, err)
		}
	}
	uri := memoryURI + m["gotcha"].UUID
	if err := b.client.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	edit := func(what string) {
		if _, err := b.w.Edits().Change(ctx, m["gotcha"].UUID, func(m *file.Memory) error { m.What = what; return nil }, "edit", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := b.w.Sync(ctx); err != nil {
			t.Fatal(err)
		}
	}
	edit("Token refresh fails loudly")
	b.await("the update", func() bool { return len(b.updated) == 1 && b.updated[0] == uri })
	before := 0
	b.await("the changed list", func() bool { before = b.changed; return b.changed > 0 })
	if err := b.client.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	b.remember(memory.Draft{What: "One more", Importance: file.High})
	edit("Token refresh fails again")
	b.await("the list once more", func() bool { return b.changed > before })
	if len(b.updated) != 1 {
		t.Errorf("updates after the end of the subscription: %v", b.updated)
	}
}

// TestManyResources: a list stays a list, and comes in pages.
func TestManyResources(t *testing.T) {
	b := newSandbox(t)
	var drafts []memory.Draft
	for i := range 3 * maxListed {
		drafts = append(drafts, memory.Draft{What: fmt.Sprintf("Fact %d of many", i), Pin: i == 250})
	}
	if _, err := b.w.RememberAll(t.Context(), drafts); err != nil {
		t.Fatal(err)
	}
	n, pages, first := 0, 0, ""
	for p := (&mcp.ListResourcesParams{}); ; pages++ {
		r, err := b.client.ListResources(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Resources {
			n++
			if strings.Contains(x.Title, "Fact 250") {
				first = x.Title
			}
		}
		if r.NextCursor == "" {
			break
		}
		p.Cursor = r.NextCursor
	}
	if n < maxListed || n > maxListed+10 || pages < 1 || first == "" {
		t.Errorf("%d resources on %d pages, the pinned %q", n, pages+1, first)
	}
}

func TestPromptsAndCompletion(t *testing.T) {
	b := newSandbox(t)
	m := fill(b)
	ctx := t.Context()
	for _, tt := range []struct {
		name string
		args map[string]string
		want string
	}{
		{"ask", map[string]string{"question": "why does refresh fail with redis"}, "Token refresh"},
		{"onboard", nil, "make test"},
		{"onboard", map[string]string{"path": "src/auth"}, "Token refresh"},
		{"handoff", nil, "session so far"},
		{"plan", map[string]string{"task": "change the token refresh"}, "Constraints"},
	} {
		r, err := b.client.GetPrompt(ctx, &mcp.GetPromptParams{Name: tt.name, Arguments: tt.args})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if text, ok := r.Messages[0].Content.(*mcp.TextContent); !ok || !strings.Contains(text.Text, tt.want) || !strings.Contains(text.Text, "no instructions") {
			t.Errorf("%s: %+v", tt.name, r.Messages[0].Content)
		}
	}
	if _, err := b.client.GetPrompt(ctx, &mcp.GetPromptParams{Name: "plan", Arguments: map[string]string{"task": "x", "path": "/etc"}}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a path outside: %v", err)
	}
	template := func(uri string) *mcp.CompleteReference { return &mcp.CompleteReference{Type: "ref/resource", URI: uri} }
	for _, tt := range []struct {
		ref        *mcp.CompleteReference
		name, text string
		want       string
	}{
		{template(memoryTemplate), "id", m["gotcha"].ShortID()[:4], m["gotcha"].ShortID()},
		{template(topicTemplate), "name", "got", "gotchas.md"},
		{&mcp.CompleteReference{Type: "ref/prompt", Name: "ask"}, "path", "src/auth/to", "src/auth/token.go"},
	} {
		r, err := b.client.Complete(ctx, &mcp.CompleteParams{Ref: tt.ref, Argument: mcp.CompleteParamsArgument{Name: tt.name, Value: tt.text}})
		if err != nil || len(r.Completion.Values) == 0 || r.Completion.Values[0] != tt.want {
			t.Errorf("%s %q: %+v, %v", tt.name, tt.text, r, err)
		}
	}
}

// TestRoots: the client's roots decide, also when they change; and a path in
// another root is answered from there.
func TestRoots(t *testing.T) {
	var opened sync.Map
	other, ready := t.TempDir(), make(chan struct{})
	var b *sandbox
	b = newSandbox(t, func(o *Options) {
		home := o.Dir
		o.Dir = ""
		o.Open = func(_ context.Context, dir string) (*Space, error) {
			<-ready // b is made
			opened.Store(dir, true)
			switch dir {
			case home:
				return b.space, nil
			case other:
				return spaceOf(t, openWorkspace(t, b, other)), nil
			}
			return nil, userError(dir+" is no folder", "name one")
		}
	})
	close(ready)
	if err := os.MkdirAll(filepath.Join(other, ".manicule", "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := fill(b)
	w := openWorkspace(t, b, other)
	if r, err := w.Remember(t.Context(), memory.Draft{What: "The other tree is small"}); err != nil || !r.Accepted {
		t.Fatal(r, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var client *mcp.Client
	b.connect(func(c *mcp.Client) {
		client = c
		c.AddRoots(&mcp.Root{URI: "file://" + other}, &mcp.Root{URI: "file://" + b.w.Root()}, &mcp.Root{URI: "https://example.com/x"})
	})
	if r, fault := b.call("recall", map[string]any{}); !strings.Contains(textOf(r), "other tree") {
		t.Errorf("the first root: %s %s", textOf(r), fault)
	}
	if r, fault := b.call("recall", map[string]any{"paths": []string{filepath.Join(b.w.Root(), "src/auth/token.go")}}); !strings.Contains(textOf(r), "Token refresh") {
		t.Errorf("a path in the second: %s %s", textOf(r), fault)
	}
	if r, _ := b.call("context", map[string]any{"task": "token refresh"}); !strings.Contains(textOf(r), "only "+filepath.Base(other)+" was asked") {
		t.Errorf("which root was asked is not said: %s", textOf(r))
	}
	id := m["dead_end"].ShortID()
	if r, fault := b.call("recall", map[string]any{"ids": []string{id}}); !strings.Contains(textOf(r), "broke logout") {
		t.Errorf("an id of the second root: %s %s", textOf(r), fault)
	}
	if r, err := b.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: memoryURI + m["dead_end"].UUID}); err != nil || !strings.Contains(r.Contents[0].Text, "broke logout") {
		t.Errorf("a resource of the second root: %v", err)
	}
	for tool, args := range map[string]map[string]any{
		"confirm": {"id": id, "reason": "it ran"}, "update": {"id": id, "what": "Token refresh fails loudly"}, "forget": {"id": id, "reason": "gone"},
	} {
		if r, fault := b.call(tool, args); fault != "" || !strings.Contains(textOf(r), "proposed as") {
			t.Errorf("%s of an id of the second root: %s %s", tool, textOf(r), fault)
		}
	}
	if rows, err := b.w.State().Drafts().All(t.Context()); err != nil || len(rows) != 3 {
		t.Errorf("%d drafts in the second root, %v", len(rows), err)
	}
	client.RemoveRoots("file://" + other)
	found := false
	for range 100 { // the notification is handled beside the calls
		r, _ := b.call("recall", map[string]any{})
		if found = strings.Contains(textOf(r), "make test"); found {
			break
		}
	}
	if !found {
		t.Error("the roots that are left don't decide")
	}
}

// TestNoWorkspace: the error says what to do.
func TestNoWorkspace(t *testing.T) {
	b := newSandbox(t, func(o *Options) {
		o.Open = func(_ context.Context, dir string) (*Space, error) {
			return nil, userError(dir+" is no folder", "Name one.")
		}
	})
	for _, tool := range []string{"recall", "stats", "session"} {
		if r, fault := b.call(tool, map[string]any{}); !r.IsError || !strings.Contains(fault, "is no folder. Try: Name one.") {
			t.Errorf("%s: %q", tool, textOf(r))
		}
	}
	if _, err := b.client.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "is no folder") {
		t.Errorf("resources: %v", err)
	}
}

// TestNoProject: nothing is remembered where there is no project.
func TestNoProject(t *testing.T) {
	var b *sandbox
	bare, ready := t.TempDir(), make(chan struct{})
	b = newSandbox(t, func(o *Options) {
		o.Open = func(context.Context, string) (*Space, error) {
			<-ready // b is made
			return spaceOf(t, openWorkspace(t, b, bare)), nil
		}
	})
	close(ready)
	t.Cleanup(func() { _ = b.space.Close() })
	if r, fault := b.call("remember", map[string]any{"what": "x is y"}); !r.IsError || !strings.Contains(fault, "is no project") {
		t.Errorf("got %q", textOf(r))
	}
	if r, fault := b.call("recall", map[string]any{}); fault != "" || !strings.Contains(textOf(r), "0 memories") {
		t.Errorf("recall: %q %q", textOf(r), fault)
	}
}

// TestSession folds the log of the session that the agent names.
func TestSession(t *testing.T) {
	b := newSandbox(t)
	b.env["CLAUDE_CODE_SESSION_ID"] = "s-1"
	m := fill(b)
	state, root := b.w.Place().StateDir(), b.w.Root()
	no := false
	for _, r := range []eventlog.Record{
		{Kind: "prompt", Prompt: "make refresh loud"},
		{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Read", Class: "read", Paths: []string{filepath.Join(root, "src/auth/token.go")}}}},
		{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", Paths: []string{filepath.Join(root, "src/auth/token.go")}}}},
		{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Read", Class: "read", Paths: []string{"/etc/hosts"}}}},
		{Kind: "post_tool_failure", Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", Command: "go test ./...", OK: &no, Error: "FAIL <b>x</b>"}}},
		{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", URL: "https://x.example"}}},
	} {
		r.Session, r.Agent, r.CWD, r.Time = "s-1", "claude-code", root, b.now.UnixMilli()
		if err := eventlog.Append(state, r); err != nil {
			t.Fatal(err)
		}
	}
	b.call("recall", map[string]any{"ids": []string{m["gotcha"].UUID}})
	b.call("remember", map[string]any{"what": "Refresh has to be loud"})
	b.server.work.Wait()
	r, fault := b.call("session", map[string]any{})
	if fault != "" {
		t.Fatal(fault)
	}
	a := structured[SessionAnswer](t, r)
	if a.Session != "s-1" || !strings.Contains(textOf(r), "so far, by the agent") || a.Prompts != 1 || a.Calls != 5 || len(a.Files) != 1 || a.Files[0] != (Touched{File: "src/auth/token.go", How: "changed"}) {
		t.Errorf("%+v", a)
	}
	if len(a.Failures) != 1 || a.Failures[0] != "`go test ./...` “FAIL ‹b>x‹/b>”" || len(a.Shown) != 1 || a.Shown[0].ID != m["gotcha"].ShortID() {
		t.Errorf("%+v", a)
	}
	if len(a.Drafts) != 0 || len(a.Omitted) != 1 || a.Omitted[0].Reason != "tainted drafts" || strings.Contains(textOf(r), "has to be loud") {
		t.Errorf("a tainted draft is more than counted: %s", textOf(r))
	}
	if !strings.Contains(textOf(r), "Shown: gotcha (important)") {
		t.Errorf("without its marks: %s", textOf(r))
	}
	rows, err := b.w.State().Drafts().All(t.Context())
	if err != nil || len(rows) != 1 || !rows[0].Memory.Trust.Tainted || rows[0].Session != "s-1" {
		t.Errorf("a draft after a page from the web: %+v, %v", rows, err)
	}
	told, err := eventlog.Conversation{StateDir: state, Session: "s-1"}.Dedupe("").Claimed()
	if err != nil || !told[eventlog.Digest(m["gotcha"].UUID)] {
		t.Errorf("hooks would say it again: %v, %v", told, err)
	}
	delete(b.env, "CLAUDE_CODE_SESSION_ID")
	r, _ = b.call("session", map[string]any{})
	if a = structured[SessionAnswer](t, r); a.Prompts+a.Calls+len(a.Files)+len(a.Failures) > 0 || len(a.Recent) != 1 || !strings.HasPrefix(a.Recent[0], "s-1 (claude-code, ") {
		t.Errorf("without an id, another's events are told as its own: %s", textOf(r))
	}
	if r, _ = b.call("session", map[string]any{"session": "s-1"}); !strings.Contains(textOf(r), "Session s-1, 1 prompt") {
		t.Errorf("by the id that was listed: %s", textOf(r))
	}
}

// TestConcurrent: calls of all kinds beside each other.
func TestConcurrent(t *testing.T) {
	b := newSandbox(t)
	fill(b)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			tool, args := "recall", map[string]any{"paths": []string{"src/auth/token.go"}}
			switch i % 6 {
			case 1:
				tool, args = "search", map[string]any{"query": "token"}
			case 2:
				tool, args = "impact", map[string]any{"targets": []string{"src/auth/token.go#Validate"}}
			case 3:
				tool, args = "remember", map[string]any{"what": fmt.Sprintf("Concurrent fact %d of the token", i)}
			case 4:
				tool, args = "context", map[string]any{"task": "change the token"}
			case 5:
				tool, args = "stats", map[string]any{}
			}
			r, err := b.client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil || r.IsError {
				t.Errorf("%s: %v, %+v", tool, err, r)
			}
		})
	}
	all.Wait()
}

// TestLines: a bad line is answered, and the next one is read.
func TestLines(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	huge := strings.Repeat("x", maxMessage)
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", "garbage", `"id":null,"error":{"code":-32700`},
		{"half a value", `{"jsonrpc":"2.0","id":1,`, `-32700`},
		{"no message", `{"foo":1}`, `-32600`},
		{"a number", `5`, `-32600`},
		{"a batch", `[` + good + `]`, `-32600`},
		{"binary", "\x00\xff\xfe", `-32700`},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `"id":1.5,"error":{"code":-32600`},
		{"an id that would be rounded", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `"id":9007199254740993,"error":{"code":-32600`},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"too long, id at the end", `{"method":"x","params":{"a":"` + huge + `"},"jsonrpc":"2.0","id":5}`, `"id":5,"error":{"code":-32600`},
		{"too long, id at the start", `{"jsonrpc":"2.0","id":"a-1","method":"x","params":{"a":"` + huge + `"}}`, `"id":"a-1","error":{"code":-32600`},
		{"too long, without an id", `"` + huge + huge + `"`, `"id":null,"error":{"code":-32600`},
		{"empty lines", "\n \r\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			gone := 0
			got := readAll(t, newLines(strings.NewReader(tt.in+"\n"+good+"\r\n"), &out, func() { gone++ }))
			if len(got) != 1 || gone != 1 {
				t.Errorf("passed on %v, %d ends", got, gone)
			}
			if tt.want == "" && out.Len() > 0 || !strings.Contains(out.String(), tt.want) || strings.Count(out.String(), "\n") > 1 {
				t.Errorf("answered %q", out.String())
			}
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("the answer is no JSON: %s", line)
				}
			}
		})
	}
}

// readAll reads a connection to its end.
func readAll(t *testing.T, l *lines) (all []jsonrpc.Message) {
	t.Helper()
	c, err := l.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for {
		m, err := c.Read(t.Context())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
}

// hello is the handshake of a client that speaks a revision.
func hello(revision string) string {
	return `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
}

// modernMeta is what a client of a revision without a handshake sends with each request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// talk is what the server writes to a client that sends lines: n answers, and what follows them until it answers a ping.
// Notifications, and the answer to the handshake of hello, are left out.
func talk(t *testing.T, sp Space, sent string, n int) (answers []string) {
	t.Helper()
	sp.Close = func() error { return nil } // another client comes
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(t.Context(), in, out, Options{Dir: sp.Memories.Root(), Open: func(context.Context, string) (*Space, error) { return &sp, nil }})
	}()
	say := func(text string) { go func() { _, _ = io.WriteString(stdin, text) }() }
	say(sent)
	scan := bufio.NewScanner(stdout)
	keep := func() {
		if line := scan.Text(); !strings.Contains(line, `"id":"i"`) && !strings.Contains(line, `"method":`) {
			answers = append(answers, line)
		}
	}
	for len(answers) < n && scan.Scan() {
		keep()
	}
	say(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
	for scan.Scan() && !strings.Contains(scan.Text(), `"id":"end"`) {
		keep()
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	_ = stdin.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return answers
}

// TestBatches: the revisions that have batches get one list of answers for each.
func TestBatches(t *testing.T) {
	b := newSandbox(t)
	const ping, note = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/x"}`
	for _, tt := range []struct{ revision, batch, want string }{
		{"2025-03-26", `[` + ping + `,` + note + `,` + note + `,{"jsonrpc":"2.0","id":2,"method":"x"}]`, `[1:0 2:-32601]`},
		{"2024-11-05", `[` + ping + `]`, `[1:0]`},
		{"2025-03-26", `[5,` + ping + `,{"jsonrpc":"2.0","id":null,"method":"ping"}]`, `[null:-32600 null:-32600 1:0]`},
		{"2025-03-26", `[5]`, `[null:-32600]`},
		{"2025-03-26", `[` + ping + `,` + ping + `]`, `[1:-32600 1:0]`},
		{"2025-03-26", `[{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}},` + ping + `]`, `[3:-32600 1:0]`},
		{"2025-03-26", `[]`, `null:-32600`},
		{"2025-03-26", `[` + note + `]`, ``},
		{"2025-06-18", `[` + ping + `]`, `null:-32600`},
	} {
		var got []string
		for _, line := range talk(t, *b.space, hello(tt.revision)+tt.batch+"\n", min(1, len(tt.want))) {
			got = append(got, codes(t, line))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.revision, tt.batch, got, tt.want)
		}
	}
}

// codes is "ID:CODE" of an answer, and "[ID:CODE …]" of a list; the code is 0 of one without an error.
func codes(t *testing.T, line string) string {
	t.Helper()
	type answer struct {
		ID    json.RawMessage
		Error struct{ Code int }
	}
	var all []answer
	list := strings.HasPrefix(line, "[")
	if !list {
		line = "[" + line + "]"
	}
	if err := json.Unmarshal([]byte(line), &all); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var out []string
	for _, a := range all {
		out = append(out, fmt.Sprintf("%s:%d", a.ID, a.Error.Code))
	}
	if list {
		return "[" + strings.Join(out, " ") + "]"
	}
	return strings.Join(out, " ")
}

// TestErrorCodes: each error has the code that the client's revision has for it.
func TestErrorCodes(t *testing.T) {
	b := newSandbox(t)
	b.space.Find = func(context.Context, search.Question) (search.Answer, error) {
		return search.Answer{}, errors.New("disk on fire")
	}
	for _, tt := range []struct{ name, before, method, params, want string }{
		{"before the handshake", "", "tools/list", `{}`, "1:-32600"},
		{"a second handshake", hello("2025-11-25"), "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, "1:-32600"},
		{"questions for the revisions without one", "", "server/discover", `{}`, "1:-32602"},
		{"the same of an earlier client", hello("2025-11-25"), "server/discover", `{}`, "1:-32601"},
		{"the same with one", "", "server/discover", `{` + modernMeta + `}`, "1:0"},
		{"a subscription to nothing", hello("2025-11-25"), "resources/subscribe", `{"uri":"http://example.com/"}`, "1:-32002"},
		{"a subscription to a memory that is not there", hello("2025-11-25"), "resources/subscribe", `{"uri":"manicule://memory/ffffffff"}`, "1:-32002"},
		{"a subscription to a topic", hello("2025-11-25"), "resources/subscribe", `{"uri":"manicule://topic/gotchas.md"}`, "1:0"},
		{"an unknown method", hello("2025-11-25"), "x/y", `{}`, "1:-32601"},
		{"an unknown tool", hello("2025-11-25"), "tools/call", `{"name":"x"}`, "1:-32602"},
		{"a bad cursor", hello("2025-11-25"), "resources/list", `{"cursor":"x"}`, "1:-32602"},
		{"an unknown resource", hello("2025-11-25"), "resources/read", `{"uri":"manicule://x"}`, "1:-32002"},
		{"a memory that is not there", hello("2024-11-05"), "resources/read", `{"uri":"manicule://memory/ffffffff"}`, "1:-32002"},
		{"an unknown resource today", "", "resources/read", `{"uri":"manicule://x",` + modernMeta + `}`, "1:-32602"},
		{"an unknown prompt", hello("2025-11-25"), "prompts/get", `{"name":"x"}`, "1:-32602"},
		{"a prompt without its argument", hello("2025-11-25"), "prompts/get", `{"name":"ask"}`, "1:-32602"},
		{"the same today", "", "prompts/get", `{"name":"ask",` + modernMeta + `}`, "1:-32602"},
		{"completion of an unknown prompt", hello("2025-11-25"), "completion/complete", `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"path","value":""}}`, "1:-32602"},
		{"completion of an unknown template", hello("2025-11-25"), "completion/complete", `{"ref":{"type":"ref/resource","uri":"x://{y}"},"argument":{"name":"y","value":""}}`, "1:-32602"},
		{"an unknown level", hello("2025-11-25"), "logging/setLevel", `{"level":"loud"}`, "1:-32602"},
		{"a level", hello("2025-11-25"), "logging/setLevel", `{"level":"emergency"}`, "1:0"},
		{"a fault of ours", hello("2025-11-25"), "prompts/get", `{"name":"ask","arguments":{"question":"fail"}}`, "1:-32603"},
	} {
		all := talk(t, *b.space, tt.before+`{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":`+tt.params+"}\n", 1)
		if len(all) != 1 || codes(t, all[0]) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, all, tt.want)
		}
	}
}

// TestMissingParams: params that are not there are wrong ones, as empty ones are.
func TestMissingParams(t *testing.T) {
	b := newSandbox(t)
	for method, before := range map[string]string{"initialize": "", "tools/call": hello("2025-11-25"), "resources/subscribe": hello("2025-11-25")} {
		all := talk(t, *b.space, before+`{"jsonrpc":"2.0","id":1,"method":"`+method+"\"}\n", 1)
		if len(all) != 1 || codes(t, all[0]) != "1:-32602" {
			t.Errorf("%s: %s", method, all)
		}
	}
}

// TestIDInUse: a second call with the id of one that is not answered yet is refused, and the first is answered.
func TestIDInUse(t *testing.T) {
	b := newSandbox(t)
	asked, refused := make(chan struct{}), make(chan struct{})
	b.space.Find = func(context.Context, search.Question) (search.Answer, error) {
		close(asked)
		<-refused
		return search.Answer{}, nil
	}
	out := &answered{said: make(chan string, 10)}
	l, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(t.Context(), l, out, Options{Dir: b.space.Memories.Root(), Open: func(context.Context, string) (*Space, error) { return b.space, nil }})
	}()
	say := func(text string) {
		if _, err := io.WriteString(in, text); err != nil {
			t.Error(err)
		}
	}
	next := func() string {
		for text := range out.said {
			if !strings.Contains(text, `"method":`) && !strings.Contains(text, `"id":"i"`) {
				return text
			}
		}
		return ""
	}
	say(hello("2025-11-25") + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"tokens"}}}` + "\n")
	<-asked
	say(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	if got := next(); codes(t, got) != "1:-32600" {
		t.Errorf("the second: %s", got)
	}
	close(refused)
	if got := next(); codes(t, got) != "1:0" {
		t.Errorf("the first: %s", got)
	}
	must.OK(t, in.Close())
	must.OK(t, <-done)
}

// answered passes on what a server writes.
type answered struct{ said chan string }

func (a *answered) Write(data []byte) (int, error) {
	a.said <- string(data)
	return len(data), nil
}

// TestWrongArgumentsComplete: an answer says that it is complete to the revisions that have that, also of a call that is refused.
func TestWrongArgumentsComplete(t *testing.T) {
	b := newSandbox(t)
	for params, want := range map[string]string{
		`{"name":"recall","arguments":{"ids":5}}`: `"isError":true`, `{"name":"recall","arguments":{}}`: `☞`,
	} {
		call := func(revision, params string) string {
			return strings.Join(talk(t, *b.space, revision+`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+"}\n", 1), "\n")
		}
		now := call("", strings.TrimSuffix(params, "}")+","+modernMeta+"}")
		if before := call(hello("2025-11-25"), params); strings.Contains(before, "resultType") || !strings.Contains(before, want) {
			t.Errorf("%s: %s", params, before)
		}
		if !strings.Contains(now, `"resultType":"complete"`) || !strings.Contains(now, want) {
			t.Errorf("%s: %s", params, now)
		}
	}
}

// TestCancelledIsNotAnswered: the client does not wait for it (MCP, cancellation).
func TestCancelledIsNotAnswered(t *testing.T) {
	var out bytes.Buffer
	in, stdin := io.Pipe()
	l := newLines(in, &out, func() {})
	c, err := l.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"x"}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
{"jsonrpc":"2.0","id":"2","method":"x"}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
`)
		_ = stdin.Close()
	}()
	for range 4 {
		if _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []any{1.0, "2"} {
		id, err := jsonrpc.MakeID(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(t.Context(), &jsonrpc.Response{ID: id, Result: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != `{"jsonrpc":"2.0","id":"2","result":{}}`+"\n" {
		t.Errorf("wrote %s", out.String())
	}
}

// TestReadsWhileItWrites: a client may read an answer only once all that it has to say is taken.
func TestReadsWhileItWrites(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c, err := newLines(in, out, func() {}).Connect(ctx)
	must.OK(t, err)
	defer func() { _ = c.Close() }()
	id, err := jsonrpc.MakeID("0")
	must.OK(t, err)
	written := make(chan error, 1)
	go func() { written <- c.Write(ctx, &jsonrpc.Response{ID: id, Result: json.RawMessage(`{}`)}) }()
	begun := make([]byte, 1)
	_, err = io.ReadFull(stdout, begun) // and the rest waits
	must.OK(t, err)
	go func() { _, _ = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n") }()
	if _, err := c.Read(ctx); err != nil {
		t.Errorf("read while a line is written: %v", err)
	}
	rest, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || string(begun)+rest != `{"jsonrpc":"2.0","id":"0","result":{}}`+"\n" {
		t.Errorf("wrote %s%s, %v", begun, rest, err)
	}
	must.OK(t, <-written)
}

// pipes is a server over pipes, as a process has it.
func pipes(t *testing.T, o Options) (in io.WriteCloser, done <-chan error) {
	t.Helper()
	r, w := io.Pipe()
	c := make(chan error, 1)
	go func() { c <- Serve(t.Context(), r, io.Discard, o) }()
	return w, c
}

// TestEnds: the server ends within its patience when its input ends, or its
// parent, though a call is running.
func TestEnds(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}
`
	for _, tt := range []struct {
		name string
		end  func(in io.Closer, parent *atomic.Int64)
	}{
		{"the input ends", func(in io.Closer, _ *atomic.Int64) { _ = in.Close() }},
		{"the parent is gone", func(_ io.Closer, parent *atomic.Int64) { parent.Store(1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newSandbox(t)
			begun := make(chan struct{})
			closed := false
			sp := *b.space
			sp.Close = func() error { closed = true; return nil }
			sp.Find = func(ctx context.Context, _ search.Question) (search.Answer, error) {
				close(begun)
				<-ctx.Done()
				return search.Answer{}, ctx.Err()
			}
			var parent atomic.Int64
			parent.Store(4711)
			in, done := pipes(t, Options{Dir: b.w.Root(), Open: func(context.Context, string) (*Space, error) { return &sp, nil },
				Parent: func() int { return int(parent.Load()) }, Poll: 10 * time.Millisecond})
			if _, err := io.WriteString(in, hello); err != nil {
				t.Fatal(err)
			}
			<-begun
			tt.end(in, &parent)
			select {
			case err := <-done:
				if err != nil || !closed {
					t.Errorf("ended with %v, closed %v", err, closed)
				}
			case <-time.After(3 * closeTimeout):
				t.Fatal("it goes on")
			}
			_ = in.Close()
		})
	}
}

// FuzzCall: no arguments break a tool, and no answer breaks its schema.
func FuzzCall(f *testing.F) {
	for _, s := range []string{
		`{"paths":["src/auth/token.go"],"limit":-1,"budget":1}`, `{"query":"☞ \u0000 <system>","types":["gotcha"]}`, `{"targets":["src/auth/token.go#Validate"],"depth":2}`,
		`{"target":"../../etc/passwd"}`, `{"what":"a","at":["src/auth/token.go:1-3"],"scope":["**","!x"]}`, `{"id":"ffff","reason":"x"}`, `{"ids":["[ffffffff]","manicule://memory/"]}`,
		`{"cursor":"eyJvIjotMX0","query":"x"}`, `{"task":"x","paths":["\u0000","C:\\x","~"]}`, `[]`, `null`, `{"limit":1e99}`, `{"session":"../../x"}`,
		`{"query":"validate token","code":true,"limit":3}`, `{"diff":"HEAD","targets":["src/auth/token.go"]}`, `{"diff":"--output=x"}`, `{"code":true,"query":"x","paths":["../..","/"]}`,
	} {
		for i := range 11 {
			f.Add(byte(i), s)
		}
	}
	b := newSandbox(f)
	fill(b)
	tools := strings.Fields("recall search remember update forget confirm impact graph context session stats")
	f.Fuzz(func(t *testing.T, which byte, args string) {
		if !json.Valid([]byte(args)) {
			return
		}
		name := tools[int(which)%len(tools)]
		r, err := b.client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
		if err != nil {
			if strings.Contains(err.Error(), "closed") || strings.Contains(err.Error(), "validating tool output") {
				t.Fatalf("%s %s: %v", name, args, err)
			}
			return
		}
		if text := textOf(r); strings.Contains(text, "fault in Manicule") || !r.IsError && cost(text) > 2*mostBudget || strings.Contains(text, "<system>") && !r.IsError {
			t.Errorf("%s %s: %s", name, args, text)
		}
	})
}

// FuzzLines: whatever comes in, what is passed on are messages, and what goes
// out is JSON.
func FuzzLines(f *testing.F) {
	f.Add([]byte("garbage\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"))
	f.Add([]byte("[1]\n\n{}\n\"\xff\"\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		for _, m := range readAll(t, newLines(bytes.NewReader(in), &out, func() {})) {
			if _, err := jsonrpc.EncodeMessage(m); err != nil {
				t.Error(err)
			}
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q", line)
			}
		}
	})
}

// TestTopicsAreKept: the topic files are made again only if a memory changed, or where the work stands.
func TestTopicsAreKept(t *testing.T) {
	b := newSandbox(t)
	m := fill(b)
	if _, err := b.w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	var kept topics
	last := ""
	ask := func(want int, why string) {
		t.Helper()
		view := b.w.View()
		files := kept.of(b.space, view, liveIn(t.Context(), b.space, view), slog.New(slog.DiscardHandler))
		if kept.made != want {
			t.Errorf("%s: made %d times, not %d", why, kept.made, want)
		}
		last = string(files["gotchas.md"]) + string(files["MEMORY.md"])
	}
	ask(1, "first")
	ask(1, "again")
	if _, err := b.w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask(1, "after a look at the files")
	if _, err := b.w.Edits().Change(t.Context(), m["gotcha"].UUID, func(m *file.Memory) error { m.What = "Refreshing fails loudly"; return nil }, "edit", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ask(2, "edited"); !strings.Contains(last, "Refreshing fails loudly") {
		t.Errorf("after an edit:\n%s", last)
	}
	if err := os.WriteFile(filepath.Join(b.w.Root(), ".manicule", "core.json"), []byte(`{"format":1,"notes":"The move to Postgres","version":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if ask(3, "the core document"); !strings.Contains(last, "Postgres") {
		t.Errorf("after an edit of the core document:\n%s", last)
	}
}
