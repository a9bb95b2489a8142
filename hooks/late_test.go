package hooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
)

// quiet holds that no hook has noted a fault so far.
func (w *world) quiet() {
	w.tb.Helper()
	if list, err := Recent(w.state, 9); err != nil || len(list) > 0 {
		w.tb.Errorf("notes: %+v, %v", list, err)
	}
}

func sessionStart(w *world) string {
	return `{"hook_event_name":"SessionStart","session_id":"s1","source":"startup","cwd":"` + w.root + `"}`
}

// TestLateBrief has a brief that comes after the time is up: nobody heard it, so
// what it would have said is said later.
func TestLateBrief(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.stuck = make(chan struct{})
		if got, took := answerInTime(w.options("claude-code", sessionStart(w), nil)); got != "" || took != startBudget {
			t.Errorf("%q after %v", got, took)
		}
		close(w.stuck)
		synctest.Wait()
		if got := w.run(tool("Read", "file_path", "src/auth/x.ts")); !strings.Contains(got, nudgeProject) {
			t.Errorf("later: %q", got)
		}
	})
}

// TestMissedStart: what a start had no time to say comes with the first prompt, and once.
func TestMissedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, missed := range []bool{false, true} {
			w := newWorld(t)
			if missed {
				w.stuck = make(chan struct{})
			}
			start, _ := answerInTime(w.options("claude-code", sessionStart(w), nil))
			if got := strings.Contains(start, "Errors are wrapped"); got == missed {
				t.Errorf("missed %t: the start said %q", missed, start)
			}
			if missed {
				close(w.stuck)
				synctest.Wait()
			}
			for i, want := range []bool{missed, false} {
				prompt := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": fmt.Sprint("go on ", i)}
				if got := w.run(prompt); strings.Contains(got, "Errors are wrapped") != want {
					t.Errorf("missed %t: prompt %d was told %q", missed, i+1, got)
				}
			}
		}
	})
}

// TestLateEventIsLogged: an event is logged, and once, though its time is up and the worker does not come to it.
func TestLateEventIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.stuck = make(chan struct{})
		edit := `{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"` + w.root + `","tool_name":"Read","tool_use_id":"e","tool_input":{"file_path":"` + w.root + `/src/auth/x.ts"}}`
		answerInTime(w.options("claude-code", edit, nil))
		records, _, err := eventlog.Read(w.state, "s1")
		if err != nil || len(records) != 1 || len(records[0].Calls) != 1 {
			t.Errorf("when the time is up: %+v, %v", records, err)
		}
		close(w.stuck)
		synctest.Wait()
		w.run(tool("Read", "file_path", "src/auth/x.ts"))
		if records, _, err := eventlog.Read(w.state, "s1"); err != nil || len(records) != 2 {
			t.Errorf("%d events are logged, want 2: %v", len(records), err)
		}
	})
}

// slowInput is an event of which the last part comes late.
type slowInput struct {
	parts []string
	rest  <-chan time.Time
}

func (s *slowInput) Read(p []byte) (int, error) {
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	if len(s.parts) == 1 {
		<-s.rest
	}
	n := copy(p, s.parts[0])
	s.parts = s.parts[1:]
	return n, nil
}

// TestLateInputIsLogged: an event that is read only when its time is up, as on a machine with too much to do, is logged.
func TestLateInputIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		opt := w.options("claude-code", "", io.Discard)
		opt.Getenv = func(string) string { return "" }
		opt.Stdin = &slowInput{[]string{`{"hook_event_name":"PreToolUse","tool_name":"Read",`,
			`"session_id":"s1","cwd":"` + w.root + `","tool_use_id":"e","tool_input":{"file_path":"` + w.root + `/src/auth/x.ts"}}`}, time.After(toolBudget + logGrace/2)}
		Run(t.Context(), opt)
		if records, _, err := eventlog.Read(w.state, "s1"); err != nil || len(records) != 1 {
			t.Errorf("%d events are logged: %v", len(records), err)
		}
	})
}

// TestCatchesUp: learning from earlier sessions comes before the answer, and never costs it: it ends
// in time, and is left out where too little is left.
func TestCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := func(late bool) (learned bool, answer string) {
			w := newWorld(t)
			opt := w.options("claude-code", sessionStart(w), nil)
			if late {
				opt.Start = time.Now().Add(answerReserve - startBudget)
			}
			opt.Learn = func(ctx context.Context, _, _ string) error {
				learned = true
				<-ctx.Done()
				return ctx.Err()
			}
			answer, took := answerInTime(opt)
			if took > startBudget {
				t.Errorf("late %t: it took %v", late, took)
			}
			return learned, answer
		}
		if learned, _ := run(true); learned {
			t.Error("it learns although too little time is left")
		}
		if learned, answer := run(false); !learned || answer == "" {
			t.Errorf("learned %t, the answer %q", learned, answer)
		}
	})
}

// TestLearnsAtRest: of an agent that reports no end, a session is learned from at the end of each turn, and so is what an earlier start had no
// time for. Others learn at the end.
func TestLearnsAtRest(t *testing.T) {
	for _, tt := range []struct {
		agent, event string
		waiting      bool
		want         string
	}{
		{"opencode", `"client":"opencode","hook_event_name":"session.idle"`, false, "s1"},
		{"opencode", `"client":"opencode","hook_event_name":"session.idle"`, true, "s1 earlier"},
		{"claude-code", `"hook_event_name":"Stop"`, true, ""},
		{"claude-code", `"hook_event_name":"SessionEnd","reason":"exit"`, true, "s1"},
	} {
		w := newWorld(t)
		opt := w.options(tt.agent, `{`+tt.event+`,"session_id":"s1","cwd":"`+w.root+`"}`, io.Discard)
		opt.Start, opt.Now = time.Time{}, func() time.Time { return time.UnixMilli(1) } // no time passes
		opt.Waiting = func(context.Context, string) (bool, error) { return tt.waiting, nil }
		var learned []string
		opt.Learn = func(_ context.Context, _, session string) error {
			learned = append(learned, cmp.Or(session, "earlier"))
			return nil
		}
		Run(context.Background(), opt)
		if got := strings.Join(learned, " "); got != tt.want {
			t.Errorf("%s %s: learned from %q, want %q", tt.agent, tt.event, got, tt.want)
		}
	}
}

// onWrite is called with each answer.
type onWrite func(string)

func (f onWrite) Write(p []byte) (int, error) { f(string(p)); return len(p), nil }

// TestCatchUpLetsGo: an answer comes after what was learned from earlier sessions, but does not wait for learning that does
// not end when its time is up.
func TestCatchUpLetsGo(t *testing.T) {
	for _, tt := range []struct {
		name string
		up   bool // its time is up
		want string
	}{
		{"in time", false, "learned, answer"},
		{"stuck", true, "answer, learned"},
	} {
		w := newWorld(t)
		answered := make(chan struct{})
		var mu sync.Mutex
		var order []string
		did := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		opt := w.options("claude-code", sessionStart(w), onWrite(func(text string) {
			if strings.Contains(text, "hookSpecificOutput") { // and not the empty answer of a missed deadline
				did("answer")
			}
			close(answered)
		}))
		opt.Start, opt.Now = time.Time{}, func() time.Time { return time.UnixMilli(1) } // no time passes
		up := make(chan time.Time)
		if tt.up {
			close(up)
		}
		opt.After = func(time.Duration) <-chan time.Time { return up }
		opt.Learn = func(context.Context, string, string) error {
			if tt.up {
				<-answered // it does not heed the end of its time
			}
			did("learned")
			return nil
		}
		Run(context.Background(), opt)
		mu.Lock()
		if got := strings.Join(order, ", "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		mu.Unlock()
	}
}

// TestCatchUpBudget: an agent that is told everything at the start waits longer for it than others.
func TestCatchUpBudget(t *testing.T) {
	for agent, want := range map[string]time.Duration{"claude-code": catchUpBudget, "opencode": longCatchUpBudget} {
		w := newWorld(t)
		in := sessionStart(w)
		if agent == "opencode" {
			in = `{"client":"opencode","hook_event_name":"session.start","session_id":"s1","source":"startup","cwd":"` + w.root + `"}`
		}
		var left time.Duration
		opt := w.options(agent, in, io.Discard)
		opt.Getenv = func(string) string { return "" }
		opt.Start, opt.Now = time.Time{}, func() time.Time { return time.UnixMilli(1) } // no time passes
		opt.After = func(d time.Duration) <-chan time.Time { left = d; return nil }
		opt.Learn = func(context.Context, string, string) error { return nil }
		Run(context.Background(), opt)
		if left != want {
			t.Errorf("%s: %v to learn, want %v", agent, left, want)
		}
	}
}

// TestLearnedLate: what a start had no time to learn comes with the first prompt after it was learned, and once.
func TestLearnedLate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		source  string
		learns  []bool // at the start, then with each prompt, whether learning ends in time
		want    []bool // told
		prompts int    // at which something is learned
	}{
		{"in time", "startup", []bool{true, true, true}, []bool{true, false, false}, 0},
		{"with the first prompt", "startup", []bool{false, true, true}, []bool{false, true, false}, 1},
		{"later", "clear", []bool{false, false, true}, []bool{false, false, true}, 2},
		{"a session that goes on", "resume", []bool{false, true, true}, []bool{false, false, false}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			waiting, prompts := true, 0
			for i, inTime := range tt.learns {
				in := `{"hook_event_name":"SessionStart","session_id":"s1","source":"` + tt.source + `","cwd":"` + w.root + `"}`
				if i > 0 {
					in = fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"go on %d","cwd":%q}`, i, w.root)
				}
				var out bytes.Buffer
				opt := w.options("claude-code", in, &out)
				opt.Start, opt.Now = time.Time{}, func() time.Time { return time.UnixMilli(int64(i)) } // no time passes
				up := make(chan time.Time)
				if !inTime {
					close(up)
				}
				opt.After = func(time.Duration) <-chan time.Time { return up }
				opt.Waiting = func(context.Context, string) (bool, error) { return waiting, nil }
				opt.Learn = func(ctx context.Context, _, _ string) error {
					if i > 0 {
						prompts++
					}
					if !inTime {
						<-ctx.Done()
						return ctx.Err()
					}
					waiting = false
					return nil
				}
				opt.Unfinished = func(context.Context, string, string) (nudge.Work, bool, error) {
					return nudge.Work{Branch: "main", Said: "The build fails"}, !waiting, nil
				}
				Run(context.Background(), opt)
				if got := strings.Contains(out.String(), "The build fails"); got != tt.want[i] {
					t.Errorf("event %d: told %v in %s", i, got, out.String())
				}
			}
			if prompts != tt.prompts {
				t.Errorf("learned with %d prompts, want %d", prompts, tt.prompts)
			}
		})
	}
}

// TestLateHandOver: an event is logged once where the time is up before the program that it was handed to has answered,
// whether that had logged it or not, and the first prompt tells what the start would have told.
func TestLateHandOver(t *testing.T) {
	for _, logs := range []bool{false, true} {
		t.Run(fmt.Sprintf("logged there %t", logs), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				unfinished := func(context.Context, string, string) (nudge.Work, bool, error) {
					return nudge.Work{Branch: "main", Said: "The build fails"}, true, nil
				}
				waiting := true
				opt := w.options("claude-code", sessionStart(w), nil)
				opt.Unfinished = unfinished
				opt.Waiting = func(context.Context, string) (bool, error) { return waiting, nil }
				opt.HandOver = func(ctx context.Context, _ []byte) ([]byte, error) {
					if logs {
						other := w.options("claude-code", sessionStart(w), io.Discard)
						other.Learn = func(context.Context, string, string) error { return nil }
						Run(context.Background(), other)
					}
					<-ctx.Done()
					return nil, errors.New("signal: killed")
				}
				if got, _ := answerInTime(opt); got != "" {
					t.Errorf("the start: %s", got)
				}
				if records, _, err := eventlog.Read(w.state, "s1"); err != nil || len(records) != 1 || records[0].Kind != string(event.SessionStart) {
					t.Errorf("logged: %+v, %v", records, err)
				}
				waiting = false
				var out bytes.Buffer
				opt = w.options("claude-code", `{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"go on","cwd":"`+w.root+`"}`, &out)
				opt.Unfinished = unfinished
				if Run(context.Background(), opt); !strings.Contains(out.String(), "The build fails") {
					t.Errorf("the first prompt: %s", out.String())
				}
			})
		})
	}
}

// TestBeganFails: a fault is noted, and only a fault.
func TestBeganFails(t *testing.T) {
	for _, fail := range []error{nil, errors.New("disk full")} {
		w := newWorld(t)
		opt := w.options("claude-code", sessionStart(w), io.Discard)
		opt.Commits = func(context.Context, string) (digest.Changes, error) { return digest.Changes{}, nil }
		opt.RecordStart = func(string) error { return fail }
		Run(context.Background(), opt)
		list, err := Recent(w.state, 5)
		if err != nil || (len(list) > 0) != (fail != nil) {
			t.Errorf("%v: notes %+v, %v", fail, list, err)
		}
	}
}

// TestAnotherAnswers: where another hook answers the event, this one reads it to its
// end, so that the agent's write does not fail, and says nothing at all.
func TestAnotherAnswers(t *testing.T) {
	for _, agent := range []string{"claude-code", "gemini"} {
		w := newWorld(t)
		in := strings.NewReader(sessionStart(w) + strings.Repeat(" ", 1<<20))
		var out bytes.Buffer
		opt := w.options(agent, "", &out)
		opt.Stdin, opt.Prepare = in, func() (Settings, bool) { return Settings{}, false }
		Run(context.Background(), opt)
		if out.Len() > 0 || in.Len() > 0 || w.opens > 0 {
			t.Errorf("%s: said %q, left %d bytes, opened %d times", agent, out.String(), in.Len(), w.opens)
		}
	}
}

// TestHandOver: what takes writing goes to another program as it came, its answer is
// ours, and where it fails this process does what it can.
func TestHandOver(t *testing.T) {
	for name, c := range map[string]struct {
		event   string
		waiting error // nil: a session waits
		none    bool  // no session waits
		behind  bool  // the start had no time to learn
		noState bool
		handed  bool
	}{
		"/remember":                            {event: `"UserPromptSubmit","prompt":"/remember x"`, handed: true},
		"/remember without a state":            {event: `"UserPromptSubmit","prompt":"/remember x"`, noState: true, handed: true},
		"/forget":                              {event: `"UserPromptSubmit","prompt":"/forget 12345678"`, handed: true},
		"another prompt":                       {event: `"UserPromptSubmit","prompt":"go on"`},
		"a prompt, and the start had no time":  {event: `"UserPromptSubmit","prompt":"go on"`, behind: true, handed: true},
		"the same, and nothing waits any more": {event: `"UserPromptSubmit","prompt":"go on"`, behind: true, none: true},
		"the end":                              {event: `"SessionEnd"`, handed: true},
		"the end without a state":              {event: `"SessionEnd"`, noState: true},
		"a start, with a session that waits":   {event: `"SessionStart","source":"startup"`, handed: true},
		"a start, and nothing waits":           {event: `"SessionStart","source":"startup"`, none: true},
		"a start that can't see what waits":    {event: `"SessionStart","source":"startup"`, none: true, waiting: errors.New("disk")},
		"a tool":                               {event: `"PreToolUse","tool_name":"Read","tool_use_id":"h","tool_input":{"file_path":"src/auth/x.ts"}`},
		"a tool whose file is about /remember": {event: `"PreToolUse","tool_name":"Write","tool_use_id":"h","tool_input":{"content":"/remember x"}`},
	} {
		for _, fail := range []error{nil, errors.New("not installed")} {
			w := newWorld(t)
			in := `{"session_id":"s1","cwd":"` + w.root + `","hook_event_name":` + c.event + `}`
			var got []string
			opt := w.options("claude-code", in, nil)
			opt.HandOver = func(_ context.Context, input []byte) ([]byte, error) {
				got = append(got, string(input))
				return []byte("{\"from\":\"the other\"}\n"), fail
			}
			opt.Waiting = func(context.Context, string) (bool, error) { return !c.none, c.waiting }
			if c.noState {
				opt.StateDir = func(string) (string, error) { return "", ErrNoWorkspace }
			}
			if c.behind {
				if _, err := (eventlog.Conversation{StateDir: w.state, Session: "s1"}).Dedupe("start").Claim(time.Now(), []string{behindKey}); err != nil {
					t.Fatal(err)
				}
			}
			said := answer(opt)
			if (len(got) == 1) != c.handed || c.handed && got[0] != in {
				t.Errorf("%s: handed over %q", name, got)
			}
			if (said == `{"from":"the other"}`) != (c.handed && fail == nil) {
				t.Errorf("%s: said %q where handing over says %v", name, said, fail)
			}
			records, _, err := eventlog.Read(w.state, "s1")
			if logged := err == nil && len(records) > 0; !c.noState && logged != (!c.handed || fail != nil) {
				t.Errorf("%s: logged here: %v (%v), where handing over says %v", name, logged, err, fail)
			}
			if stored := len(w.drafts) > 0; stored != (strings.HasPrefix(name, "/remember") && fail != nil) {
				t.Errorf("%s: stored here: %v, where handing over says %v", name, stored, fail)
			}
			notes, err := Recent(w.state, 5)
			if faults := c.handed && fail != nil || c.waiting != nil; !c.noState && (err != nil || (len(notes) > 0) != faults) {
				t.Errorf("%s: notes %+v, %v", name, notes, err)
			}
		}
	}
}

// TestHandOverOfMuch: of a prompt that someone has pasted a log into, as much goes to the other program as is used.
func TestHandOverOfMuch(t *testing.T) {
	w := newWorld(t)
	prompt := "/remember x" + strings.Repeat(` a \"line\"\n`, 20<<20/14)
	opt := w.options("claude-code", `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"`+prompt+`","cwd":"`+w.root+`"}`, nil)
	var got []byte
	opt.HandOver = func(_ context.Context, input []byte) ([]byte, error) {
		got = slices.Clone(input)
		return []byte(`{"from":"the other"}`), nil
	}
	answer(opt)
	v, err := event.ScanString(string(got))
	if err != nil || v.Str("cwd") != w.root || !strings.HasPrefix(v.Str("prompt"), `/remember x a "line"`) {
		t.Errorf("handed over %d bytes: %v", len(got), err)
	}
	if len(got) > 1<<20 {
		t.Errorf("handed over %d bytes", len(got))
	}
}

// TestSelfTest: the word is told once in a conversation, while the test is under way.
func TestSelfTest(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	test, err := StartSelfTest(w.state, now, strings.NewReader("abcdefgh"))
	if err != nil || test.Word != "manicule-61626364" {
		t.Fatalf("%+v, %v", test, err)
	}
	if _, err := StartSelfTest(w.state, now, strings.NewReader("ab")); err == nil {
		t.Error("a word of too little chance")
	}
	told := func(session string, e map[string]any) bool {
		t.Helper()
		e["session_id"] = session
		return strings.Contains(w.run(e), test.Word)
	}
	read := func() map[string]any { return tool("Read", "file_path", "src/db/z.ts") }
	if told("s1", map[string]any{"hook_event_name": "Stop"}) {
		t.Error("told at the end, where nobody hears it")
	}
	if !told("s1", read()) || told("s1", read()) || !told("s2", read()) {
		t.Error("not told once in each conversation")
	}
	name := filepath.Join(w.state, selfTestName)
	until := func(at time.Time) string {
		return fmt.Sprintf(`{"word":%q,"until":%d}`, test.Word, at.UnixMilli())
	}
	for i, c := range []struct {
		text string
		want bool
	}{{until(now.Add(time.Minute)), true}, {until(now.Add(-time.Second)), false}, {until(now.Add(2 * selfTestFor)), false}, {"{", false}} {
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := told(fmt.Sprint("other", i), read()); got != c.want {
			t.Errorf("%s: told %v", c.text, got)
		}
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) == c.want {
			t.Errorf("%s: afterwards %v", c.text, err)
		}
	}
	w.quiet()
}

// TestLatency is in milliseconds since the process began, and left out where the
// clock was set meanwhile.
func TestLatency(t *testing.T) {
	for elapsed, want := range map[time.Duration]float64{0: 0, 1500 * time.Microsecond: 1.5, 90 * time.Millisecond: 90, clockJump: 10_000, clockJump + time.Millisecond: -1, -time.Millisecond: -1} {
		w := newWorld(t)
		if err := os.MkdirAll(w.state, 0o700); err != nil {
			t.Fatal(err)
		}
		start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		j := newJob(Options{Start: start, Now: func() time.Time { return start.Add(elapsed) }}.withDefaults())
		j.stateDir, j.name, j.agent = w.state, "Stop", claudeCode()
		j.record("")
		got := -1.0
		if list, err := Latencies(w.state, 5); err == nil && len(list) == 1 {
			got = list[0].Millis
		}
		if got != want {
			t.Errorf("%v: %v ms, want %v", elapsed, got, want)
		}
	}
}

// TestRecordKeepsTheTranscript: what is learned from it at the end of a session is
// found by the log, also where that session never ended.
func TestRecordKeepsTheTranscript(t *testing.T) {
	with := []event.Kind{event.SessionStart, event.Prompt, event.Stop, event.SessionEnd}
	for _, k := range append(with, event.PreTool, event.PostTool, event.PostToolFailure, event.PostBatch) {
		r := logrecord.Of(event.Event{Kind: k, Transcript: "/t.jsonl"}, time.Now())
		if got := r.Transcript != ""; got != slices.Contains(with, k) {
			t.Errorf("%s: the transcript is kept: %v", k, got)
		}
	}
}

// TestFirstByte: an agent that writes slowly is waited for longer than one that has
// said nothing yet.
func TestFirstByte(t *testing.T) {
	var begun atomic.Bool
	for _, c := range []struct {
		from string
		room int
		want bool
	}{{"", 8, false}, {"x", 0, false}, {"x", 8, true}} {
		begun.Store(false)
		_, _ = firstByteReader{strings.NewReader(c.from), &begun}.Read(make([]byte, c.room)) // the end is an error too
		if begun.Load() != c.want {
			t.Errorf("%q into %d bytes: begun %v", c.from, c.room, begun.Load())
		}
	}
}

// TestStuckBookkeeping: once the answer is out nobody waits for what is written down
// about it, beyond the time that the event has.
func TestStuckBookkeeping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		opt := w.options("claude-code", preRead+w.root+`"}`, nil)
		stuck := make(chan struct{})
		defer close(stuck)
		opt.Shown = func(context.Context, string, ledger.Showing) error { <-stuck; return nil }
		if got, took := answerInTime(opt); !strings.Contains(got, "3 memories") || took > toolBudget {
			t.Errorf("%q after %v", got, took)
		}
	})
}

// TestOldSessionsArePruned: what agents did is kept for keepSessions, and a session
// that begins is the time to look.
func TestOldSessionsArePruned(t *testing.T) {
	w := newWorld(t)
	logged := func(id string) int {
		t.Helper()
		records, _, err := eventlog.Read(w.state, id)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return len(records)
	}
	later := time.Now().Add(keepSessions - time.Hour)
	send := func(id, text string) {
		t.Helper()
		opt := w.options("claude-code", strings.Replace(text, `"s1"`, `"`+id+`"`, 1), io.Discard)
		opt.Start, opt.Now = later, func() time.Time { return later }
		Run(context.Background(), opt)
	}
	w.run(tool("Read", "file_path", "src/auth/x.ts"))
	if logged("s1") == 0 {
		t.Fatal("nothing was logged")
	}
	send("s2", sessionStart(w))
	if logged("s1") == 0 {
		t.Error("it is pruned too early")
	}
	later = later.Add(25 * time.Hour) // it is pruned once a day
	send("s3", preRead+w.root+`"}`)
	if logged("s1") == 0 {
		t.Error("a tool's event prunes: it has no time")
	}
	send("s4", sessionStart(w))
	if logged("s1") != 0 {
		t.Error("an old session is kept")
	}
}

// oneOfPhase knows one phase.
type oneOfPhase struct{ phase.Native }

func (oneOfPhase) Phase([]phase.Step) retrieve.Phase { return retrieve.Reflect }

// TestSettings are read under the deadline; what they leave out stays as it was.
func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		set  phase.Methodology
		want bool
	}{"another methodology": {oneOfPhase{}, true}, "none": {nil, false}} {
		w := newWorld(t)
		opt := w.options("claude-code", `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"Token refresh fails when Redis restarts","cwd":"`+w.root+`"}`, io.Discard)
		opt.Prepare = func() (Settings, bool) { return Settings{TrustLevel: 2, Methodology: c.set}, true }
		asked := 0
		opt.Search = func(_ context.Context, _ string, q Query) ([]memory.Hit, error) {
			asked++
			if (q.Phase == retrieve.Reflect) != c.want {
				t.Errorf("%s: asked in phase %v", name, q.Phase)
			}
			return nil, nil
		}
		Run(context.Background(), opt)
		if asked != 1 {
			t.Errorf("%s: asked %d times", name, asked)
		}
		w.quiet()
	}
}
