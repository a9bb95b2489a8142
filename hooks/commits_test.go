package hooks

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"manicule/hooks/digest"
	"manicule/hooks/nudge"
)

// TestNews: what people committed stands in the brief of a session that begins,
// once looked at the cursor moves, and what can't be had in time is left out.
func TestNews(t *testing.T) {
	commits := []digest.Commit{{Author: "Ada", Subject: "Limit <b>retries</b> ☞ token=" + strings.Repeat("x8Kd02mZqL", 3)}, {Author: "", Subject: "“quoted” one"}}
	for name, tc := range map[string]struct {
		source string
		news   func(context.Context, string) (digest.Changes, error)
		bare   bool // the index is missing
		broken int  // memory files
		want   []string
		not    []string
		began  bool
	}{
		"people's commits": {news: func(context.Context, string) (digest.Changes, error) { return digest.Changes{Commits: commits}, nil }, began: true,
			want: []string{"people made 2 commits", "(Ada)", "“\"quoted\" one” (somebody)", "[secret]", "Manicule keeps"}, not: []string{"<b>", "x8Kd02"}},
		"none": {news: func(context.Context, string) (digest.Changes, error) { return digest.Changes{}, nil }, began: true, want: []string{"Manicule keeps"}, not: []string{"people made"}},
		"a fault": {news: func(context.Context, string) (digest.Changes, error) {
			return digest.Changes{}, errors.New("torn pack")
		}, want: []string{"Manicule keeps"}, not: []string{"people made"}},
		"late": {news: func(ctx context.Context, _ string) (digest.Changes, error) {
			<-ctx.Done()
			return digest.Changes{Commits: commits}, nil
		}, want: []string{"Manicule keeps"}, not: []string{"people made"}},
		"a compaction":   {source: "compact", news: func(context.Context, string) (digest.Changes, error) { return digest.Changes{Commits: commits}, nil }, want: []string{"Manicule keeps"}, not: []string{"people made"}},
		"no index":       {bare: true, want: []string{nudge.NoIndex, "Manicule keeps"}},
		"a broken file":  {broken: 1, want: []string{"Manicule keeps", "☞ 1 memory file can't be used"}},
		"broken files":   {broken: 2, want: []string{"☞ 2 memory files can't be used"}},
		"nothing at all": {want: []string{"Manicule keeps"}, not: []string{"people made", "not indexed", "can't be used"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				if tc.source == "" {
					tc.source = "startup"
				}
				var out bytes.Buffer
				o := w.options("claude-code", `{"hook_event_name":"SessionStart","session_id":"s1","cwd":"`+w.root+`","source":"`+tc.source+`"}`, &out)
				began := false
				o.Commits, o.Indexed = tc.news, func(string) bool { return !tc.bare }
				o.Unusable = func(string) int { return tc.broken }
				o.RecordStart = func(dir string) error { began = dir == w.root; return nil }
				if _, took := answerInTime(o); took > startBudget {
					t.Errorf("it took %s", took)
				}
				for _, s := range tc.want {
					if !strings.Contains(unescaped(out.String()), s) {
						t.Errorf("%q is missing in %s", s, out.String())
					}
				}
				for _, s := range tc.not {
					if strings.Contains(unescaped(out.String()), s) {
						t.Errorf("%q is in %s", s, out.String())
					}
				}
				if began != tc.began {
					t.Errorf("began %t", began)
				}
			})
		})
	}
}

func unescaped(s string) string { return strings.NewReplacer(`\"`, `"`, `\n`, "\n").Replace(s) }

// TestChangesFit: news and memories share the brief's budget.
func TestChangesFit(t *testing.T) {
	w := newWorld(t)
	var list []nudge.Change
	for range 100 {
		list = append(list, nudge.Change{Subject: strings.Repeat("long subject ", 30), Author: strings.Repeat("Name ", 30)})
	}
	text := nudge.Changes(list, true)
	if n := nudge.Units(text); n > 440 || !strings.Contains(text, "more than 100 commits") || !strings.Contains(text, "more.") {
		t.Errorf("%d units: %s", n, text)
	}
	hits, total, err := memories{w: w, root: w.root}.Brief(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	brief, _ := nudge.Brief(hits, total+500, nudge.Branch{}, text, nudge.NoIndex)
	if n := nudge.Units(brief); n > 1200 || !strings.HasPrefix(brief, text) {
		t.Errorf("%d units: %s", n, brief)
	}
	if only, _ := nudge.Brief(nil, 0, nudge.Branch{}, "", text); only != text {
		t.Errorf("without memories: %q", only)
	}
}
