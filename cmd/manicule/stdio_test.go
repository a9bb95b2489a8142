package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"manicule/indexer/must"

	"github.com/spf13/cobra"
)

// program is the test binary, to be run again as manicule in a workspace of its own.
type program struct {
	dir string
	env []string
}

func newProgram(t *testing.T) program {
	t.Helper()
	home := t.TempDir()
	p := program{dir: filepath.Join(home, "repo"), env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state",
		"XDG_CACHE_HOME=" + home + "/cache", "XDG_DATA_HOME=" + home + "/data", "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + home,
	}}
	must.Mkdir(t, p.dir)
	return p
}

func (p program) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must.OK(t, err)
	// What testscript makes of the test binary goes by the name that it is called by.
	name := filepath.Join(filepath.Dir(p.dir), "manicule")
	if _, err := os.Lstat(name); err != nil {
		must.OK(t, os.Symlink(self, name))
	}
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = p.dir, p.env
	return c
}

func (p program) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("manicule %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// workspaceToPrint is a workspace in which each command has something to say.
func workspaceToPrint(t *testing.T) program {
	t.Helper()
	p := newProgram(t)
	for _, f := range [][2]string{{"go.mod", "module example.com/a\n"}, {"a.go", "package a\n\nfunc F() {}\n\nfunc G() { F() }\n"}, {"CLAUDE.md", "# Rules\n\n- Always run the tests before a commit.\n"}} {
		must.Write(t, filepath.Join(p.dir, f[0]), f[1])
	}
	commit := []string{"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qam", "all"}
	p.git(t, "init", "-q")
	p.git(t, "add", "-A")
	p.git(t, commit...)
	must.Write(t, filepath.Join(p.dir, "a.go"), "package a\n\nfunc F() {}\n\nfunc G() { F(); F() }\n")
	p.git(t, commit...) // a first commit is no change
	p.run(t, "init")
	p.run(t, "remember", "the cache is flushed by hand", "--type", "gotcha", "--at", "a.go#F", "--why", "the pool keeps it")
	p.run(t, "remember", "retries are doubled each time", "--type", "convention")
	p.run(t, "build", "new", "Move the queue")
	p.run(t, "build", "add", "Drain it", "--build", "move-the-queue")
	p.run(t, "work", "begin", "43")
	p.run(t, "work", "begin", "44")
	p.run(t, "index")
	return p
}

func (p program) git(t *testing.T, args ...string) {
	t.Helper()
	git := exec.CommandContext(t.Context(), "git", args...)
	git.Dir, git.Env = p.dir, p.env
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
}

// printed are arguments with which each command prints something and changes
// nothing that another row needs. ID stands for a memory's.
var printed = map[string][]string{
	"init": {"--dry-run"}, "remember": {"one more to keep in mind here", "--type", "convention"}, "recall": {"a.go"}, "search": {"cache"}, "list": {},
	"show": {"ID"}, "edit": {"ID", "--importance", "high"}, "verify": {}, "consolidate": {}, "forget": {"ID"}, "restore": {}, "sweep": {"--dry-run"}, "trust": {}, "map": {}, "coverage": {}, "dispute": {"ID", "it is flushed by a timer"}, "resolve": {}, "history": {"ID"}, "core": {}, "core show": {}, "core edit": {"--summary", "a cache"}, "purge": {"--personal", "--dry-run"}, "review": {}, "review list": {}, "observe": {},
	"import": {"--dry-run"}, "export": {}, "index": {}, "graph": {"a.go"}, "impact": {"a.go#F"}, "outline": {"a.go"}, "model list": {},
	"record put": {"touchstone", "it rained"}, "record list": {}, "build new": {"Move the cache"}, "build add": {"Backfill the rows", "--build", "move-the-queue"}, "build list": {}, "build show": {"move-the-queue"}, "build start": {"1", "--build", "move-the-queue"}, "build history": {"move-the-queue"}, "thread add": {"the retry fails"}, "thread list": {}, "branch": {}, "ask": {"how is the cache flushed?"}, "work": {}, "work begin": {"42"}, "work list": {}, "work show": {"42"}, "work review": {"43"}, "work accept": {"44"}, "session list": {}, "session digest": {}, "skill list": {}, "capture workflow": {}, "wake": {}, "sync": {}, "status": {}, "stats": {}, "onboard": {}, "doctor": {}, "doctor hooks": {}, "doctor agents": {}, "version": {}, "help": {}, "completion bash": {}, "completion zsh": {}, "completion fish": {}, "completion powershell": {},
}

// silent are the commands that print nothing of their own, or can't be run here:
// why they are not asked.
var silent = map[string]string{
	"tui": "it needs a terminal",
	"lsp": "a protocol, whose end is its client's", "mcp": "a protocol, whose end is its client's", "hook": "fails open: exits 0 whatever happens",
	"model": "has subcommands only", "model install": "uses the network", "model remove": "no model is installed", "model use": "no model is installed", "model verify": "no model is installed",
	"model try": "no model is installed", "diff": "there is one version", "revert": "there is one version", "review accept": "as review", "review reject": "as review", "review edit": "as review", "review release": "as review", "completion": "has subcommands only", "record": "has subcommands only", "record append": "as record put", "record show": "as record list", "build": "as build show", "session": "has subcommands only", "session show": "no session has ended", "skill": "has subcommands only", "skill export": "no skill was learned", "skill history": "no skill was learned", "thread": "has subcommands only", "capture": "has subcommands only", "capture pr": "needs a file of reviews", "build block": "as build start", "build plan": "as build start", "build done": "as build start", "thread share": "as thread add", "thread edit": "as thread add", "thread show": "as thread list", "session set": "no session has ended", "thread done": "as thread add", "thread park": "as thread add", "thread reopen": "as thread add", "work complete": "as work accept", "work reject": "as work accept", "work abandon": "as work accept", "work reopen": "as work accept",
}

// TestFullDisk holds that no command ends well when what it prints does not
// arrive, and that it says so.
func TestFullDisk(t *testing.T) {
	wholeFormOnly(t)
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	p := workspaceToPrint(t)
	var names []string
	var walk func(c *cobra.Command, prefix string)
	walk = func(c *cobra.Command, prefix string) {
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				names = append(names, strings.TrimSpace(prefix+" "+sub.Name()))
				walk(sub, strings.TrimSpace(prefix+" "+sub.Name()))
			}
		}
	}
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }}
	root := newRootCommand(newCLI(a, a.in, &output{}))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	walk(root, "")
	for _, name := range names {
		args, ok := printed[name]
		if !ok {
			if silent[name] == "" {
				t.Errorf("%s: neither in the table of what prints nor in that of what does not", name)
			}
			continue
		}
		for _, more := range [][]string{nil, {"--json"}} {
			if more != nil && (testing.Short() || strings.HasPrefix(name, "completion") || name == "help") {
				continue
			}
			t.Run(strings.Join(append([]string{name}, more...), " "), func(t *testing.T) { p.intoFull(t, append(append(strings.Fields(name), args...), more...)) })
		}
	}
	for _, args := range [][]string{{"--help"}, {"recall", "--help"}, {"--version"}, {"export", "--format", "markdown"}, {"search", "F", "--code"}, {"show", "nothing", "--json"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) { p.intoFull(t, args) })
	}
}

// intoFull runs a command whose output can't be written.
func (p program) intoFull(t *testing.T, args []string) {
	t.Helper()
	if i := slices.Index(args, "ID"); i >= 0 {
		out := p.run(t, "remember", "kept for a while only: "+t.Name(), "--type", "convention", "--json")
		_, id, _ := strings.Cut(out, `"uuid": "`)
		args = slices.Clone(args)
		args[i] = id[:36]
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = full.Close() }() // nothing was written
	var said bytes.Buffer
	c := p.command(t, args...)
	c.Stdout, c.Stderr = full, &said
	err = c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() <= 0 {
		t.Errorf("it ends with %v", err)
	}
	if !strings.Contains(said.String(), "the output could not be written") || !strings.Contains(said.String(), "no space left on device") || !strings.Contains(said.String(), "try: ") {
		t.Errorf("it says %q", said.String())
	}
}

// TestClosedPipe holds that a reader that has had enough is told nothing, also
// where the signal that says so is ignored.
func TestClosedPipe(t *testing.T) {
	p := workspaceToPrint(t)
	for _, ignored := range []bool{false, true} {
		r, w, err := os.Pipe()
		must.OK(t, err)
		must.OK(t, r.Close())
		c := p.command(t, "list")
		if ignored {
			c = exec.CommandContext(t.Context(), "sh", "-c", `trap "" PIPE; exec "$0" list`, c.Path)
			c.Dir, c.Env = p.dir, p.env
		}
		var said bytes.Buffer
		c.Stdout, c.Stderr = w, &said
		err = c.Run()
		must.OK(t, w.Close())
		if err == nil || said.Len() > 0 {
			t.Errorf("ignored %v: %v, %q", ignored, err, said.String())
		}
	}
}

// TestOutput holds that the first error stays.
func TestOutput(t *testing.T) {
	full := errors.New("full")
	o := &output{to: writer(func([]byte) (int, error) { return 0, full })}
	for range 2 {
		if _, err := o.Write([]byte("x")); !errors.Is(err, full) {
			t.Error(err)
		}
	}
	if err := o.fault(); !errors.Is(err, full) {
		t.Error(err)
	}
	o = &output{to: writer(func(p []byte) (int, error) { return len(p) - 1, nil })}
	if _, err := o.Write([]byte("xy")); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestInput holds that an interrupt ends a read that waits, and that nothing of
// what comes is lost before it.
func TestInput(t *testing.T) {
	r, w := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	in := &input{ctx: ctx, from: r}
	go func() { _, _ = w.Write([]byte("yes\n")) }() // read below
	b := make([]byte, 2)
	var got string
	for len(got) < 4 {
		n, err := in.Read(b)
		must.OK(t, err)
		got += string(b[:n])
	}
	if got != "yes\n" || in.stopped.Load() {
		t.Errorf("%q", got)
	}
	go cancel(&interrupted{syscall.SIGINT})
	if _, err := in.Read(b); !errors.Is(err, context.Canceled) || !in.stopped.Load() {
		t.Error(err)
	}
	if code, ok := stopCode(ctx); !ok || code != 130 {
		t.Error(code, ok)
	}
	end := &input{ctx: t.Context(), from: strings.NewReader("last")}
	if text, err := io.ReadAll(end); err != nil || string(text) != "last" {
		t.Errorf("%q %v", text, err)
	}
}
