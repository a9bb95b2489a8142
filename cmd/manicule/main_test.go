package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
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

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/term"

	"manicule/lsp/lsptest"
	"manicule/memory/rerank/reranktest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The variables by which a script makes the program's output the same in
// every run. The program itself does not know them: only the test binary,
// run again as manicule, reads them.
const (
	envNow     = "MANICULE_TEST_NOW"     // the time it is, RFC 3339; the real one when empty
	envSeed    = "MANICULE_TEST_SEED"    // a file that grows by a byte a run: its length is the seed
	envPatient = "MANICULE_TEST_PATIENT" // a hook's deadline counts from so much later
	envBudget  = "MANICULE_HOOK_BUDGET"  // the program's own: where a test is about what hooks say, and not when, they have hookBudget
	hookBudget = "20s"
	envSmall   = "MANICULE_TEST_SMALL"   // "1": a hook answers as manicule-hook does, and hands over to the whole program
	envPrepare = "MANICULE_TEST_PREPARE" // how long a server waits before it prepares searches and sweeps; the usual time when empty
	envFault   = "MANICULE_TEST_FAULT"   // the stage (of package fault) at which files that are called faulty bring out a panic

	// envPackages is for the tests, not for the program: a folder that
	// `manicule model install --download` filled.
	envPackages = "MANICULE_TEST_PACKAGES"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "manicule" {
		os.Exit(runAgain())
	}
	programs := map[string]func(){
		lineServerName: func() { os.Exit(runLineServer()) },
		"hooks":        func() { os.Exit(runHooks()) },
		"fakeserver":   func() { os.Exit(lsptest.FakeServer(os.Stdin, os.Stdout)) },
	}
	for name, run := range surroundings {
		programs[name] = func() { os.Exit(run()) }
	}
	testscript.Main(testsWithProgram{m}, programs)
}

// wholeFormOnly skips a test of many processes while somebody works on the program. With
// the race detector the short form is the only one, and has it.
func wholeFormOnly(t *testing.T) {
	t.Helper()
	if testing.Short() && !slowedDown {
		t.Skip("in the whole form only")
	}
}

// runHooks answers the events of a session, one on each line of the input, as a process of
// manicule hook would each: for sessions of which a test needs only what they leave.
func runHooks() int {
	events := bufio.NewScanner(os.Stdin)
	for events.Scan() {
		a := newApp()
		a.in, a.args = bytes.NewReader(events.Bytes()), append([]string{"hook"}, os.Args[1:]...)
		if code := a.run(); code != exitOK {
			return code
		}
	}
	if err := events.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitError
	}
	return exitOK
}

// runAgain is main with a clock and randomness that a test decides.
func runAgain() int { return newApp().run() }

func newApp() *app {
	a := &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now, random: randomSource(), start: time.Now(), args: os.Args[1:],
		tty:      term.IsTerminal(int(os.Stdout.Fd())),
		inputTTY: term.IsTerminal(int(os.Stdin.Fd())),
	}
	if at, err := time.Parse(time.RFC3339, os.Getenv(envNow)); err == nil {
		a.now = func() time.Time { return at }
	}
	if d, err := time.ParseDuration(os.Getenv(envPatient)); err == nil {
		a.start = a.start.Add(d)
	}
	if d, err := time.ParseDuration(os.Getenv(envPrepare)); err == nil {
		a.prepareAfter = d
	}
	if a.readOnlyHook = os.Getenv(envSmall) == "1"; a.readOnlyHook {
		_ = os.Unsetenv(envSmall) // for the program that it hands over to; it fails for no such name
	}
	if stage := os.Getenv(envFault); stage != "" {
		a.probe = func(at, text string) {
			if at == stage && strings.Contains(text, "faulty") {
				panic("injected")
			}
		}
	}
	return a
}

// randomSource is another stream in each run, and the same in each test.
func randomSource() io.Reader {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(os.Getpid())<<20^uint64(time.Now().UnixNano()))
	if name := os.Getenv(envSeed); name != "" {
		if len(os.Args) > 2 && os.Args[1] == "sync" && os.Args[2] == "--quiet" { // git runs it beside the test, at any moment
			name, seed[len(seed)-1] = name+".git", 1
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			panic(err) // the test's own file
		}
		defer func() { _ = f.Close() }() // one byte, or the next line fails
		if _, err := f.Write([]byte{'.'}); err != nil {
			panic(err)
		}
		n, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			panic(err)
		}
		binary.LittleEndian.PutUint64(seed[:], uint64(n))
	}
	return rand.NewChaCha8(seed)
}

func TestScripts(t *testing.T) {
	p := scriptParams(t)
	p.Dir = "testdata/script"
	vars := varsOfScripts(t, p.Dir)
	p.Setup = func(env *testscript.Env) error {
		if err := prepare(env); err != nil {
			return err
		}
		withLineServer(env, vars)
		return nil
	}
	testscript.Run(t, p)
}

// TestHookScriptsReadOnly: the program for hooks alone answers as the whole one
// does, also what it has to hand over.
func TestHookScriptsReadOnly(t *testing.T) {
	p := scriptParams(t)
	patterns := []string{"hook", "hook_[bcnpr]*", "init_hooks", "ledger", "links"}
	switch {
	case testing.Short():
		patterns = []string{"hook_compact", "init_hooks"}
	case *torturePairs: // many more processes, few more kinds of answers
		patterns = []string{"hook*", "init_hooks", "ledger", "links", "quarantine"}
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob("testdata/script/" + pattern + ".txtar")
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		p.Files = append(p.Files, files...)
	}
	p.UpdateScripts = false
	p.Setup = func(env *testscript.Env) error {
		env.Setenv(envSmall, "1")
		return prepare(env)
	}
	testscript.Run(t, p)
}

func scriptParams(t *testing.T) testscript.Params {
	schemas := newSchemas(t)
	var embedders embedders
	return testscript.Params{
		Setup:               prepare,
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "packages":
				return os.Getenv(envPackages) != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"manicule": manicule,
			"exits":    exits,
			"capture":  capture,
			"expand":   expand,
			"replace":  replace,
			"count":    countMatches,
			"write":    writeBytes,
			"lines":    countLines,
			"plain":    plain,

			"embedder":       embedders.start,
			"embedder-hangs": embedders.wait,
			"reranker": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: reranker DIR")
				}
				ts.Check(reranktest.WriteONNX(ts.MkAbs(args[0])))
			},
			"shape": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: shape NAME")
				}
				ts.Check(schemas.shape(args[0], ts.ReadFile("stdout")))
			},
			"sarif": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 0 {
					ts.Fatalf("usage: sarif")
				}
				ts.Check(schemas.sarif(ts.ReadFile("stdout")))
			},
		},
	}
}

// prepare gives a script a home of its own and a git that reads nothing else.
func prepare(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	for k, v := range homeVars(home) {
		env.Setenv(k, v)
	}
	env.Setenv(envNow, "2026-05-02T10:00:00Z")
	env.Setenv(envSeed, filepath.Join(home, "seed"))
	env.Setenv(envPatient, "1m")
	env.Setenv(envBudget, hookBudget)
	env.Setenv("PACKAGES", os.Getenv(envPackages))
	env.Setenv("GORACE", os.Getenv("GORACE"))
	if err := makeHome(home); err != nil {
		return err
	}
	// Scripts whose repository is the whole folder would add what programs beside them write.
	return os.WriteFile(filepath.Join(home, ".gitignore"), []byte("*\n"), 0o600)
}

func homeVars(home string) map[string]string {
	return map[string]string{
		"HOME":                home,
		"XDG_STATE_HOME":      filepath.Join(home, "state"),
		"XDG_CACHE_HOME":      filepath.Join(home, "cache"),
		"XDG_DATA_HOME":       filepath.Join(home, "data"),
		"XDG_CONFIG_HOME":     filepath.Join(home, "config"),
		"XDG_RUNTIME_DIR":     filepath.Join(home, "run"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"EDITOR":              "",
		"VISUAL":              "",
		"NO_COLOR":            "",
		"TERM":                "xterm",
	}
}

func makeHome(home string) error {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	git := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[protocol \"file\"]\n\tallow = always\n[pull]\n\trebase = false\n" + gitIsQuick
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(git), 0o644)
}

// gitIsQuick is a part of .gitconfig: repositories of a test need no care, for which git
// starts a process after each commit, and don't outlast a power failure.
const gitIsQuick = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n"

// exits runs a program and wants this exit code: exits 3 manicule show x
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var got int
	if args[1] == "manicule" {
		got = runManicule(ts, args[2:])
	} else {
		got = exitCode(ts, ts.Exec(args[1], args[2:]...))
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// capture puts the first group of a match in the last output, or in a file,
// into a variable: capture ID '"uuid": "(.*)"'
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: capture VARIABLE REGEXP [FILE]")
	}
	from := "stdout"
	if len(args) == 3 {
		from = args[2]
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	m := re.FindStringSubmatch(ts.ReadFile(from))
	if len(m) != 2 {
		ts.Fatalf("no match for %q in %s", args[1], from)
	}
	ts.Setenv(args[0], m[1])
}

// expand replaces $VARIABLES in files.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}

// replace changes a text in a file, which must be there: replace OLD NEW FILE
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%q is not in %s", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o644))
}

// countMatches wants so many files below a folder whose names match.
func countMatches(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: count N FOLDER SUFFIX")
	}
	n := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, args[2]) {
			n++
		}
		return err
	}))
	if strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d files below %s end in %s, want %s", n, args[1], args[2], args[0])
	}
}

// countLines wants so many lines of the last output that match: lines N REGEXP
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines N REGEXP")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	if n := len(re.FindAllString(ts.ReadFile("stdout"), -1)); strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d matches for %s, want %s", n, args[1], args[0])
	}
}

// writeBytes writes a Go string literal: write 'a\r\n' FILE
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write TEXT FILE")
	}
	text, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	name, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(name)), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
}

// plain wants that the last output has no escape sequence.
func plain(ts *testscript.TestScript, neg bool, args []string) {
	if has := strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), "\x1b"); has != neg {
		ts.Fatalf("escape bytes in the output: %t", has)
	}
}

// schemas holds outputs to schemas with a program beside the tests, which is built and
// started when the first output is held to one.
type schemas struct {
	names   []string // of the shapes
	mu      sync.Mutex
	program func() (*schemaProgram, error)
}

// schemaProgram answers one request at a time.
type schemaProgram struct {
	in  *json.Encoder
	out *json.Decoder
}

func newSchemas(t *testing.T) *schemas {
	t.Helper()
	dir := t.TempDir()
	return &schemas{names: shapeNames(t), program: sync.OnceValues(func() (*schemaProgram, error) {
		out := filepath.Join(dir, "schemacheck")
		if err := buildStatic(out, ".", "manicule/cmd/internal/schemacheck"); err != nil {
			return nil, err
		}
		cmd := exec.Command(out)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		answers, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		t.Cleanup(func() {
			if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
				t.Errorf("schemacheck: %v", err)
			}
		})
		return &schemaProgram{json.NewEncoder(in), json.NewDecoder(answers)}, nil
	})}
}

// outputSchema is the schema of what --json prints; docs/json.md says which command prints what.
var outputSchema = filepath.Join("..", "..", "docs", "output.schema.json")

// shape holds every JSON value of an output to the schema of a shape.
func (s *schemas) shape(name, text string) error {
	if !slices.Contains(s.names, name) {
		return fmt.Errorf("%s has no shape %q", outputSchema, name)
	}
	return s.check(text, outputSchema, "/$defs/"+name)
}

// sarif holds an output to OASIS's schema of SARIF 2.1.0.
func (s *schemas) sarif(text string) error {
	if !json.Valid([]byte(text)) {
		return errors.New("the output is not one JSON value")
	}
	return s.check(text, "testdata/sarif-schema-2.1.0.json", "")
}

func (s *schemas) check(text, schema, pointer string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	program, err := s.program()
	if err != nil {
		return err
	}
	if err := program.in.Encode(map[string]string{"Schema": schema, "Pointer": pointer, "Text": text}); err != nil {
		return err
	}
	var fault string
	if err := program.out.Decode(&fault); err != nil {
		return err
	}
	if fault != "" {
		return errors.New(fault)
	}
	return nil
}

// shapeNames are the answers among the definitions: those that name their shape.
func shapeNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for name, def := range shapeDefs(t) {
		if _, ok := def.Properties["shape"]; ok {
			names = append(names, name)
		}
	}
	return names
}

// shapeDef is a part of the schema of output.
type shapeDef struct {
	Description string              `json:"description"`
	Properties  map[string]shapeDef `json:"properties"`
	Items       json.RawMessage     `json:"items"`
	Values      json.RawMessage     `json:"additionalProperties"` // a schema, or false
	AnyOf       []shapeDef          `json:"anyOf"`
}

func shapeDefs(t *testing.T) map[string]shapeDef {
	t.Helper()
	data, err := os.ReadFile(outputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]shapeDef `json:"$defs"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Defs
}
