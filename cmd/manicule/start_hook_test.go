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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What manicule-hook may do before main: packages that run code when they are
// linked, and the bytes that they allocate. Both are the same on every machine.
const (
	hookInitPackages = 106
	hookInitBytes    = 120_000
)

// The most that a process may take, as a multiple of a static Go program that
// decodes the same event, measured in turns with it. They are above what a quiet
// machine shows by what other processes add on a busy one.
const (
	hookRatio    = 7.5  // PreToolUse, at startMemories: 4.8 when it was set
	versionRatio = 12.0 // manicule version, as the binary of this test: 6
)

// startMemories is how many memories the measured workspace has.
const startMemories = 1000

const floorProgram = `package main

import (
	"encoding/json"
	"os"
)

func main() {
	var v map[string]any
	if json.NewDecoder(os.Stdin).Decode(&v) == nil {
		os.Stdout.WriteString("{}\n")
	}
}
`

// static builds a program without C.
func static(t *testing.T, out, dir string, pkg ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, pkg...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, said)
	}
	return out
}

func hookProgram(t *testing.T) string {
	return static(t, filepath.Join(t.TempDir(), "manicule-hook"), ".", "manicule/cmd/manicule-hook")
}

// TestHookProgramDoesLittleBeforeMain: a library that prepares itself when it is
// linked, used or not, costs every call of a tool.
func TestHookProgramDoesLittleBeforeMain(t *testing.T) {
	cmd := exec.Command(hookProgram(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total, n := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init \S+ @.*, (\d+) bytes`).FindAllStringSubmatch(string(out), -1) {
		size, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		total, n = total+size, n+1
	}
	t.Logf("%d packages, %d bytes", n, total)
	if n == 0 || n > hookInitPackages || total > hookInitBytes {
		t.Errorf("%d packages allocate %d bytes before main, at most %d and %d may: GODEBUG=inittrace=1 shows which", n, total, hookInitPackages, hookInitBytes)
	}
}

// TestHookProgramAnswersAlone: the built program answers, and hands to the one on
// the PATH what it can't do.
func TestHookProgramAnswersAlone(t *testing.T) {
	x := startWorkspace(t, 3)
	hook := hookProgram(t)
	for _, c := range []struct{ event, want string }{
		{`{"hook_event_name":"PreToolUse","session_id":"a","cwd":%q,"tool_name":"Read","tool_use_id":"1","tool_input":{"file_path":"src/m1/a.go"}}`, "Note 1 "},
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

// TestInitWiresTheHookProgram where it stands beside the program that runs, and
// the program itself where it does not.
func TestInitWiresTheHookProgram(t *testing.T) {
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
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
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
	if text := wired(); !strings.Contains(text, `"manicule-hook hook claude-code"`) || strings.Contains(text, `"manicule hook`) {
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
	if text := wired(); !strings.Contains(text, `"manicule hook claude-code"`) || strings.Contains(text, "manicule-hook") {
		t.Errorf("without the program for hooks:\n%s", text)
	}
}

// TestStartHasARatio holds the price of a call: whole processes, in turns with the
// least that any program takes here.
func TestStartHasARatio(t *testing.T) {
	if testing.Short() || slowedDown {
		t.Skip("it measures")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "floor.go"), []byte(floorProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	floor := static(t, filepath.Join(dir, "floor"), dir, "floor.go")
	hook := hookProgram(t)
	x := startWorkspace(t, startMemories)
	runs := 0
	event := func() string {
		runs++ // each in a session of its own, or it has said it already
		return fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s%d","cwd":%q,"tool_name":"Read","tool_use_id":"1","tool_input":{"file_path":"src/m1/a.go"}}`, runs, x.root)
	}
	var err error
	for range 5 { // other work on the machine only adds
		least := x.time(t, event, []string{floor}, []string{hook, "hook", "claude-code"}, []string{"manicule", "version"})
		ratio := [2]float64{float64(least[1]) / float64(least[0]), float64(least[2]) / float64(least[0])}
		t.Logf("floor %v, hook %.1f times, version %.1f times", least[0], ratio[0], ratio[1])
		if err = nil; ratio[0] > hookRatio || ratio[1] > versionRatio {
			err = fmt.Errorf("a hook takes %.1f times what a static program does, at most %.1f it may; version %.1f, at most %.1f", ratio[0], hookRatio, ratio[1], versionRatio)
		}
		if err == nil {
			return
		}
	}
	t.Error(err)
}

type startPlace struct {
	root string
	env  []string
}

// startWorkspace is a workspace with n memories, of which one applies to src/m1.
func startWorkspace(t *testing.T, n int) *startPlace {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := &startPlace{root: filepath.Join(home, "tree"), env: os.Environ()}
	for k, v := range homeVars(home) {
		x.env = append(x.env, k+"="+v)
	}
	memories := filepath.Join(x.root, ".manicule", "memories", "area_context")
	if err := errors.Join(makeHome(home), os.MkdirAll(memories, 0o755)); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		id := fmt.Sprintf("01a205c6-8ced-74cb-b0fc-%012x", i)
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

// time runs commands in turns and returns the lower quartile of each.
func (x *startPlace) time(t *testing.T, event func() string, commands ...[]string) []time.Duration {
	t.Helper()
	const rounds = 24
	took := make([][]time.Duration, len(commands))
	for range rounds {
		for i, words := range commands {
			cmd := x.command(words[0], words[1:]...)
			cmd.Stdin = strings.NewReader(event())
			begin := time.Now()
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %v", words, err)
			}
			took[i] = append(took[i], time.Since(begin))
		}
	}
	out := make([]time.Duration, len(commands))
	for i, list := range took {
		slices.Sort(list)
		out[i] = list[rounds/4]
	}
	return out
}
