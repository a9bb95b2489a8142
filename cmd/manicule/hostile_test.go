//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/hooks/agent"
	"manicule/lsp/lsptest"
)

// Bounds of one process on a clone that wishes it ill. A machine that tests run
// on is busy; what hangs, hangs longer, and what reads without end reads more.
const (
	hostileTime   = 60 * time.Second
	hostileMemory = 1 << 30
)

// bounds are those, and more under the race detector.
func bounds() (time.Duration, int64) {
	if slowedDown {
		return 4 * hostileTime, 4 * hostileMemory
	}
	return hostileTime, hostileMemory
}

// victim runs the program on a clone.
type victim struct {
	*clone
	p *place
}

func newVictim(t testing.TB) *victim {
	c := newClone(t)
	home := filepath.Join(c.dir, "home")
	p := &place{t: t, root: c.root, env: append(os.Environ(), envPatient+"=1m", "TMPDIR="+filepath.Join(c.dir, "tmp"), "EDITOR=true")}
	for k, v := range homeVars(home) {
		if k != "EDITOR" {
			p.env = append(p.env, k+"="+v)
		}
	}
	c.must(makeHome(home))
	c.must(os.MkdirAll(filepath.Join(c.dir, "tmp"), 0o755))
	return &victim{c, p}
}

// outcome is what a process came to.
type outcome struct {
	code     int
	out, err bytes.Buffer
	fault    string // why it was ended
}

// run has a process work, and ends it when it takes too long or too much.
func (v *victim) run(stdin string, args ...string) *outcome {
	v.t.Helper()
	o := &outcome{}
	cmd := v.p.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &o.out, &o.err
	cmd.WaitDelay = time.Second
	v.must(cmd.Start())
	stop := v.guard(cmd, func(fault string) { o.fault = fault })
	_ = cmd.Wait() // the code says it
	stop()
	o.code = cmd.ProcessState.ExitCode()
	return o
}

// guard watches a process; stop ends the watch.
func (v *victim) guard(cmd *exec.Cmd, fault func(string)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	limit, memory := bounds()
	var done sync.WaitGroup
	done.Go(func() {
		end := time.After(limit)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-end:
				fault("it hangs")
				_ = cmd.Process.Kill() // it may have ended
				return
			case <-tick.C:
				if n := resident(cmd.Process.Pid); n > memory {
					fault(fmt.Sprintf("it takes %d MB", n>>20))
					_ = cmd.Process.Kill() // it may have ended
					return
				}
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// resident is the most memory that a process has held, where the system tells.
func resident(pid int) int64 {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n << 10
}

// sane holds what came of a process against what may.
func (v *victim) sane(o *outcome, what string, codes ...int) {
	v.t.Helper()
	all := append(slices.Clone(o.out.Bytes()), o.err.Bytes()...)
	head := all[:min(len(all), 2_000)]
	switch {
	case o.fault != "":
		v.t.Errorf("%s: %s", what, o.fault)
	case !slices.Contains(codes, o.code):
		v.t.Errorf("%s: it ended with %d\n%q", what, o.code, head)
	case bytes.Contains(o.err.Bytes(), []byte("goroutine ")) || bytes.Contains(o.err.Bytes(), []byte("panic")):
		v.t.Errorf("%s: it panicked\n%s", what, o.err.Bytes())
	default:
		if fault := speaks(all); fault != "" {
			v.t.Errorf("%s: the output %s\n%q", what, fault, head)
		}
	}
}

// untouched holds what lies beside the clone against how it was.
func (v *victim) untouched(before map[string]string) {
	v.t.Helper()
	after := v.snapshot()
	for _, rel := range slices.Sorted(maps.Keys(before)) {
		if now, ok := after[rel]; !ok {
			v.t.Errorf("%s is gone", rel)
		} else if now != before[rel] {
			v.t.Errorf("%s is now %q, was %q", rel, now[:min(len(now), 200)], before[rel][:min(len(before[rel]), 200)])
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[rel]; !ok {
			v.t.Errorf("%s was made", rel)
		}
	}
}

// The exit codes that a door may end with: anything but a crash, and not what is
// for a command line that can't be understood.
var anyCode = []int{exitOK, exitError, exitNotFound, exitRefused, exitFindings}

// looking are the commands that only look.
func looking() [][]string {
	return [][]string{
		{"list"}, {"list", "--json"}, {"recall", "src/a.go"}, {"recall", "leads/secret.go"}, {"recall", "."}, {"show", uuidOf(1)}, {"show", uuidOf(1), "--json"},
		{"search", "secret bad anchored"}, {"status"}, {"status", "--json"}, {"stats"}, {"doctor"}, {"doctor", "agents"}, {"doctor", "hooks"}, {"review"}, {"onboard"},
		{"verify"}, {"verify", "--diff", "HEAD"}, {"verify", "--sarif"}, {"index"}, {"graph", "src/a.go#F"}, {"graph", "src/a.go#G", "--json"},
		{"impact", "src/a.go#G"}, {"impact", "--diff", "HEAD"}, {"outline", "src/a.go"}, {"outline", "leads/secret.go"}, {"search", "--code", "Evil Turned"},
		{"import", "--dry-run", "-v"}, {"import", "--dry-run", "--json"}, {"export"}, {"export", "--format", "markdown"}, {"consolidate"},
		{"init", "--dry-run"}, {"init", "--dry-run", "--agent", "claude-code,cursor,gemini,codex", "--shared"}, {"init", "--undo", "--dry-run"}, {"sync"},
	}
}

// writing are those that write, in this order.
func writing() [][]string {
	return [][]string{
		{"remember", "Stay here", "--scope", "src/**"}, {"remember", "Stay mine", "--personal", "--type", "pattern"}, {"remember", "Stay in it", "--at", "src/a.go#F"},
		{"remember", "Through a link", "--at", "leads/secret.go:1"}, {"remember", "Through another", "--at", "src/secret.go:1"}, {"remember", "From a pipe", "--at", "src/pipe.go:1"},
		{"import", "export.json"}, {"import", "CLAUDE.md"}, {"import"}, {"export", "--format", "bootstrap"}, {"confirm", uuidOf(1)},
		{"edit", uuidOf(3), "--what", "Changed"}, {"forget", uuidOf(2)}, {"restore", uuidOf(2)}, {"verify", uuidOf(6), "--still-true"},
		{"init"}, {"init", "--agent", "claude-code,cursor,gemini,codex,copilot,opencode", "--shared"}, {"init", "--undo"},
	}
}

// TestHostileClone opens a repository that is made of tricks by every front
// door: nothing hangs, nothing takes the memory, nothing is written or told of
// what lies outside, and no output steers a terminal.
func TestHostileClone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some hundred processes")
	}
	v := newVictim(t)
	v.memories()
	v.sources()
	v.rules()
	before := v.snapshot()
	for _, args := range looking() {
		v.sane(v.run("", args...), "manicule "+strings.Join(args, " "), anyCode...)
	}
	v.agents()
	v.tools()
	v.editor()
	v.untouched(before)
	for _, args := range writing() {
		codes := anyCode
		if args[0] == "confirm" {
			codes = append(slices.Clone(codes), exitUsage) // where there is no such command
		}
		v.sane(v.run("", args...), "manicule "+strings.Join(args, " "), codes...)
	}
	v.untouched(before)
}

// agents sends the events of all agents: all kinds of one, a third of the others', and in the torture all.
func (v *victim) agents() {
	v.t.Helper()
	for _, id := range agent.All().IDs() {
		found, err := filepath.Glob(filepath.Join("..", "..", "hooks", "agent", strings.ReplaceAll(id, "-", ""), "testdata", "*.json"))
		v.must(err)
		if len(found) == 0 {
			v.t.Errorf("no payloads of %s", id)
		}
		for i, name := range found {
			if id != "claude-code" && i%3 != 0 && !*torturePairs {
				continue
			}
			data, err := os.ReadFile(name)
			v.must(err)
			event := strings.ReplaceAll(string(data), "/home/a/shop", v.root)
			o := v.run(event, "hook", id)
			v.sane(o, "hook "+name, exitOK)
			if o.err.Len() > 0 {
				v.t.Errorf("hook %s: it said %q", name, o.err.String())
			}
		}
	}
}

// tools asks the MCP server.
func (v *victim) tools() {
	v.t.Helper()
	r := v.p.raw()
	var fault string
	stop := v.guard(r.cmd, func(s string) { fault = s })
	for i, call := range []string{
		`"recall","arguments":{"paths":["src/a.go"]}`, `"recall","arguments":{"paths":["../outside/secret.go"]}`, `"recall","arguments":{"paths":["leads/secret.go"]}`,
		`"search","arguments":{"query":"secret"}`, `"graph","arguments":{"target":"src/a.go#F"}`, `"impact","arguments":{"target":"src/a.go#G"}`,
		`"impact","arguments":{"diff":"HEAD"}`, `"stats","arguments":{}`, `"remember","arguments":{"text":"An agent was here","paths":["leads/secret.go"]}`,
	} {
		r.say(v.t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, i+1, call))
		got := r.await(v.t, fmt.Sprintf(`"id":%d,`, i+1))
		if strings.Contains(got, canary) || strings.Contains(got, `\u001b`) {
			v.t.Errorf("manicule mcp: %s\n%.2000q", call, got)
		}
	}
	v.must(r.in.Close())
	v.must(<-r.done)
	if stop(); fault != "" {
		v.t.Errorf("manicule mcp: %s", fault)
	}
}

// liveMarkdown is what a client would make a link or an element of: not escaped.
var liveMarkdown = regexp.MustCompile(`[^\\](\]\(command:workbench|<img|<system|!\[i)`)

// editor opens files and asks what an editor asks.
func (v *victim) editor() {
	v.t.Helper()
	e := lsptest.Start(v.t, v.root, v.serve)
	e.Initialize(lsptest.Full())
	for _, rel := range []string{"src/a.go", "src/main.py", "src/deep.js", "leads/secret.go", "CLAUDE.md"} {
		if strings.HasPrefix(rel, "leads/") {
			e.OpenText(e.URI(rel), "package out\n\nfunc Secret() {}\n") // its own text is the editor's
		} else {
			e.Open(rel)
		}
		doc := protocol.TextDocumentIdentifier{URI: e.URI(rel)}
		for method, params := range map[string]any{
			protocol.MethodTextDocumentHover:      e.At(rel, 3, 5),
			protocol.MethodTextDocumentCodeLens:   &protocol.CodeLensParams{TextDocument: doc},
			protocol.MethodTextDocumentDiagnostic: &protocol.DocumentDiagnosticParams{TextDocument: doc},
			protocol.MethodTextDocumentCodeAction: &protocol.CodeActionParams{TextDocument: doc},
		} {
			if _, err := e.Call(method, params); err != nil && strings.Contains(err.Error(), canary) {
				v.t.Errorf("%s of %s: %v", method, rel, err)
			}
		}
	}
	for _, m := range e.Traffic() {
		text := string(m.Raw)
		live := m.Method == protocol.MethodTextDocumentHover && liveMarkdown.MatchString(text)
		if live || strings.Contains(text, canary) || strings.Contains(text, `\u001b`) {
			v.t.Errorf("%s: %.2000s", m.Method, text)
		}
	}
	e.Shutdown()
}

// serve connects an editor to a process that is watched.
func (v *victim) serve(_ context.Context, conn io.ReadWriteCloser) error {
	cmd := v.p.command("lsp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	var complaint bytes.Buffer
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, &complaint
	if err := cmd.Start(); err != nil {
		return err
	}
	var mu sync.Mutex
	fault := ""
	stop := v.guard(cmd, func(s string) { mu.Lock(); fault = s; mu.Unlock() })
	defer stop()
	go func() {
		_, _ = io.Copy(in, conn) // ends with the connection
		_ = in.Close()           // the server may be gone already
	}()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(conn, r) // ends with the server
	}()
	err = cmd.Wait()
	_ = w.Close() // nobody reads on
	<-copied
	stop()
	mu.Lock()
	defer mu.Unlock()
	if fault != "" || strings.Contains(complaint.String(), canary) || strings.Contains(complaint.String(), "goroutine ") {
		v.t.Errorf("manicule lsp: %s\n%s", fault, complaint.String())
	}
	return err
}

// TestHostilePlaces puts a trick into each place where a file of git's or of
// Manicule's own is expected, one at a time, and opens the clone by one of the doors
// that everybody goes through; in the torture by all.
func TestHostilePlaces(t *testing.T) {
	t.Parallel()
	wholeFormOnly(t)
	v := newVictim(t)
	v.file(".manicule/memories/technical/"+uuidOf(1)+".json", memoryJSON(uuidOf(1), "pattern", "technical", "Known", ""))
	before := v.snapshot()
	tricks := map[string]func(rel string){
		"pipe":    v.pipe,
		"device":  func(rel string) { v.link(rel, "/dev/zero") },
		"large":   func(rel string) { v.sparse(rel, 10<<30) },
		"outside": func(rel string) { v.link(rel, filepath.Join(v.outside, "HEAD")) },
		"folder":  func(rel string) { v.link(rel, v.outside+"/folder") },
		"itself":  func(rel string) { v.link(rel, filepath.Base(rel)) },
		"garbage": func(rel string) {
			v.file(rel, "ref: refs/heads/\x1b[31mx\ngitdir: ../outside\n"+strings.Repeat("[", 60_000))
		},
	}
	places := []string{
		".manicule", ".manicule/memories", ".manicule/memories/technical", ".manicule/config.toml", ".manicule/.gitignore",
		".git", ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/shallow", ".git/refs/heads/main", ".git/commondir", ".git/info/exclude",
		".git/objects", ".git/objects/info/alternates", ".git/manicule/id", ".git/manicule/init.json", ".git/hooks", ".gitignore",
	}
	doors := [][]string{{"list"}, {"hook", "claude-code"}, {"verify"}, {"remember", "Mine", "--personal"}, {"init", "--dry-run"}}
	start, err := os.ReadFile(filepath.Join("..", "..", "hooks", "agent", "claudecode", "testdata", "session-start.json"))
	v.must(err)
	event := strings.ReplaceAll(string(start), "/home/a/shop", v.root)
	keep := filepath.Join(v.dir, "tmp", "kept")
	for i, rel := range places {
		for j, trick := range slices.Sorted(maps.Keys(tricks)) {
			what := trick + " in the place of " + rel
			name := filepath.Join(v.root, rel)
			saved := os.Rename(name, keep) == nil
			tricks[trick](rel)
			for d, args := range doors {
				if (i+j)%len(doors) != d && !*torturePairs { // each door meets each trick and each place
					continue
				}
				codes, input := anyCode, ""
				if args[0] == "hook" {
					codes, input = []int{exitOK}, event
				}
				o := v.run(input, args...)
				v.sane(o, what+": manicule "+strings.Join(args, " "), codes...)
				if args[0] == "hook" && o.err.Len() > 0 {
					v.t.Errorf("%s: a hook said %q", what, o.err.String())
				}
			}
			if rel == ".manicule/config.toml" {
				out := filepath.Join(v.dir, "tmp", "all.tar.gz")
				v.sane(v.run("", "export", "--all", "--out", out), what+": manicule export --all", exitOK)
				if text := unzipped(t, out); bytes.Contains(text, []byte(canary)) || !bytes.Contains(text, []byte("left_out")) {
					t.Errorf("%s: the archive has what lies outside, or no manifest", what)
				}
				v.must(os.Remove(out))
			}
			v.must(os.RemoveAll(name))
			if saved {
				v.must(os.Rename(keep, name))
			}
		}
	}
	v.untouched(before)
}
