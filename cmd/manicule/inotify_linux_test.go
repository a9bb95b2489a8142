package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/lsp/lsptest"
)

// withLimit has the program run where the system watches only so much for it: in
// a user namespace of its own.
func (p *place) withLimit(name string, n int) {
	p.t.Helper()
	p.in = []string{"unshare", "--user", "--map-root-user", "sh", "-c", fmt.Sprintf(`echo %d >/proc/sys/user/%s && exec "$@"`, n, name), "sh"}
	try := append(append([]string{}, p.in[1:]...), "true")
	if out, err := exec.Command(p.in[0], try...).CombinedOutput(); err != nil {
		p.t.Skipf("no user namespace with limits here: %v\n%s", err, out)
	}
}

// unwatchable is a place with more folders than the system watches.
func unwatchable(t *testing.T, name string, n int) *place {
	p := newPlace(t)
	p.must(os.MkdirAll(filepath.Join(p.root, ".git"), 0o755))
	p.must(os.WriteFile(filepath.Join(p.root, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	p.must(p.run("", "init"))
	p.must(os.WriteFile(filepath.Join(p.root, "go.mod"), []byte("module example.com/a\n"), 0o644))
	p.must(os.WriteFile(filepath.Join(p.root, "src/a.go"), []byte("package a\n\nfunc Used() {}\n"), 0o644))
	for i := range 40 {
		dir := filepath.Join(p.root, fmt.Sprintf("d%d", i))
		p.must(os.Mkdir(dir, 0o755))
		p.must(os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n"), 0o644))
	}
	p.withLimit(name, n)
	return p
}

// limits are those of inotify, and what a person can raise.
var limits = []struct {
	name  string
	n     int
	raise string
}{
	{"max_inotify_watches", 4, "fs.inotify.max_user_watches"},
	{"max_inotify_instances", 0, "fs.inotify.max_user_instances"},
}

// seldom is how long a tree that can't be watched waits to be looked at, at most.
const seldom = 30*time.Second + slack

// TestWatchLimitInEditor: where the system watches no more, a language server
// looks at the files itself, sees memories and code that come, and says so once.
func TestWatchLimitInEditor(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the polls of a server")
	}
	for _, limit := range limits {
		t.Run(limit.name, func(t *testing.T) {
			t.Parallel()
			p := unwatchable(t, limit.name, limit.n)
			e := lsptest.Start(t, p.root, p.serve)
			c := lsptest.Full()
			c.Watch = false // so that the server watches the memories too
			e.Initialize(c)
			e.Open("src/a.go")
			said := func(s lsptest.State) (n int) {
				for _, l := range s.Logs {
					if strings.Contains(l.Message, "instead of watched") {
						n++
						if !strings.Contains(l.Message, limit.raise) {
							t.Errorf("it says %q", l.Message)
						}
					}
				}
				return n
			}
			e.Await(lsptest.When("it says that it looks", func(s lsptest.State) bool { return said(s) > 0 }))

			p.in = nil // a person, elsewhere
			p.must(p.run("", "remember", "Used is used by hand", "--at", "src/a.go#Used"))
			p.must(os.WriteFile(filepath.Join(p.root, "d7/new.go"), []byte("package x\n\nimport \"example.com/a/src\"\n\nfunc New() { a.Used() }\n"), 0o644))
			within(t, time.Second+slack, "the memory is seen", func() bool {
				raw, err := e.Call("textDocument/hover", e.At("src/a.go", 2, 6))
				return err == nil && strings.Contains(string(raw), "used by hand")
			})
			within(t, seldom, "the code is seen", func() bool {
				raw, err := e.Call("manicule/graph", map[string]any{"textDocument": map[string]any{"uri": e.URI("src/a.go")}, "symbol": "Used"})
				return err == nil && strings.Contains(string(raw), "new.go")
			})
			e.Shutdown()
			if err := e.Served(); err != nil {
				t.Error(err)
			}
			if n := said(e.State()); n != 1 {
				t.Errorf("it was said %d times", n)
			}
		})
	}
}

// TestWatchLimitForAgents is the same for the MCP server.
func TestWatchLimitForAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the polls of a server")
	}
	for _, limit := range limits {
		t.Run(limit.name, func(t *testing.T) {
			t.Parallel()
			p := unwatchable(t, limit.name, limit.n)
			ctx := t.Context()
			cmd := p.command("mcp")
			var log bytes.Buffer
			cmd.Stderr = &log
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "codex", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
			p.must(err)
			defer func() { _ = cs.Close() }() // ended already where all is well
			within(t, 2*time.Second+slack, "it leads", func() bool { return strings.Contains(p.callTool(ctx, cs, "stats", nil), "Leader: this process") })
			impact := func() string {
				return p.callTool(ctx, cs, "impact", map[string]any{"targets": []string{"src/a.go#Used"}})
			}
			impact()

			p.in = nil
			p.must(p.run("", "remember", "Used is used by hand", "--at", "src/a.go#Used"))
			p.must(os.WriteFile(filepath.Join(p.root, "d7/new.go"), []byte("package x\n\nimport \"example.com/a/src\"\n\nfunc New() { a.Used() }\n"), 0o644))
			within(t, time.Second+slack, "the memory is seen", func() bool {
				return strings.Contains(p.callTool(ctx, cs, "recall", map[string]any{"paths": []string{"src/a.go"}}), "used by hand")
			})
			within(t, seldom, "the code is seen", func() bool { return strings.Contains(impact(), "d7/new.go") })
			p.must(cs.Close())
			if n := strings.Count(log.String(), "instead of watched"); n != 1 || !strings.Contains(log.String(), limit.raise) {
				t.Errorf("it was said %d times:\n%s", n, log.String())
			}
		})
	}
}
