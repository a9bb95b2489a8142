package hooks

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"manicule/hooks/nudge"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/builds"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/thread"
)

func TestIntent(t *testing.T) {
	going := builds.Summary{Going: []builds.Slice{{Text: "Backfill the old rows"}}}
	for name, tc := range map[string]struct {
		doing  builds.Summary
		last   *thread.LastSession
		branch string
		want   string
	}{
		"nothing":              {},
		"a slice in progress":  {doing: going, want: "Backfill the old rows"},
		"the branch":           {branch: "feat/retry-queue", want: "retry queue"},
		"what was not done":    {last: &thread.LastSession{Task: "Cover the retry", Outcome: episode.Partial}, want: "Cover the retry"},
		"what was done":        {last: &thread.LastSession{Task: "Cover the retry", Outcome: episode.Success}},
		"all of them":          {going, &thread.LastSession{Task: "Cover the retry", Outcome: episode.Failure}, "x", "Backfill the old rows. Cover the retry. x"},
		"a task without words": {last: &thread.LastSession{Outcome: episode.Partial}},
	} {
		if got := Intent("", tc.doing, tc.last, tc.branch); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestLesson(t *testing.T) {
	task := func(typ file.Type, what, task string) *file.Memory {
		m := mem("m", typ, what)
		must.OK(t, m.SetDetails(file.Details{Task: task}))
		return m
	}
	intent := "Make the retry of the queue idempotent"
	for _, tc := range []struct {
		name string
		m    *file.Memory
		want bool
	}{
		{"about the same", mem("m", file.Gotcha, "A retry of the queue runs twice: it is not idempotent"), true},
		{"about something else", mem("m", file.Gotcha, "Token refresh fails silently when Redis is unreachable"), false},
		{"no lesson", mem("m", file.Decision, "A retry of the queue is idempotent"), false},
		{"learned at the same task", task(file.DeadEnd, "Advisory locks deadlock under pgbouncer", "Make the retry idempotent"), true},
		{"learned at another task", task(file.DeadEnd, "Advisory locks deadlock under pgbouncer", "Speed up the login"), false},
	} {
		if got := Lesson(intent)(tc.m, nil); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// TestLessonsAtWake: a session on a feature branch is told the lessons about it, once, and none that did
// not work or that nothing is known to be about.
func TestLessonsAtWake(t *testing.T) {
	gotcha := mem("0198f0c2-7a41-7c3e-9d7a-000000000009", file.Gotcha, "The retry of the queue runs twice unless it is locked")
	gotcha.Confidence, gotcha.Contributor, gotcha.Trust.Origin = .9, "Ada", file.UserTaught
	for _, tc := range []struct {
		name, branch string
		hit          memory.Hit
		fault        error
		want, asked  bool
	}{
		{name: "on a branch", branch: "feat/queue-retry", hit: memory.Hit{Memory: gotcha}, want: true, asked: true},
		{name: "on the default branch", hit: memory.Hit{Memory: gotcha}},
		{name: "a branch without a subject", branch: "fix", hit: memory.Hit{Memory: gotcha}},
		{name: "what did not work", branch: "feat/queue-retry", hit: memory.Hit{Memory: gotcha, Use: life.Use{Failed: 2, Worked: 1}}, asked: true},
		{name: "what is not sure", branch: "feat/queue-retry", hit: memory.Hit{Memory: gotcha, Use: life.Use{Overridden: 9}}, asked: true},
		{name: "a fault", branch: "feat/queue-retry", fault: errors.New("broken"), asked: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			asked := false
			start := func() string {
				var out bytes.Buffer
				o := w.options("claude-code", `{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s1", "cwd": "`+w.root+`"}`, &out)
				o.TrustLevel = 2
				o.Branch = func(context.Context, string) (branch.Memories, error) {
					return branch.Memories{Name: tc.branch, Default: "main"}, nil
				}
				o.Search = func(_ context.Context, _ string, q Query) ([]memory.Hit, error) {
					asked = true
					if tc.fault != nil || !q.Relevant(tc.hit.Memory, nil) {
						return nil, tc.fault
					}
					return []memory.Hit{tc.hit}, nil
				}
				Run(t.Context(), o)
				return out.String()
			}
			got := start()
			if !strings.Contains(got, "Errors are wrapped") || strings.Contains(got, "runs twice") != tc.want || asked != tc.asked {
				t.Errorf("asked %v: %s", asked, got)
			}
			if tc.want && strings.Contains(start(), "runs twice") {
				t.Error("it is told again")
			}
		})
	}
}

// TestLessonsBudget: lessons share the 500 tokens of what earlier sessions left.
func TestLessonsBudget(t *testing.T) {
	hits := []memory.Hit{
		{Memory: mem("a", file.Gotcha, strings.Repeat("The retry of the queue runs twice. ", 8))},
		{Memory: mem("b", file.Gotcha, strings.Repeat("The queue loses its retry on exit. ", 8))},
	}
	for used, want := range map[string]int{"": 1, strings.Repeat("word ", 200): 1, strings.Repeat("word ", 330): 0} {
		if _, shown := nudge.Lessons(hits, time.Time{}, used); len(shown) != want {
			t.Errorf("%d lessons beside %d characters, want %d", len(shown), len(used), want)
		}
	}
	if _, shown := nudge.Lessons([]memory.Hit{{Memory: mem("a", file.Gotcha, "Short")}, {Memory: mem("b", file.Gotcha, "Shorter")}}, time.Time{}, ""); len(shown) != 2 {
		t.Errorf("%d short ones", len(shown))
	}
}
