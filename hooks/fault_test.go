package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/eventlog"
	"manicule/indexer/fault"
	"manicule/memory"
)

const preRead = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":"src/auth/x.ts"},"cwd":"`

// silent is a stdin that stays open and says nothing.
type silent struct{ stop chan struct{} }

func (s silent) Read([]byte) (int, error) {
	<-s.stop
	return 0, io.EOF
}

// shut is a stdout that nobody reads any more.
type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// answer runs a hook and returns what it printed.
func answer(opt Options) string {
	var out bytes.Buffer
	if opt.Stdout == nil {
		opt.Stdout = &out
	}
	Run(context.Background(), opt)
	return strings.TrimSpace(out.String())
}

func TestBadInput(t *testing.T) {
	for agent, empty := range map[string]string{"claude-code": "", "codex": "", "windsurf": "", "nonsense": "", "": "",
		"cursor": "{}", "gemini": "{}", "copilot": "{}", "vscode": "{}", "opencode": "{}"} {
		for _, in := range []string{"", "\n", "garbage", "null", "[]", "{", `{"hook_event_name":"PreTool`, "\x00\xff\xfe", `{"a":` + strings.Repeat("[", 100_000), `{}`, `{"hook_event_name":7,"cwd":[],"tool_input":"x"}`} {
			w := newWorld(t)
			opt := w.options(agent, in, nil)
			if got := answer(opt); got != empty {
				t.Errorf("%s, %.20q: %q", agent, in, got)
			}
		}
	}
}

func TestFaultIsNoted(t *testing.T) {
	w := newWorld(t)
	answer(w.options("claude-code", "garbage ghp_"+strings.Repeat("aB3dE5", 6), nil))
	w.fail = errors.New("disk I/O error")
	answer(w.options("claude-code", preRead+w.root+`"}`, nil))
	entries, err := Recent(w.state, 10)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v %v", entries, err)
	}
	if !strings.Contains(entries[0].Message, "could not be read") || !strings.Contains(entries[1].Message, "disk I/O error") || entries[1].Event != "PreToolUse" {
		t.Errorf("%v", entries)
	}
}

func TestSilentStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		in := silent{make(chan struct{})}
		defer close(in.stop)
		opt := w.options("gemini", "", nil)
		opt.Stdin = in
		if got, took := answerInTime(opt); got != "{}" || took > 4*otherBudget {
			t.Errorf("%q after %v", got, took)
		}
		if list, err := Recent(w.state, 2); err != nil || len(list) != 1 || !strings.Contains(list[0].Message, "time was up") {
			t.Errorf("%v %v", list, err)
		}
	})
}

// TestHalfStdin has a host that writes half an event of a tool and stops: the
// smaller budget holds, and what the rest may take to be logged.
func TestHalfStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		in := silent{make(chan struct{})}
		defer close(in.stop)
		opt := w.options("claude-code", "", nil)
		opt.Stdin = io.MultiReader(strings.NewReader(`{"hook_event_name":"PreToolUse","tool_name":"Read",`+strings.Repeat(" ", 64<<10)), in)
		if got, took := answerInTime(opt); got != "" || took != toolBudget+logGrace {
			t.Errorf("%q after %v", got, took)
		}
	})
}

// TestOpenStdin has a host that leaves stdin open after a whole event.
func TestOpenStdin(t *testing.T) {
	w := newWorld(t)
	in := silent{make(chan struct{})}
	defer close(in.stop)
	opt := w.options("claude-code", "", nil)
	opt.Stdin = io.MultiReader(strings.NewReader(preRead+w.root+`"}`+"\n"), in)
	if got := answer(opt); !strings.Contains(got, "3 memories") {
		t.Errorf("%q", got)
	}
}

func TestHugeStdin(t *testing.T) {
	w := newWorld(t)
	big := strings.Repeat(`const x = \"a\";\n`, 30<<20/17)
	in := `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Write","tool_use_id":"t","cwd":"` + w.root + `","tool_input":{"content":"` + big + `","file_path":"src/auth/x.ts"}}`
	opt := w.options("claude-code", in, nil)
	if got := answer(opt); !strings.Contains(got, "3 memories") {
		t.Errorf("%q", got)
	}
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.slow = make(chan struct{})
		got, took := answerInTime(w.options("claude-code", preRead+w.root+`"}`, nil))
		if got != "" || took != toolBudget {
			t.Errorf("%q after %v", got, took)
		}
		if list, err := Latencies(w.state, 2); err != nil || len(list) != 1 || list[0].Outcome != outcomeDeadline {
			t.Errorf("%v %v", list, err)
		}
		if records, _, err := eventlog.Read(w.state, "s1"); err != nil || len(records) != 1 {
			t.Errorf("logged: %+v, %v", records, err)
		}
		if b := ReadBreaker(w.state); len(b.Misses) != 1 {
			t.Errorf("the miss was not counted: %+v", b)
		}
		if list, err := Recent(w.state, 9); err != nil || len(list) != 1 || !strings.Contains(list[0].Message, "time was up") {
			t.Errorf("notes %+v, %v", list, err)
		}
		close(w.slow)
		synctest.Wait()
		// What was not said for lack of time is said the next time.
		w.slow = nil
		if got, _ := answerInTime(w.options("claude-code", strings.Replace(preRead, `"t"`, `"t2"`, 1)+w.root+`"}`, nil)); !strings.Contains(got, "3 memories") {
			t.Errorf("the next time: %q", got)
		}
	})
}

// TestClaimedIsSaid has the time end between the note that something was said
// and the answer: the answer still comes.
func TestClaimedIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJob(newWorld(t).options("claude-code", "", nil).withDefaults())
		j.agent = claudeCode()
		var out bytes.Buffer
		j.opt.Stdout = &out
		if !j.commit() {
			t.Fatal("no time left at the start")
		}
		answers := make(chan []byte)
		go func() { answers <- []byte("said") }()
		j.expire(answers, func() {})
		if out.String() != "said\n" {
			t.Errorf("%q", out.String())
		}
		out.Reset()
		late := newJob(j.opt)
		late.agent = j.agent
		late.expire(nil, func() {})
		if late.commit() {
			t.Error("something was claimed after the time was up")
		}
	})
}

// TestRememberGivesUp has a disk so slow that the time is up: the person hears it.
func TestRememberGivesUp(t *testing.T) {
	w := newWorld(t)
	opt := w.options("claude-code", "", nil).withDefaults()
	var out bytes.Buffer
	opt.Stdout = &out
	opt.Stdin = strings.NewReader(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"/remember slow","cwd":"` + w.root + `"}`)
	j := newJob(opt)
	j.agent = claudeCode()
	if err := j.read(make(chan time.Duration, 2)); err != nil {
		t.Fatal(err)
	}
	j.expire(nil, func() {})
	if !strings.Contains(out.String(), "no time to store") {
		t.Errorf("%q", out.String())
	}
}

// TestRememberOfASlowStart has a process that took longer to start than any event
// may take: what a person typed is answered all the same.
func TestRememberOfASlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 5 {
			w := newWorld(t)
			opt := w.options("claude-code", `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"/remember slow","cwd":"`+w.root+`"}`, nil)
			opt.Start = time.Now().Add(-2 * otherBudget)
			got, _ := answerInTime(opt)
			if !strings.Contains(got, "has stored") {
				t.Fatalf("%q", got)
			}
		}
	})
}

func TestClosedStdout(t *testing.T) {
	w := newWorld(t)
	opt := w.options("claude-code", preRead+w.root+`"}`, nil)
	opt.Stdout = shut{}
	answer(opt)
	entries, err := Recent(w.state, 1)
	if err != nil || len(entries) != 1 || !strings.Contains(entries[0].Message, "broken pipe") {
		t.Errorf("%v %v", entries, err)
	}
}

func TestPanic(t *testing.T) {
	var none map[string]string
	_, _, line, _ := runtime.Caller(0)
	for name, raise := range map[string]func(){
		"ours":        func() { panic("a bug") },
		"the runtime": func() { none["x"] = "" },
	} {
		func() {
			defer func() {
				_ = recover()
				if got := fault.Place(); !strings.Contains(got, "fault_test.go:") || !strings.HasSuffix(got, fmt.Sprint(line+2)) && !strings.HasSuffix(got, fmt.Sprint(line+3)) {
					t.Errorf("%s: %s", name, got)
				}
			}()
			raise()
		}()
	}
	for agent, empty := range map[string]string{"claude-code": "", "opencode": "{}"} {
		w := newWorld(t)
		opt := w.options(agent, strings.Replace(preRead, `"PreToolUse"`, `"PreToolUse"`, 1)+w.root+`"}`, nil)
		opt.OpenReadOnly = func(context.Context, string) (Memories, error) { panic("a bug") }
		if agent == "opencode" {
			opt.Stdin = strings.NewReader(`{"client":"opencode","hook_event_name":"session.start","session_id":"s","cwd":"` + w.root + `"}`)
		}
		if got := answer(opt); got != empty {
			t.Errorf("%s: %q", agent, got)
		}
		entries, err := Recent(w.state, 1)
		if err != nil || len(entries) != 1 || !strings.Contains(entries[0].Message, "a bug at ") || !strings.Contains(entries[0].Message, "fault_test.go") {
			t.Errorf("%v %v", entries, err)
		}
	}
}

// TestNoState has state folders that can't be kept: the answer comes all the same.
func TestNoState(t *testing.T) {
	w := newWorld(t)
	blocked := filepath.Join(w.root, "blocked")
	if err := os.WriteFile(blocked, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]func(string) (string, error){
		"a file stands there": func(string) (string, error) { return filepath.Join(blocked, "state"), nil },
		"none":                func(string) (string, error) { return "", ErrNoWorkspace },
		"no home":             func(string) (string, error) { return "", errors.New("HOME is not set") },
	} {
		opt := w.options("claude-code", preRead+w.root+`"}`, nil)
		opt.StateDir = dir
		if got := answer(opt); !strings.Contains(got, "3 memories") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestReadOnlyState(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is read-only for root")
	}
	w := newWorld(t)
	if err := os.MkdirAll(w.state, 0o500); err != nil {
		t.Fatal(err)
	}
	if got := answer(w.options("claude-code", preRead+w.root+`"}`, nil)); !strings.Contains(got, "3 memories") {
		t.Errorf("%q", got)
	}
}

// TestClockJump has the clock set between the start of the process and now.
func TestClockJump(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		w := newWorld(t)
		opt := w.options("claude-code", preRead+w.root+`"}`, nil)
		opt.Start = time.Now().Round(0).Add(jump)
		if got := answer(opt); !strings.Contains(got, "3 memories") {
			t.Errorf("%v: %q", jump, got)
		}
	}
}

func TestNothingGiven(t *testing.T) {
	Run(context.Background(), Options{})
	Run(context.Background(), Options{Agent: "claude-code", Stdin: strings.NewReader(preRead + `/nowhere"}`)})
}

func TestRememberFails(t *testing.T) {
	for name, fn := range map[string]func(context.Context, string, memory.Draft) (memory.Result, error){
		"an error": func(context.Context, string, memory.Draft) (memory.Result, error) {
			return memory.Result{}, errors.New("the disk is full")
		},
		"refused": func(context.Context, string, memory.Draft) (memory.Result, error) {
			return memory.Result{Reason: "the disk is full", Code: "secret"}, nil
		},
	} {
		w := newWorld(t)
		opt := w.options("claude-code", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"/remember x","cwd":"`+w.root+`"}`, nil)
		opt.Remember = fn
		if got := answer(opt); !strings.Contains(got, "not store what /remember says: the disk is full.") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// BenchmarkPreToolUse is one event through Run, but for the process around it:
// a file whose memories were shown already, as most are.
func BenchmarkPreToolUse(b *testing.B) {
	w := newWorld(b)
	in := preRead + w.root + `"}`
	for b.Loop() {
		Run(context.Background(), w.options("claude-code", in, io.Discard))
	}
}

func claudeCode() spec.Agent {
	a, _ := agent.Lookup("claude-code")
	return a
}
