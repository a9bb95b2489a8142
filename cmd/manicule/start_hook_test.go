package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"manicule/cmd/internal/hookexec"
)

// What manicule-hook may do before main: packages that run code when they are
// linked, and the bytes that they allocate, which are the same on every machine but
// for what maps take, a hundredth that differs from start to start.
const (
	hookInitPackages = 110
	hookInitBytes    = 112_000
)

// static builds a program without C.
func static(t *testing.T, out, dir string, pkg ...string) string {
	t.Helper()
	if err := buildStatic(out, dir, pkg...); err != nil {
		t.Fatal(err)
	}
	return out
}

func buildStatic(out, dir string, pkg ...string) error {
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, pkg...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, said)
	}
	return nil
}

func hookProgram(t *testing.T) string {
	return static(t, filepath.Join(t.TempDir(), "manicule-hook"), ".", "manicule/cmd/manicule-hook")
}

// TestHookProgramDoesLittleBeforeMain: a library that prepares itself when it is
// linked, used or not, costs every call of a tool.
func TestHookProgramDoesLittleBeforeMain(t *testing.T) {
	program := hookProgram(t)
	n, total := beforeMain(t, program)
	for i := 0; i < 30 && total > hookInitBytes; i++ { // the runtime's own share varies by some kilobytes
		_, again := beforeMain(t, program)
		total = min(total, again)
	}
	t.Logf("%d packages, %d bytes", n, total)
	if n == 0 || n > hookInitPackages || total > hookInitBytes {
		t.Errorf("%d packages allocate %d bytes before main, at most %d and %d may: GODEBUG=inittrace=1 shows which", n, total, hookInitPackages, hookInitBytes)
	}
}

// beforeMain counts the packages that run code before main in one start of a program, and the bytes that they allocate.
func beforeMain(t *testing.T, program string) (packages, size int) {
	t.Helper()
	cmd := exec.Command(program, "version")
	cmd.Env = []string{"GODEBUG=inittrace=1"} // what the environment holds is counted too
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`(?m)^init \S+ @.*, (\d+) bytes`).FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		packages, size = packages+1, size+n
	}
	return packages, size
}

// TestHookProgramAnswersAlone: the built program answers, and hands to the one on
// the PATH what it can't do.
func TestHookProgramAnswersAlone(t *testing.T) {
	wholeFormOnly(t)
	x := startWorkspace(t, 3)
	hook := hookProgram(t)
	for _, c := range []struct{ event, want string }{
		{`{"hook_event_name":"PreToolUse","session_id":"a","cwd":%q,"tool_name":"Read","tool_use_id":"1","tool_input":{"file_path":"src/m1/a.go"}}`, "1 memory for src/m1/a.go"},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"a","cwd":%q,"prompt":"/remember The static one hands this over"}`, "has stored"},
	} {
		cmd := x.command(hook, "hook", "claude-code")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(c.event, x.root))
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte(c.want)) {
			t.Errorf("%s: %v, want %q in\n%s", c.event, err, c.want, out)
		}
	}
	if out, err := x.command("manicule", "list").Output(); err != nil || !bytes.Contains(out, []byte("hands this over")) {
		t.Errorf("%v: it was not stored:\n%s", err, out)
	}
	// Without the whole program nothing is stored, and the person hears it.
	cmd := x.command(hook, "hook", "claude-code")
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"b","cwd":%q,"prompt":"/remember Lost"}`, x.root))
	if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte("could not store")) {
		t.Errorf("%v, want that it could not be stored:\n%s", err, out)
	}
}

// TestHookBecomesTheHookProgram: configurations that call `manicule hook` get the faster
// program where it stands beside, and this one where it is missing, older, or hands over.
func TestHookBecomesTheHookProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no program becomes another there")
	}
	x := startWorkspace(t, 3)
	bin := t.TempDir()
	full, err := exec.LookPath("manicule")
	if err != nil {
		t.Fatal(err)
	}
	manicule, hook := filepath.Join(bin, "manicule"), filepath.Join(bin, "manicule-hook")
	if err := os.Link(full, manicule); err != nil {
		t.Skip(err) // another disk
	}
	const script = "#!/bin/sh\necho \"the other: $*, $MANICULE_HOOK_COMPLETE\"\n"
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	said := func(env ...string) string {
		t.Helper()
		cmd := x.command(manicule, "hook", "claude-code", "--client", "x")
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"SessionStart","source":"resume","session_id":"a","cwd":%q}`, x.root))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := said(); got != "the other: hook claude-code --client x, 1" {
		t.Errorf("beside it: %q", got)
	}
	if got := said(hookexec.Environ + "=1"); strings.Contains(got, "the other") {
		t.Errorf("called by it: %q", got)
	}
	st, err := os.Stat(manicule)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(hook, time.Time{}, st.ModTime().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := said(); strings.Contains(got, "the other") {
		t.Errorf("an older one: %q", got)
	}
	if err := errors.Join(os.Chtimes(hook, time.Time{}, st.ModTime()), os.Chmod(hook, 0o644)); err != nil {
		t.Fatal(err)
	}
	if got := said(); strings.Contains(got, "the other") {
		t.Errorf("one that can't run: %q", got)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if got := said(); strings.Contains(got, "the other") {
		t.Errorf("a missing one: %q", got)
	}
	if out, err := x.command(manicule, "list").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Note 1 ")) {
		t.Errorf("other commands: %v\n%s", err, out)
	}
}

// TestHookProgramsAgree: both programs give the same answers.
func TestHookProgramsAgree(t *testing.T) {
	wholeFormOnly(t)
	x := startWorkspace(t, 40)
	hook := hookProgram(t)
	events := []string{
		`{"hook_event_name":"SessionStart","source":"startup",%s}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_use_id":"1","tool_input":{"file_path":"src/m1/a.go"},%s}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"2","tool_input":{"file_path":"src/m2/b.go","old_string":"a","new_string":"b"},%s}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_use_id":"5","tool_input":{"file_path":"src/m4/a.go"},%s}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Grep","tool_use_id":"3","tool_input":{"pattern":"module","path":"src"},%s}`,
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"4","tool_input":{"command":"make"},"tool_response":{"stdout":"","stderr":"no rule","interrupted":false},%s}`,
		`{"hook_event_name":"UserPromptSubmit","prompt":"why does the module in src/m3/a.go fail with a note?",%s}`,
		`{"hook_event_name":"Stop",%s}`,
		`{"hook_event_name":"PreCompact","trigger":"auto",%s}`,
		`{"hook_event_name":"Unknown",%s}`,
	}
	answered := 0
	earlier := x.command("manicule", "hook", "claude-code")
	earlier.Stdin = strings.NewReader(fmt.Sprintf(events[0], fmt.Sprintf(`"session_id":"earlier","cwd":%q`, x.root))) // the first session of a machine is told more
	if out, err := earlier.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, event := range events {
		var out [2]string
		for k, words := range [][]string{{"manicule", "hook", "claude-code"}, {hook, "hook", "claude-code"}} {
			cmd := x.command(words[0], words[1:]...)
			cmd.Env = append(cmd.Env, hookexec.Environ+"=1")
			cmd.Stdin = strings.NewReader(fmt.Sprintf(event, fmt.Sprintf(`"session_id":"agree%d","cwd":%q`, k, x.root)))
			data, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %v\n%s", words, err, data)
			}
			out[k] = string(data)
		}
		if out[0] != out[1] {
			t.Errorf("event %d: manicule says\n%s\nmanicule-hook says\n%s", i, out[0], out[1])
		}
		if strings.Contains(out[0], "memor") {
			answered++
		}
	}
	if answered < 3 {
		t.Errorf("%d answers tell of memories: the comparison shows little", answered)
	}
}

// TestInitWiresTheHookProgram where it stands beside the program that runs, and
// the program itself where it does not.
func TestInitWiresTheHookProgram(t *testing.T) {
	wholeFormOnly(t)
	x := startWorkspace(t, 1)
	bin := t.TempDir()
	full, err := exec.LookPath("manicule")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(full, filepath.Join(bin, "manicule")); err != nil {
		t.Skip(err) // another disk
	}
	hook := static(t, filepath.Join(bin, "manicule-hook"), ".", "manicule/cmd/manicule-hook")
	// Whoever runs the tests may have installed the program for hooks.
	path := []string{bin}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "manicule-hook")); err != nil {
			path = append(path, dir)
		}
	}
	t.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator)))
	x.env = append(x.env, "PATH="+os.Getenv("PATH"))
	wired := func(args ...string) string {
		t.Helper()
		if out, err := x.command("manicule", append([]string{"init", "--no-mcp", "--agent", "claude-code"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		name := "settings.local.json"
		if len(args) > 0 {
			name = "settings.json"
		}
		data, err := os.ReadFile(filepath.Join(x.root, ".claude", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if text := wired(); !strings.Contains(text, `"manicule-hook hook claude-code || true"`) || strings.Contains(text, `"manicule hook`) {
		t.Errorf("beside the program for hooks:\n%s", text)
	}
	out, err := x.command("manicule", "doctor", "agents").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("manicule-hook is this version")) || !bytes.Contains(out, []byte("an answer in")) {
		t.Errorf("doctor agents: %v\n%s", err, out)
	}
	if text := wired("--shared"); strings.Contains(text, "manicule-hook") {
		t.Errorf("what everybody shares names a program that not everybody has:\n%s", text)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if out, err := x.command("manicule", "doctor", "agents").CombinedOutput(); err == nil || !bytes.Contains(out, []byte("init --agent claude-code")) {
		t.Errorf("doctor agents without it: %v\n%s", err, out)
	}
	if text := wired(); !strings.Contains(text, `"manicule hook claude-code || true"`) || strings.Contains(text, "manicule-hook") {
		t.Errorf("without the program for hooks:\n%s", text)
	}
}

type startPlace struct {
	root string
	env  []string
	runs int
}

func startID(i int) string { return fmt.Sprintf("01a205c6-8ced-74cb-b0fc-%012x", i) }

// startWorkspace is a workspace with n memories, of which one applies to src/m1.
func startWorkspace(t *testing.T, n int) *startPlace {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := &startPlace{root: filepath.Join(home, "tree"), env: append(os.Environ(), envBudget+"="+hookBudget)}
	for k, v := range homeVars(home) {
		x.env = append(x.env, k+"="+v)
	}
	memories := filepath.Join(x.root, ".manicule", "memories", "area_context")
	if err := errors.Join(makeHome(home), os.MkdirAll(memories, 0o755)); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		id := startID(i)
		text := fmt.Sprintf(`{"format":1,"uuid":%q,"type":"gotcha","layer":"area_context","what":"Note %d about a module","scope":["src/m%d/**"],"visibility":"project","importance":"medium","confidence":1,`+
			`"trust":{"origin":"user_taught","tainted":false},"generated_by":{"tool":"manicule","model":null,"author_type":"human"},"provenance":{"session":null,"commit":null,"import":null},`+
			`"lineage":{"version":1,"change_kind":"create"},"created_at":"2026-05-01T10:00:00Z","updated_at":"2026-05-01T10:00:00Z"}`, id, i, i)
		if err := os.WriteFile(filepath.Join(memories, id+".json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := x.command("manicule", "sync").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return x
}

func (x *startPlace) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir, cmd.Env = x.root, slices.Clone(x.env)
	return cmd
}
