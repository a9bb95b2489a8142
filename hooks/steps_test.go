package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/work"
)

// spy is a methodology that keeps the steps it was asked about.
type spy struct{ steps []string }

func (*spy) Name() string { return "spy" }

func (*spy) Work() work.Method { return work.MethodOf("") }

func (s *spy) Phase(steps []phase.Step) retrieve.Phase {
	s.steps = nil
	for _, x := range steps {
		line := string(x.Class) + x.Prompt + " " + x.Command + strings.Join(x.Paths, " ")
		if x.Failed {
			line += " failed"
		}
		if x.Plan {
			line += " planning"
		}
		s.steps = append(s.steps, line)
	}
	return retrieve.NoPhase
}

// TestSteps: the phase is guessed from each call once, however many events tell of it, with its
// outcome, and from what the person asked. Two calls of one kind are two steps.
func TestSteps(t *testing.T) {
	a, seen := newAsking(t), &spy{}
	a.work = seen
	event := func(name, id, tool, key, value string) map[string]any {
		return map[string]any{"hook_event_name": name, "tool_use_id": id, "tool_name": tool, "tool_input": map[string]any{key: value}}
	}
	in := func(e map[string]any, key, value string) map[string]any {
		e[key] = value
		return e
	}
	a.say(in(prompt("Which limit does the cache have?"), "permission_mode", "plan"))
	a.say(in(event("PreToolUse", "t1", "Read", "file_path", a.root+"/src/db/z.ts"), "permission_mode", "plan"))
	a.say(event("PostToolUse", "t2", "Edit", "file_path", a.root+"/specs/plan.md"))
	a.say(event("PostToolUse", "t3", "Edit", "file_path", a.root+"/src/db/z.ts"))
	a.say(event("PreToolUse", "t4", "Bash", "command", "npm test"))
	a.say(event("PostToolUseFailure", "t4", "Bash", "command", "npm test"))
	a.say(event("PreToolUse", "t5", "Bash", "command", "npm test"))
	a.say(event("PostToolUse", "t5", "Bash", "command", "npm test"))
	a.say(event("PreToolUse", "t6", "Bash", "command", "npm run lint"))
	a.say(event("PostToolUse", "t7", "Bash", "command", "npm run lint"))
	a.say(event("PreToolUse", "t9", "Bash", "command", "make one"))
	a.say(event("PreToolUse", "t10", "Bash", "command", "make two"))
	a.say(event("PostToolUseFailure", "t9", "Bash", "command", "make one"))
	a.say(event("PostToolUse", "t10", "Bash", "command", "make two"))
	for _, name := range []string{"PreToolUse", "PostToolUse", "PostToolUse", "PreToolUse", "PostToolUseFailure"} { // no ids
		a.say(event(name, "", "Bash", "command", "make"))
	}
	a.say(in(event("PreToolUse", "t8", "Bash", "command", "of another agent"), "agent_id", "x"))
	a.say(prompt("Token refresh should stay opaque"))
	want := []string{"Which limit does the cache have?  planning", "read src/db/z.ts planning", "edit specs/plan.md", "edit src/db/z.ts",
		"shell npm test failed", "shell npm test", "shell npm run lint", "shell npm run lint",
		"shell make one failed", "shell make two", "shell make", "shell make", "shell make failed", "Token refresh should stay opaque "}
	got := seen.steps
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], a.root+"/", "")
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFirstStep: the events of a session's first call are one step, without an id too.
func TestFirstStep(t *testing.T) {
	a, seen := newAsking(t), &spy{}
	a.work = seen
	for _, name := range []string{"PreToolUse", "PostToolUseFailure"} {
		a.say(map[string]any{"hook_event_name": name, "tool_name": "Bash", "tool_input": map[string]any{"command": "make"}})
	}
	a.say(prompt("Token refresh should stay opaque"))
	if want := []string{"shell make failed", "Token refresh should stay opaque "}; !slices.Equal(seen.steps, want) {
		t.Errorf("steps %q, want %q", seen.steps, want)
	}
}

// TestNotQuoted: what nobody has judged is not quoted, and a search that fails says nothing to the
// agent.
func TestNotQuoted(t *testing.T) {
	const text = "Token refresh should stay opaque for mobile clients"
	a := newAsking(t)
	if got := a.say(prompt(text)); got == "" {
		t.Error("nothing is told at all")
	}
	a.quiet()
	b := newAsking(t)
	b.unjudged = true
	if got := b.say(prompt(text)); got != "" {
		t.Errorf("unjudged: %s", got)
	}
	c := newAsking(t)
	c.fault = errors.New("the database is locked")
	if got := c.say(prompt(text)); got != "" {
		t.Errorf("a fault: %s", got)
	}
	if notes, err := Recent(c.state, 9); err != nil || len(notes) != 1 || !strings.Contains(fmt.Sprint(notes), "could not be searched") {
		t.Errorf("notes %v, %v", notes, err)
	}
}

// TestWarmUp: an agent's own search is answered from the sixth event of a session on, if it is
// short enough to be a search for words.
func TestWarmUp(t *testing.T) {
	for _, tc := range []struct {
		before int
		query  string
		asked  bool
	}{
		{warmupEvents - 1, "Redis connection", false},
		{warmupEvents, "Redis connection", true},
		{warmupEvents, "Redis " + strings.Repeat("x", 193), true},
		{warmupEvents, "Redis " + strings.Repeat("x", 194), false},
	} {
		a := newAsking(t)
		for range tc.before {
			a.say(tool("Bash", "command", "ls"))
		}
		a.asked = nil
		if a.say(tool("Grep", "pattern", tc.query)); (len(a.asked) > 0) != tc.asked {
			t.Errorf("after %d events, %d bytes: %v", tc.before, len(tc.query), a.asked)
		}
	}
}

// TestQuotesOfOneAnswer: a search adds two memories, also beside the two of a file that is read.
func TestQuotesOfOneAnswer(t *testing.T) {
	for _, lessons := range []int{0, 2, 5} {
		a := newAsking(t)
		a.roots[a.root] = nil
		add := func(n int, kind file.Type, what, scope string) {
			for i := range n {
				m := mem(fmt.Sprint(what, i), kind, fmt.Sprintf("%s lesson number %d", what, i), scope)
				m.Confidence, m.Trust.Origin, m.Importance = .9, file.UserTaught, file.High
				a.roots[a.root] = append(a.roots[a.root], m)
			}
		}
		add(lessons, file.Gotcha, "Auth", "src/auth/**")
		add(5, file.Decision, "Redis", "lib/**")
		for range warmupEvents {
			a.say(tool("Bash", "command", "ls"))
		}
		got := a.say(map[string]any{"hook_event_name": "PostToolBatch", "tool_calls": []any{
			tool("Read", "file_path", "src/auth/x.ts"), tool("Grep", "pattern", "Redis connection")}})
		if strings.Count(got, "- decision") != 2 || strings.Count(got, "- gotcha") > 2 || strings.Contains(got, "- gotcha") != (lessons > 0) {
			t.Errorf("%d lessons: %s", lessons, got)
		}
	}
}

// TestQuotedMeanwhile: a memory that another hook of the session quotes at the same moment is not
// quoted twice.
func TestQuotedMeanwhile(t *testing.T) {
	state := t.TempDir()
	open := func() *eventlog.Dedupe { return eventlog.Conversation{StateDir: state, Session: "s1"}.Dedupe("") }
	j := newJob(Options{Now: time.Now})
	j.ev, j.claims.file = event.Event{Session: "s1"}, open()
	var hits []memory.Hit
	for _, id := range []string{"one", "two"} {
		hits = append(hits, memory.Hit{Memory: mem(id, file.Gotcha, "Lesson "+id)})
	}
	meanwhile := func() {
		if _, err := open().Claim(time.Now(), []string{eventlog.QuotedKey("one")}); err != nil {
			t.Error(err)
		}
	}
	text, n := j.quote("", hits, 4, func(hits []memory.Hit) (string, []string) {
		text, shown := nudge.Quotes(nudge.PromptHead, hits, time.Now())
		meanwhile()
		return text, shown
	})
	if n != 1 || strings.Contains(text, "Lesson one") || !strings.Contains(text, "Lesson two") {
		t.Errorf("%d: %s", n, text)
	}
}
