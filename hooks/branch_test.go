package hooks

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"manicule/hooks/nudge"
	"manicule/memory/branch"
	"manicule/memory/file"
)

// TestBranch: memories of the branch stand in the brief, as far as they are sure
// enough; what can't be had in time is left out.
func TestBranch(t *testing.T) {
	found := branch.Memories{Name: "feat/x", Default: "main", Files: []string{"b1", "b2", "gone"}}
	var over chan struct{} // of each case
	for name, tc := range map[string]struct {
		source string
		branch func(context.Context, string) (branch.Memories, error)
		last   branch.Memories
		origin file.Origin
		want   []string
		not    []string
	}{
		"two, to a newcomer":     {branch: func(context.Context, string) (branch.Memories, error) { return found, nil }, want: []string{nudge.Newcomer, "2 memories:\n- gotcha for `src/db/**`: “on the branch”\n- 1 more of this branch"}, not: []string{"“unsure”"}},
		"imported on the branch": {branch: func(context.Context, string) (branch.Memories, error) { return found, nil }, origin: file.Import, want: []string{"Of branch `feat/x`, and not on `main` yet, 2 memories."}, not: []string{"“on the branch”"}},
		"a compaction": {source: "compact", branch: func(context.Context, string) (branch.Memories, error) { return found, nil },
			want: []string{"Of branch `feat/x`, and not on `main` yet, 2 memories:", "“on the branch”", "1 more of this branch"}, not: []string{"“unsure”"}},
		"a resume": {source: "resume", branch: func(context.Context, string) (branch.Memories, error) { return found, nil }, not: []string{"branch"}},
		"none": {branch: func(context.Context, string) (branch.Memories, error) {
			return branch.Memories{Name: "feat/x", Default: "main"}, nil
		}, want: []string{"Manicule keeps"}, not: []string{"feat/x"}},
		"a fault": {branch: func(context.Context, string) (branch.Memories, error) { return found, errors.New("torn pack") }, want: []string{"Manicule keeps"}, not: []string{"feat/x"}},
		"late": {branch: func(context.Context, string) (branch.Memories, error) {
			<-over
			return found, nil
		}, want: []string{"Manicule keeps"}, not: []string{"feat/x"}},
		"late, and known from before": {branch: func(context.Context, string) (branch.Memories, error) {
			<-over
			return found, nil
		}, last: branch.Memories{Name: "feat/x", Default: "main", Files: []string{"b1", "gone"}, Old: true},
			want: []string{"Of branch `feat/x`, and not on `main` yet when they were last compared, 1 memory:", "“on the branch”"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over = make(chan struct{})
				defer close(over)
				w := newWorld(t)
				sure, unsure := mem("b1", file.Gotcha, "on the branch", "src/db/**"), mem("b2", file.Gotcha, "unsure", "src/db/**")
				sure.Confidence, unsure.Confidence = 1, .3
				sure.Trust.Origin = tc.origin
				w.roots[w.root] = append(w.roots[w.root], sure, unsure)
				if tc.source == "" {
					tc.source = "startup"
				}
				var out bytes.Buffer
				o := w.options("claude-code", `{"hook_event_name":"SessionStart","session_id":"s1","cwd":"`+w.root+`","source":"`+tc.source+`"}`, &out)
				o.Branch, o.LastBranch = tc.branch, func(context.Context, string) (branch.Memories, error) { return tc.last, nil }
				if _, took := answerInTime(o); took > startBudget {
					t.Errorf("it took %s", took)
				}
				for _, s := range tc.want {
					if !strings.Contains(unescaped(out.String()), s) {
						t.Errorf("%q is missing in %s", s, out.String())
					}
				}
				if n := strings.Count(unescaped(out.String()), "“on the branch”"); n > 1 {
					t.Errorf("it is told %d times", n)
				}
				for _, s := range tc.not {
					if strings.Contains(unescaped(out.String()), s) {
						t.Errorf("%q is in %s", s, out.String())
					}
				}
			})
		})
	}
}

// TestBranchBesideSlowNews: what was found in time is told although the other
// parts of the brief took longer than it may be waited for.
func TestBranchBesideSlowNews(t *testing.T) {
	for range 50 { // one in two would be lost to a choice at random
		synctest.Test(t, func(t *testing.T) {
			j := newJob(Options{Branch: func(context.Context, string) (branch.Memories, error) {
				return branch.Memories{Name: "feat/x"}, nil
			}, Getenv: func(string) string { return "" }})
			ctx, cancel := context.WithCancel(t.Context())
			wait := brief{&j.answering}.branch(ctx)
			synctest.Wait() // the answer is there
			cancel()        // and then the time is over
			if got := wait(); got.Name != "feat/x" {
				t.Fatalf("%+v", got)
			}
		})
	}
}
