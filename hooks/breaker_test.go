package hooks

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"manicule/memory/branch"
)

func TestBreaker(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	miss := func() {
		t.Helper()
		if err := noteMiss(dir, at); err != nil {
			t.Fatal(err)
		}
	}
	miss()
	at = at.Add(11 * time.Minute) // that is forgotten
	miss()
	miss()
	if ReadBreaker(dir).Open(at) {
		t.Error("open after two misses within ten minutes")
	}
	miss()
	if !ReadBreaker(dir).Open(at) || ReadBreaker(dir).Open(at.Add(breakerFor)) {
		t.Errorf("after three: %+v", ReadBreaker(dir))
	}
	if err := os.WriteFile(filepath.Join(dir, breakerName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ReadBreaker(dir).Open(at) {
		t.Error("a damaged file keeps it open")
	}
	miss()
}

// TestLess: while the breaker is open, files are still named and nothing is
// searched.
func TestLess(t *testing.T) {
	a := newAsking(t)
	for range breakerAfter {
		if err := os.MkdirAll(a.state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := noteMiss(a.state, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if got := a.say(prompt("Token expiry should be longer for mobile clients")); got != "" || len(a.asked) > 0 {
		t.Errorf("searched: %s", got)
	}
	if got := a.say(tool("Read", "file_path", "src/auth/x.ts")); got == "" {
		t.Error("files are not named any more")
	}
}

// TestLeft: a budget counts from the start of the process, and a clock that was set
// since neither takes time away nor adds any.
func TestLeft(t *testing.T) {
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for elapsed, want := range map[time.Duration]time.Duration{
		0: toolBudget, 40 * time.Millisecond: toolBudget - 40*time.Millisecond, toolBudget: 0, time.Second: 0, clockJump: 0,
		clockJump + time.Millisecond: toolBudget, -time.Millisecond: toolBudget, -time.Hour: toolBudget,
	} {
		o := Options{Start: start, Now: func() time.Time { return start.Add(elapsed) }}
		if got := o.remaining(toolBudget); got != want {
			t.Errorf("%v after the start: %v left, want %v", elapsed, got, want)
		}
	}
}

// TestSlowMachine: a person may give events more time, and never less.
func TestSlowMachine(t *testing.T) {
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for given, want := range map[string]time.Duration{"": toolBudget, "3s": 3 * time.Second, "1ms": toolBudget, "soon": toolBudget} {
		o := Options{Start: start, Now: func() time.Time { return start }, Getenv: func(string) string { return given }}
		if got := o.remaining(toolBudget); got != want {
			t.Errorf("%q: %v left, want %v", given, got, want)
		}
	}
}

// TestSlowMachineParts: more time for an event is more time for its parts, too.
func TestSlowMachineParts(t *testing.T) {
	for given, want := range map[string]time.Duration{"": branchTimeout, "5s": 20 * branchTimeout, "100ms": branchTimeout, "soon": branchTimeout} {
		o := Options{Getenv: func(string) string { return given }}
		if got := o.part(branchTimeout); got != want {
			t.Errorf("%q: %v, want %v", given, got, want)
		}
	}
	found := branch.Memories{Name: "feat/x", Default: "main", Files: []string{"g1"}}
	for given, want := range map[string]bool{"": false, "3s": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			opt := w.options("claude-code", sessionStart(w), nil)
			opt.Getenv = func(string) string { return given }
			opt.Branch = func(ctx context.Context, _ string) (branch.Memories, error) {
				select {
				case <-ctx.Done():
					return branch.Memories{}, ctx.Err()
				case <-time.After(4 * branchTimeout):
					return found, nil
				}
			}
			if got := answer(opt); !strings.Contains(got, "4 memories") || strings.Contains(got, "feat/x") != want {
				t.Errorf("%q: %s", given, got)
			}
		})
	}
}

// TestBreakerClock: what the breaker knows of a time that is still to come was
// written by a clock that was wrong.
func TestBreakerClock(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for range breakerAfter - 1 {
		if err := noteMiss(dir, at.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := noteMiss(dir, at); err != nil {
		t.Fatal(err)
	}
	if b := ReadBreaker(dir); b.Open(at) || len(b.Misses) != 1 {
		t.Errorf("after one miss: %+v", b)
	}
	for after, open := range map[time.Duration]bool{-time.Millisecond: false, 0: true, breakerFor - time.Millisecond: true, breakerFor: false} {
		if (Breaker{Until: at.Add(breakerFor).UnixMilli()}).Open(at.Add(after)) != open {
			t.Errorf("%v after it opened: %v", after, !open)
		}
	}
}

// TestLateEnd: nobody waits for an answer at the end of a session, so a late one is no fault and takes nothing from other sessions.
func TestLateEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, late := range map[string]bool{"SessionEnd": false, "UserPromptSubmit": true} {
			w := newWorld(t)
			opt := w.options("claude-code", `{"hook_event_name":"`+name+`","session_id":"s1","cwd":"`+w.root+`","prompt":"/remember x"}`, io.Discard)
			opt.Start = time.Now().Add(-rememberBudget)
			opt.HandOver = func(ctx context.Context, _ []byte) ([]byte, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			answerInTime(opt)
			list, err := Recent(w.state, 5)
			if err != nil || (len(list) > 0) != late || (len(ReadBreaker(w.state).Misses) > 0) != late {
				t.Errorf("%s: notes %v %v, misses %v", name, list, err, ReadBreaker(w.state).Misses)
			}
		}
	})
}
