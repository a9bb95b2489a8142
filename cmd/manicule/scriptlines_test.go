package main

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"

	"github.com/rogpeppe/go-internal/testscript"
)

// The lines `manicule ...` of a script run one after the other in one process, a line server: to start a process takes
// longer than most lines. Hooks and servers, and what a script runs by exec, in the background or with input, have
// processes of their own.

// lineServerName is the name by which the test binary is a line server.
const lineServerName = "manicule-lines"

// line is a line of a script, without the word manicule.
type line struct {
	Dir  string
	Env  []string
	Args []string
}

// lineResult is what a line did.
type lineResult struct {
	Code     int
	Out, Err []byte
}

// runLineServer runs the lines on its input, until there are no more.
func runLineServer() int {
	lines, results := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.NewFile(3, "results"))
	for {
		var l line
		err := lines.Decode(&l)
		if errors.Is(err, io.EOF) {
			return exitOK
		}
		if err == nil {
			var r lineResult
			if r, err = l.run(); err == nil {
				err = results.Encode(r)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "line server:", err)
			return exitError
		}
	}
}

// run is runAgain for one line.
func (l line) run() (r lineResult, err error) {
	if err := os.Chdir(l.Dir); err != nil {
		return r, err
	}
	os.Clearenv()
	for _, v := range l.Env {
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			return r, err
		}
	}
	// Some commands raise both for what is left of their process.
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
	var out, errs bytes.Buffer
	a := newApp()
	a.in, a.out, a.err, a.args, a.tty, a.inputTTY = strings.NewReader(""), &out, &errs, l.Args, false, false
	r.Code = a.run()
	r.Out, r.Err = out.Bytes(), errs.Bytes()
	return r, nil
}

// lineServer is the line server of a script.
type lineServer struct {
	initial []string // the variables that the script begins with
	later   []string // those that it may set

	process *exec.Cmd   // nil until the first line
	pipes   []io.Closer // to it and from it
	lines   *gob.Encoder
	results *gob.Decoder
}

// lineServerKey is the key of a script's line server among its values.
type lineServerKey struct{}

// withLineServer gives a script a line server. later names the variables that it may set.
func withLineServer(env *testscript.Env, later []string) {
	s := &lineServer{later: later}
	for _, v := range env.Vars {
		name, _, _ := strings.Cut(v, "=")
		s.initial = append(s.initial, name)
	}
	env.Values[lineServerKey{}] = s
	env.Defer(s.stop)
}

// run runs a line.
func (s *lineServer) run(l line) (r lineResult, err error) {
	if s.process == nil {
		if err := s.start(); err != nil {
			return r, fmt.Errorf("start the line server: %w", err)
		}
	}
	if err := s.lines.Encode(l); err != nil {
		return r, fmt.Errorf("pass a line to the line server: %w", err)
	}
	if err := s.results.Decode(&r); err != nil {
		return r, fmt.Errorf("read from the line server, which may have panicked: %w", err)
	}
	return r, nil
}

func (s *lineServer) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	results, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	p := exec.Command(self)
	p.Args[0], p.Stderr, p.ExtraFiles = lineServerName, os.Stderr, []*os.File{theirs}
	input, err := p.StdinPipe()
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	s.process, s.pipes, s.lines, s.results = p, []io.Closer{input, results}, gob.NewEncoder(input), gob.NewDecoder(results)
	return theirs.Close()
}

// stop ends the process. It fails as its lines do, which were looked at.
func (s *lineServer) stop() {
	if s.process != nil {
		for _, c := range s.pipes {
			_ = c.Close()
		}
		_ = s.process.Wait()
	}
}

// environ is the environment of a script's next line.
func (s *lineServer) environ(ts *testscript.TestScript) []string {
	env := make([]string, 0, len(s.initial)+len(s.later)+1)
	for _, name := range s.initial {
		env = append(env, name+"="+ts.Getenv(name))
	}
	for _, name := range s.later {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, "PWD="+ts.MkAbs("."))
}

// runManicule runs the program for a script, and returns its exit code.
func runManicule(ts *testscript.TestScript, args []string) int {
	s, ok := ts.Value(lineServerKey{}).(*lineServer)
	if !ok || len(args) > 0 && slices.Contains([]string{"hook", "lsp", "mcp"}, args[0]) {
		return exitCode(ts, ts.Exec("manicule", args...))
	}
	r, err := s.run(line{Dir: ts.MkAbs("."), Env: s.environ(ts), Args: args})
	ts.Check(err)
	_, err = ts.Stdout().Write(r.Out)
	ts.Check(err)
	_, err = ts.Stderr().Write(r.Err)
	ts.Check(err)
	return r.Code
}

// exitCode is the code with which a process ended that ran.
func exitCode(ts *testscript.TestScript, err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return exitOK
}

// manicule is the script's command of this name.
func manicule(ts *testscript.TestScript, neg bool, args []string) {
	code := runManicule(ts, args)
	if failed := code != exitOK; failed != neg {
		ts.Fatalf("manicule %s ended with %d", strings.Join(args, " "), code)
	}
}

// varsOfScripts lists the variables that the scripts of a folder, or their commands, set: testscript tells the value of
// a variable, and not which there are.
func varsOfScripts(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(dir, err)
	}
	setting, name := regexp.MustCompile(`(?m)^(?:\[.*\] *)?env .*$`), regexp.MustCompile(`(\w+)=`)
	vars := map[string]bool{envEmbedder: true, envEmbedderURL: true, envEmbedderModel: true}
	for _, f := range files {
		text := must.Read(t, f)
		for _, l := range setting.FindAllString(string(text), -1) {
			for _, m := range name.FindAllStringSubmatch(l, -1) {
				vars[m[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(vars))
}

// testsWithProgram has the program in $PATH before the tests run. testscript would, too, but then starts it for each
// line.
type testsWithProgram struct{ testscript.TestingM }

// Run runs the tests.
func (m testsWithProgram) Run() int {
	bin, _, _ := strings.Cut(os.Getenv("PATH"), string(filepath.ListSeparator))
	if err := os.Link(filepath.Join(bin, lineServerName), filepath.Join(bin, "manicule")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitError
	}
	return m.TestingM.Run()
}
