package hooks

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe/fold"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// TestWakeBesideUnfinished: of what the last session on the branch left, the next steps that its line does not have are told, and
// nothing twice.
func TestWakeBesideUnfinished(t *testing.T) {
	left := func(id, text string, kind thread.Kind, session string) thread.Thread {
		x := thread.Thread{Memory: mem(id, file.WorkState, text), Kind: kind, State: thread.StateOpen, Session: session, Branch: "feat", Updated: time.Now()}
		x.Memory.Trust.Origin = file.ObserverInferred
		return x
	}
	w := newWorld(t)
	var out bytes.Buffer
	o := w.options("claude-code", `{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s1", "cwd": "`+w.root+`"}`, &out)
	o.Unfinished = func(context.Context, string, string) (nudge.Work, bool, error) {
		return nudge.Work{Session: "s0", Branch: "feat", Fails: [][2]string{{"make check", "want 3"}}, Said: "document it in the changelog"}, true, nil
	}
	o.Wake = func(context.Context, string, string, string) (thread.Bundle, error) {
		return thread.Bundle{Threads: []thread.Thread{
			left("0198f0c2-7a41-7c3e-9d7a-000000000001", "document it in the changelog", thread.NextStep, "s0"),
			left("0198f0c2-7a41-7c3e-9d7a-000000000002", "a test that two indexes share the pool", thread.NextStep, "s0"),
			left("0198f0c2-7a41-7c3e-9d7a-000000000003", "`make check` fails: want 3", thread.Open, "s0"),
		}}, nil
	}
	would, err := Preview(t.Context(), o, Start{Dir: w.root, Agent: "claude-code", Session: "s1"})
	if err != nil {
		t.Error(err)
	}
	Run(t.Context(), o)
	got := unescaped(out.String())
	for text, n := range map[string]int{"document it in the changelog": 1, "next step “a test that two indexes share the pool”": 1, "make check": 1, "[00000001] [00000003]": 1, "[00000002]": 1, nudge.CloseThread: 1} {
		if strings.Count(got, text) != n {
			t.Errorf("%q is told %d times, not %d:\n%s", text, strings.Count(got, text), n, got)
		}
	}
	// All are told, so all are inherited. What would be told was the same, and took nothing from what was.
	const all = "00000001 00000003 00000002"
	records, _, err := eventlog.Read(w.state, "s1")
	if err != nil || len(records) != 1 || records[0].Facts[fold.ThreadsFact] != all {
		t.Errorf("the log has %+v, %v", records, err)
	}
	if !strings.Contains(got, would.Text) || would.Text == "" || strings.Join(would.Threads, " ") != all || len(would.Waiting.Threads) != 3 {
		t.Errorf("%+v would be told, and this was:\n%s", would, got)
	}
}

// TestWakeWithoutOtherThreads: how a thread is closed is said also where only the line about the last session has threads.
func TestWakeWithoutOtherThreads(t *testing.T) {
	w := newWorld(t)
	var out bytes.Buffer
	o := w.options("claude-code", `{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s1", "cwd": "`+w.root+`"}`, &out)
	o.Unfinished = func(context.Context, string, string) (nudge.Work, bool, error) {
		return nudge.Work{Session: "s0", Branch: "feat", Fails: [][2]string{{"make check", "want 3"}}}, true, nil
	}
	x := thread.Thread{Memory: mem("0198f0c2-7a41-7c3e-9d7a-000000000003", file.WorkState, "`make check` fails: want 3"), Kind: thread.Open, State: thread.StateOpen, Session: "s0", Branch: "feat", Updated: time.Now()}
	x.Memory.Trust.Origin = file.ObserverInferred
	o.Wake = func(context.Context, string, string, string) (thread.Bundle, error) {
		return thread.Bundle{Threads: []thread.Thread{x}}, nil
	}
	Run(t.Context(), o)
	if got := unescaped(out.String()); !strings.Contains(got, "“want 3”. [00000003]\n"+nudge.CloseThread) {
		t.Errorf("%s", got)
	}
}

// TestWake: the brief is followed by what earlier sessions left open, without what the brief
// says already. A fault leaves the brief alone.
func TestWake(t *testing.T) {
	note := func(text string) thread.Thread {
		return thread.Thread{Memory: mem("0198f0c2-7a41-7c3e-9d7a-000000000001", file.WorkState, text), Kind: thread.Open, State: thread.StateOpen}
	}
	observed := func(text, key string, ago time.Duration) thread.Thread {
		t := note(text)
		t.Session, t.Memory.Source, t.Memory.Trust.Origin, t.Updated = "s0", key, file.ObserverInferred, time.Now().Add(-ago)
		return t
	}
	edited := &thread.LastSession{Agent: "codex", Edited: []string{"a.go"}, Failed: []string{"go test"}}
	for _, tc := range []struct {
		name   string
		bundle thread.Bundle
		err    error
		want   string
	}{
		{"nothing", thread.Bundle{}, nil, ""},
		{"only a last session", thread.Bundle{Last: edited}, nil, ""},
		{"a thread", thread.Bundle{Threads: []thread.Thread{note("The retry fails")}, Last: edited}, nil, "edited a.go; failed `go test`\\n- thread “The retry fails”"},
		{"only what a last session says of itself", thread.Bundle{Last: &thread.LastSession{Agent: "codex", Ended: time.Now().Add(-time.Hour), Summary: "The retry waits"}}, nil, "): “The retry waits”"},
		{"what it said three weeks ago", thread.Bundle{Last: &thread.LastSession{Agent: "codex", Ended: time.Now().Add(-21 * 24 * time.Hour), Summary: "The retry waits"}}, nil, ""},
		{"a session on another branch", thread.Bundle{Threads: []thread.Thread{note("The retry fails")}, Last: &thread.LastSession{Agent: "codex", Branch: "feature", Edited: []string{"b.go"}}}, nil, "(codex, on `feature`, 0001-01-01): edited b.go"},
		{"what the brief says", thread.Bundle{Threads: []thread.Thread{note("Errors are wrapped")}}, nil, ""},
		{"a plan that waits", thread.Bundle{Threads: []thread.Thread{observed("Approve the plan", "wait:plan", 71*time.Hour)}}, nil, "Approve the plan"},
		{"a plan that waited for three days", thread.Bundle{Threads: []thread.Thread{observed("Approve the plan", "wait:plan", 73*time.Hour)}}, nil, ""},
		{"a check that has failed for three days", thread.Bundle{Threads: []thread.Thread{observed("The check fails", "check:go test", 73*time.Hour)}}, nil, "The check fails"},
		{"a fault", thread.Bundle{Threads: []thread.Thread{note("The retry fails")}}, errors.New("broken"), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			var out bytes.Buffer
			o := w.options("claude-code", `{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s1", "cwd": "`+w.root+`"}`, &out)
			o.Wake = func(context.Context, string, string, string) (thread.Bundle, error) { return tc.bundle, tc.err }
			Run(t.Context(), o)
			if got := out.String(); !strings.Contains(got, "Errors are wrapped") || strings.Contains(got, "Left open") != (len(tc.bundle.Threads) > 0 && tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s", got)
			}
		})
	}
}
