package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// TestSessionReachesTheEditor runs an agent's hooks beside an editor: the editor
// is told that the session ended, what it was told and what it wrote.
func TestSessionReachesTheEditor(t *testing.T) {
	a, _, _ := testApp(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	must.OK(t, err)
	must.Mkdir(t, filepath.Join(root, "src"))
	must.OK(t, os.Mkdir(filepath.Join(root, "lib"), 0o755))
	for _, name := range []string{"src/a.py", "lib/b.py"} {
		must.Write(t, filepath.Join(root, filepath.FromSlash(name)), "def used(): pass\n")
	}
	run := func(in string, args ...string) {
		t.Helper()
		var complaint strings.Builder
		b := &app{in: strings.NewReader(in), out: io.Discard, err: &complaint, getenv: a.getenv, now: a.now, random: a.random, start: time.Now(), args: args}
		if code := b.run(); code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, complaint.String())
		}
	}
	run("", "--root", root, "init")
	run("", "--root", root, "remember", "used is not", "--type", "gotcha", "--scope", "src/**")
	for _, n := range []string{"first", "second"} {
		run("", "--root", root, "remember", strings.Repeat("a long "+n+" thing to know ", 9), "--type", "convention", "--scope", "lib/**")
	}
	e := lsptest.Start(t, root, func(ctx context.Context, conn io.ReadWriteCloser) error {
		return lsp.Serve(ctx, conn, editorOptions(newCLI(a, a.in, &output{}).opener))
	})
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	if _, err := e.Call("manicule/overview", nil); err != nil { // the folder is open then
		t.Fatal(err)
	}
	for _, event := range []string{
		`{"hook_event_name": "SessionStart", "source": "startup"}`,
		`{"hook_event_name": "UserPromptSubmit", "prompt": "/remember --type convention call used first"}`,
		`{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "1", "tool_input": {"file_path": "` + filepath.Join(root, "src", "a.py") + `"}}`,
		`{"hook_event_name": "SessionEnd", "reason": "exit"}`,
	} {
		whole := fmt.Sprintf(`{"session_id": "abc-1", "cwd": %q, %s`, root, strings.TrimPrefix(event, "{"))
		run(whole, "hook", "claude-code")
	}
	e.Await(lsptest.When("the end of the session", func(s lsptest.State) bool { return s.Seen["manicule/sessionEnded"] == 1 }))
	raw, err := e.Call("manicule/sessionSummary", protocol.LSPAny(`{"session": "abc-1"}`))
	must.OK(t, err)
	var sum struct {
		Agent  string
		Used   []struct{ What string }
		Tokens int
	}
	if err := json.Unmarshal(raw, &sum); err != nil || sum.Agent != "claude-code" || len(sum.Used) == 0 || sum.Used[0].What != "used is not" || sum.Tokens == 0 {
		t.Errorf("summary: %s %v", raw, err)
	}
	// A session that was only told how many memories a file has took tokens too.
	run(fmt.Sprintf(`{"session_id": "abc-2", "cwd": %q, "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "1", "tool_input": {"file_path": %q}}`,
		root, filepath.Join(root, "lib", "b.py")), "hook", "claude-code")
	raw, err = e.Call("manicule/sessionSummary", protocol.LSPAny(`{"session": "abc-2"}`))
	must.OK(t, err)
	sum.Used, sum.Tokens = nil, 0
	if err := json.Unmarshal(raw, &sum); err != nil || len(sum.Used) != 2 || sum.Tokens == 0 {
		t.Errorf("summary of what was only counted: %s %v", raw, err)
	}
	raw, err = e.Call("manicule/log", nil)
	for _, want := range []string{`"kind":"ended"`, `"kind":"shown"`, `"what":"used is not"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the log lacks %s: %s %v", want, raw, err)
		}
	}
	e.Shutdown()
}

// TestStepBackIsWritten sets the trust level in the person's own file for the repository.
func TestStepBackIsWritten(t *testing.T) {
	a, _, _ := testApp(t)
	root := t.TempDir()
	must.Mkdir(t, filepath.Join(root, ".manicule", "memories"))
	opts := editorOptions(newCLI(a, a.in, &output{}).opener)
	m, err := opts.Open(t.Context(), root)
	must.OK(t, err)
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	trust := opts.Trust(m)
	if got := trust.Level(t.Context()); got != 2 {
		t.Errorf("level %d at first", got)
	}
	must.OK(t, trust.SetLevel(t.Context(), 1))
	if got := opts.Trust(m).Level(t.Context()); got != 1 {
		t.Errorf("level %d after the step", got)
	}
	files, err := opts.Files(m).List(t.Context())
	if err != nil || len(files) != 0 {
		t.Errorf("files: %v %v", files, err)
	}
}

// TestUncommittedFilesAreEdited: a file is edited when a person has written it,
// and not only when it is committed.
func TestUncommittedFilesAreEdited(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	a, _, _ := testApp(t)
	root := t.TempDir()
	write := func(name, text string, at time.Time) {
		t.Helper()
		path := filepath.Join(root, name)
		must.Write(t, path, text)
		must.OK(t, os.Chtimes(path, at, at))
	}
	committed, now := a.now().AddDate(0, -2, 0), a.now()
	for _, name := range []string{"left.go", "edited.go", "touched.go"} {
		write(name, "package a\n", committed)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "-q", "-m", "Start"}} {
		c := exec.CommandContext(t.Context(), git, args...)
		c.Dir = root
		c.Env = append(os.Environ(), "HOME="+root, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_DATE="+committed.Format(time.RFC3339), "GIT_COMMITTER_DATE="+committed.Format(time.RFC3339))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("edited.go", "package b\n", now)
	write("touched.go", "package a\n", now) // a new time alone is no edit: each checkout gives one
	write("new.go", "package a\n", now)
	opts := editorOptions(newCLI(a, a.in, &output{}).opener)
	m, err := opts.Open(t.Context(), root)
	must.OK(t, err)
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	files := opts.Files(m)
	if _, err := files.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Time{"left.go": {}, "edited.go": now, "touched.go": {}, "new.go": now} { // the first commit made all files: it edited none
		if at, known := files.Modified(name); !known || !at.Equal(want) {
			t.Errorf("%s: %v %v, want %v", name, at, known, want)
		}
	}
}
