package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/indexer/workspace"
	"manicule/memory/leader"
)

// agent connects a client to a real process.
func (p *place) agent(ctx context.Context) (*mcp.ClientSession, *exec.Cmd) {
	p.t.Helper()
	cmd := p.command("mcp")
	cmd.Stderr = os.Stderr
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "codex", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	p.must(err)
	p.t.Cleanup(func() { _ = cs.Close() }) // ended already where the test does it
	return cs, cmd
}

func (p *place) callTool(ctx context.Context, cs *mcp.ClientSession, name string, args map[string]any) string {
	p.t.Helper()
	r, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	p.must(err)
	var out []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			out = append(out, t.Text)
		}
	}
	if r.IsError {
		p.t.Fatalf("%s %v: %s", name, args, out)
	}
	return strings.Join(out, "\n")
}

// workspace is the workspace as its processes see it.
func (p *place) workspace() *workspace.Workspace {
	p.t.Helper()
	vars := map[string]string{}
	for _, kv := range p.env {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	w, err := workspace.Discover(p.root, workspace.Env{Getenv: func(k string) string { return vars[k] }, Random: rand.Reader})
	p.must(err)
	return w
}

// free reports whether nobody holds the leader's lock.
func (p *place) free() bool {
	p.t.Helper()
	l := flock.New(p.workspace().LockFile())
	ok, err := l.TryLock()
	p.must(err)
	if ok {
		p.must(l.Unlock())
	}
	return ok
}

// within waits until something is true, for a while.
func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(limit); !ok(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// slack is what a busy machine adds to a time that the product promises. It is less than the time between the looks
// at everything, by which what was not heard of would be found, too.
const slack = 20 * time.Second

// TestBundle: an agent that has no hooks can ask for what a session that starts is told, and what it was told is not told again.
func TestBundle(t *testing.T) {
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "core", "edit", "--summary", "A queue and its workers"))
	p.must(p.run("", "record", "put", "identity", "persona", "plain words", "--agent", "codex"))
	p.must(p.run("", "record", "put", "identity", "persona", "in rhymes", "--agent", "cursor"))
	p.must(p.run("", "thread", "add", "The retry gives up too early", "--at", "src/a.go"))
	p.must(p.run("", "remember", "The retry of the queue runs twice unless the job is locked", "--type", "gotcha"))
	cs, _ := p.agent(t.Context())
	text := p.callTool(t.Context(), cs, "session", map[string]any{"bundle": true, "task": "make the queue retry faster"})
	for _, want := range []string{"summary: A queue and its workers", "plain words", "thread “The retry gives up too early” at src/a.go", "About what is under way here", "runs twice"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if strings.Contains(text, "rhymes") {
		t.Errorf("what is kept of another agent is told: %s", text)
	}
	again, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: map[string]any{"what": "The retry of the queue runs twice unless the job is locked"}})
	p.must(err)
	if said, ok := again.Content[0].(*mcp.TextContent); !ok || !strings.Contains(said.Text, "you were shown it") {
		t.Errorf("said again: %+v", again.Content[0])
	}
}

// TestAgentsShareAWorkspace: of two agents one leads, the other asks it; when it
// goes, the other leads within two seconds. What one writes the other is told.
func TestAgentsShareAWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", "Refresh fails when Redis is down", "--at", "src/a.go"))
	p.must(os.WriteFile(p.root+"/src/b.go", []byte("package a\n\nfunc Used() {}\n\nfunc User() { Used() }\n"), 0o644))
	ctx := t.Context()
	first, _ := p.agent(ctx)
	within(t, 2*time.Second+slack, "the first leads", func() bool {
		return strings.Contains(p.callTool(ctx, first, "stats", nil), "Leader: this process")
	})
	second, _ := p.agent(ctx)
	within(t, slack, "the second hears the first", func() bool {
		return strings.Contains(p.callTool(ctx, second, "stats", nil), "Leader: mcp ")
	})
	for _, cs := range []*mcp.ClientSession{first, second} {
		for tool, c := range map[string]struct {
			args map[string]any
			want string
		}{
			"recall": {map[string]any{"paths": []string{"src/a.go"}}, "Redis"},
			"search": {map[string]any{"query": "redis refresh"}, "Redis"},
			"impact": {map[string]any{"targets": []string{"src/b.go#Used"}}, "src/b.go:5 User"},
			"graph":  {map[string]any{"target": "src/b.go#User"}, "callee src/b.go Used"},
		} {
			if got := p.callTool(ctx, cs, tool, c.args); !strings.Contains(got, c.want) {
				t.Errorf("%s:\n%s", tool, got)
			}
		}
	}
	if got := p.callTool(ctx, second, "remember", map[string]any{"what": "Used is used by User alone", "at": []string{"src/b.go#Used"}}); !strings.Contains(got, "kept as draft") {
		t.Error(got)
	}
	if got := p.callTool(ctx, second, "remember", map[string]any{"what": "Used must stay exported for the plugins", "at": "Used"}); !strings.Contains(got, "kept as draft") {
		t.Errorf("remember at a bare name: %s", got)
	}
	if out, err := p.output("", "review", "list"); err != nil || !strings.Contains(out, "Used is used") {
		t.Errorf("review: %v\n%s", err, out)
	}
	id := regexp.MustCompile(`\[([0-9a-f]{8}),`).FindStringSubmatch(p.callTool(ctx, second, "recall", map[string]any{"paths": []string{"src/a.go"}}))
	if id == nil {
		t.Fatal("recall names no id")
	}
	got := regexp.MustCompile(`proposed as ([0-9a-f]{8})`).FindStringSubmatch(p.callTool(ctx, second, "forget", map[string]any{"id": id[1], "reason": "the code is gone"}))
	if got == nil {
		t.Fatal("nothing is proposed")
	}
	if out, err := p.output("", "review", "list"); err != nil || !strings.Contains(out, got[1]+"  forget   "+id[1]) || !strings.Contains(out, "because: the code is gone") {
		t.Errorf("a proposal to forget: %v\n%s", err, out)
	}
	out, err := p.output("", "review", "list", "--json")
	if err == nil {
		err = newSchemas(t).shape("review", out)
	}
	if err != nil || !strings.Contains(out, `"act": "forget"`) {
		t.Errorf("the same as JSON: %v\n%s", err, out)
	}
	p.must(p.run("", "review", "reject", got[1]))
	p.must(p.run("", "remember", "Written by a person beside them", "--scope", "src/**"))
	within(t, time.Second+slack, "what a person writes is seen", func() bool {
		return strings.Contains(p.callTool(ctx, second, "recall", map[string]any{"paths": []string{"src/c.go"}}), "beside them")
	})
	p.must(os.WriteFile(p.root+"/src/c.go", []byte("package a\n\nfunc More() { Used() }\n"), 0o644))
	within(t, 2*time.Second+slack, "new code is seen", func() bool {
		return strings.Contains(p.callTool(ctx, second, "impact", map[string]any{"targets": []string{"src/b.go#Used"}}), "More")
	})
	begin := time.Now()
	_ = first.Close() // waits for the process
	within(t, 2*time.Second+slack, "the second leads", func() bool {
		return strings.Contains(p.callTool(ctx, second, "stats", nil), "Leader: this process")
	})
	t.Logf("taken over after %v", time.Since(begin))
	_ = second.Close()
	if !p.free() {
		t.Error("somebody still leads")
	}
}

// git runs git in the workspace.
func (p *place) git(args ...string) {
	p.t.Helper()
	if out, err := p.gitCommand(args...).CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// gitCommand is a command of git that may fail.
func (p *place) gitCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	cmd.Dir, cmd.Env = p.root, p.env
	return cmd
}

// aboutCode are questions about the code of a place in which changed was run, and
// what is in their answers.
func aboutCode() []struct {
	tool string
	args map[string]any
	want string // regular expression
} {
	return []struct {
		tool string
		args map[string]any
		want string
	}{
		{"impact", map[string]any{"diff": "HEAD"}, `(?s)Of: src/b.go:3 Used\nDeleted: src/gone.go#Gone\n- still uses src/c.go:4 Lost \(gone: src/gone.go#Gone\)\n- call src/b.go:5 User`},
		{"impact", map[string]any{"diff": "v1", "targets": []string{"src/c.go#Lost"}}, `(?s)Of: src/c.go:3 Lost; src/b.go:3 Used`},
		{"search", map[string]any{"query": "who is the user of what is used", "code": true}, `function User at src/b.go:\d+-\d+ \(`},
		{"search", map[string]any{"query": "Used", "code": true, "paths": []string{"src/b.go"}}, `function Used at src/b.go`},
	}
}

// changed makes a change after a commit: one function differs, one is gone.
func (p *place) changed() {
	p.t.Helper()
	file := func(name, text string) {
		p.must(os.WriteFile(p.root+"/src/"+name, []byte("package a\n\n"+text), 0o644))
	}
	p.git("init", "-q", "-b", "main")
	p.must(p.run("", "init"))
	file("b.go", "func Used() {}\n\nfunc User() { Used() }\n")
	file("c.go", "func Lost() {\n\tGone()\n}\n")
	file("gone.go", "func Gone() {}\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "first")
	p.git("tag", "v1")
	file("b.go", "func Used() { println() }\n\nfunc User() { Used() }\n")
	p.must(os.Remove(p.root + "/src/gone.go"))
}

// TestAgentsAskAboutChanges: the change at hand and the code itself, in the
// process that leads and in one that asks it. What is changed right before is
// part of it.
func TestAgentsAskAboutChanges(t *testing.T) {
	p := newPlace(t)
	p.changed()
	ctx := t.Context()
	first, _ := p.agent(ctx)
	within(t, 2*time.Second+slack, "the first leads", func() bool {
		return strings.Contains(p.callTool(ctx, first, "stats", nil), "Leader: this process")
	})
	second, _ := p.agent(ctx)
	for name, cs := range map[string]*mcp.ClientSession{"the leader": first, "the other": second} {
		for _, c := range aboutCode() {
			if got := p.callTool(ctx, cs, c.tool, c.args); !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("%s, %s %v:\n%s", name, c.tool, c.args, got)
			}
		}
		r, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "impact", Arguments: map[string]any{"diff": "--output=x"}})
		if err != nil || !r.IsError || !strings.Contains(fmt.Sprint(r.Content[0].(*mcp.TextContent).Text), "git knows no commit") {
			t.Errorf("%s: an option for a revision: %+v, %v", name, r, err)
		}
	}
	p.must(os.WriteFile(p.root+"/src/new.go", []byte("package a\n\nfunc Brandnew() { Used() }\n"), 0o644))
	if got := p.callTool(ctx, second, "impact", map[string]any{"diff": "HEAD"}); !strings.Contains(got, "src/new.go") {
		t.Errorf("a file that came right before:\n%s", got)
	}
}

// TestOldLeader: a leader of a version that does not know a question is asked in
// vain, and the process answers by itself. What it does know it is asked.
func TestOldLeader(t *testing.T) {
	p := newPlace(t)
	p.changed()
	w := p.workspace()
	var mu sync.Mutex
	asked := map[string]int{}
	led := make(chan struct{})
	old := leader.Campaign(t.Context(), w.LockFile(), w.Socket(), leader.Hello{Version: "0.1", Role: "lsp", Root: w.Root}, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		mu.Lock()
		asked[method]++
		mu.Unlock()
		return nil, fmt.Errorf("unknown method %q", method)
	}, func() { close(led) })
	defer old.Close()
	<-led
	ctx := t.Context()
	cs, _ := p.agent(ctx)
	missing := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.DeleteFunc([]string{"change", "code", "graph"}, func(method string) bool { return asked[method] > 0 })
	}
	// A leader that does not pick up within milliseconds is not waited for, and a
	// busy machine keeps it from that: some rounds may go by.
	for range 20 {
		for _, c := range aboutCode() {
			if got := p.callTool(ctx, cs, c.tool, c.args); !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("%s %v:\n%s", c.tool, c.args, got)
			}
		}
		if got := p.callTool(ctx, cs, "graph", map[string]any{"target": "src/b.go#User"}); !strings.Contains(got, "callee src/b.go Used") {
			t.Errorf("graph:\n%s", got)
		}
		if len(missing()) == 0 {
			break
		}
	}
	within(t, slack, "it is heard", func() bool {
		return strings.Contains(p.callTool(ctx, cs, "stats", nil), "Leader: lsp ")
	})
	for _, method := range missing() {
		t.Errorf("%s: the leader was not asked", method)
	}
}

// raw is a process that a test talks to in bytes.
type raw struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	done chan error
}

func (p *place) raw() *raw {
	p.t.Helper()
	r := &raw{cmd: p.command("mcp"), done: make(chan error, 1)}
	r.cmd.Stderr = os.Stderr
	var err error
	r.in, err = r.cmd.StdinPipe()
	p.must(err)
	out, err := r.cmd.StdoutPipe()
	p.must(err)
	r.out = bufio.NewReaderSize(out, 1<<20)
	p.must(r.cmd.Start())
	go func() { r.done <- r.cmd.Wait() }()
	p.t.Cleanup(func() { _ = r.cmd.Process.Kill() }) // ended already where all is well
	r.say(p.t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	r.await(p.t, `"id":0,`)
	r.say(p.t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

func (r *raw) say(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// await reads lines until one has a text.
func (r *raw) await(t testing.TB, text string) string {
	t.Helper()
	for {
		line, err := r.out.ReadString('\n')
		if err != nil {
			t.Fatalf("no answer with %s: %v", text, err)
		}
		if !json.Valid([]byte(line)) {
			t.Fatalf("no JSON: %s", line)
		}
		if strings.Contains(line, text) {
			return line
		}
	}
}

// TestRoughClients: what is malformed or too large is answered and does not end
// the connection; a client that dies leaves no process and no lock.
func TestRoughClients(t *testing.T) {
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", "Refresh fails when Redis is down", "--at", "src/a.go"))
	r := p.raw()
	for _, c := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":`, "-32700"},
		{"\x00\xff garbage", "-32700"},
		{`{"hello":"world"}`, "-32600"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600"},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":"x"}}`, `"id":2,`},
		{`{"jsonrpc":"2.0","id":3,"method":"no/such"}`, `"id":3,"error"`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"none","arguments":{}}}`, `"id":4,"error"`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search","arguments":{"query":"` + strings.Repeat("x", 30<<20) + `"}}}`, `"id":5,"error":{"code":-32600`},
	} {
		r.say(t, c.line)
		r.await(t, c.want)
	}
	var says sync.WaitGroup
	const calls = 40
	says.Go(func() {
		for i := range calls {
			r.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"recall","arguments":{"paths":["src/a.go"]}}}`, 100+i))
		}
	})
	left := map[string]bool{}
	for i := range calls {
		left[fmt.Sprintf(`"id":%d,`, 100+i)] = true
	}
	for len(left) > 0 {
		line := r.await(t, "Redis")
		for id := range left {
			if strings.Contains(line, id) {
				delete(left, id)
			}
		}
	}
	says.Wait()
	within(t, 2*time.Second+slack, "it leads", func() bool { return !p.free() })
	// It dies in the middle of a call, and of a line.
	r.say(t, `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"impact","arguments":{"targets":["src/a.go"]}}}`)
	if _, err := io.WriteString(r.in, `{"jsonrpc":"2.0","id":901,"met`); err != nil {
		t.Fatal(err)
	}
	_ = r.in.Close()
	select {
	case err := <-r.done:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(2*time.Second + slack):
		t.Fatal("the process lives on")
	}
	if !p.free() {
		t.Error("the lock is stuck")
	}
}

// TestParentDies: a parent that dies without closing our input takes the server
// with it.
func TestParentDies(t *testing.T) {
	wholeFormOnly(t)
	p := newPlace(t)
	p.must(p.run("", "init"))
	in, hold, err := os.Pipe()
	p.must(err)
	defer func() { _ = hold.Close() }()
	shell := exec.Command("sh", "-c", "manicule mcp <&3 >/dev/null & echo $!; wait")
	shell.Dir, shell.Env, shell.ExtraFiles = p.root, p.env, []*os.File{in}
	out, err := shell.StdoutPipe()
	p.must(err)
	p.must(shell.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	p.must(err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	p.must(err)
	_, err = io.WriteString(hold, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	p.must(err)
	within(t, 2*time.Second+slack, "it leads", func() bool { return !p.free() })
	p.must(shell.Process.Kill())
	_ = shell.Wait() // it was killed
	within(t, 2*time.Second+slack, "the server ends", func() bool { return gone(pid) })
	if !p.free() {
		t.Error("the lock is stuck")
	}
}

// gone reports that a process has ended; one that nobody has waited for has.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// TestMCPStructured holds that the program answers in data when it is asked to, and
// otherwise in text alone.
func TestMCPStructured(t *testing.T) {
	p := newProgram(t)
	p.run(t, "init")
	p.run(t, "remember", "the cache is flushed by hand", "--type", "gotcha")
	for _, args := range [][]string{{"mcp"}, {"mcp", "--structured"}} {
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "codex", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: p.command(t, args...)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "cache"}})
		if err != nil || r.IsError || len(r.Content) != 1 {
			t.Fatalf("%v: %+v, %v", args, r, err)
		}
		if got, want := r.StructuredContent != nil, len(args) > 1; got != want {
			t.Errorf("%v: data %t, want %t", args, got, want)
		}
		if err := cs.Close(); err != nil {
			t.Error(err)
		}
	}
}
