package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"manicule/memory/episode"
)

// TestSessionRecords: a record joins a session's episode with its report, and outlives the report.
func TestSessionRecords(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	s := OpenState(t.TempDir(), "", func() time.Time { return now })
	ctx := t.Context()
	put := func(session string, day int, change func(*Observation)) {
		t.Helper()
		o := seen(session, day, []string{"a.go", "b.go"})
		o.Commands = []ObservedCommand{{Key: "go vet", Runs: 2}, {Key: "go test", Runs: 2, Fails: 2}, {Key: "make", Runs: 2, Fails: 1}}
		o.Work = ObservedWork{Branch: "main", Open: []string{"Update the docs"}}
		o.Episode = episode.Episode{Session: session, Task: "Task of " + session, Outcome: episode.Partial, Edited: []string{"c.go"}, Started: o.Started, Ended: o.Ended}
		change(&o)
		if _, err := s.Sessions().Put(ctx, o, nil); err != nil {
			t.Fatal(err)
		}
	}
	list := func(limit int) string {
		t.Helper()
		rows, err := s.Sessions().Records(ctx, limit)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range rows {
			if r.OnlyMemories {
				t.Errorf("%s worked", r.Session)
			}
			out = append(out, fmt.Sprint(r.Session, "/", r.Title, "/", r.Outcome, r.Edited, r.Failed, r.Left.Open, r.Tainted, r.Dropped))
		}
		return strings.Join(out, "\n")
	}
	if got := list(5); got != "" {
		t.Errorf("without a session: %q", got)
	}
	put("s-1", 1, func(*Observation) {})
	put("s-10", 2, func(o *Observation) { o.Episode = episode.Episode{} }) // from before there were episodes
	put("s-2", 3, func(o *Observation) { o.Tainted = true })
	put("s-3", 4, func(o *Observation) { o.Episode.Tainted = true })
	want := "s-3/Task of s-3/partial[c.go] [go test] [] true false\n" +
		"s-2/Task of s-2/partial[c.go] [go test] [] true false\n" +
		"s-10//[b.go] [go test] [Update the docs] false false\n" +
		"s-1/Task of s-1/partial[c.go] [go test] [Update the docs] false false"
	if got := list(5); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := list(1); got != strings.SplitN(want, "\n", 2)[0] {
		t.Errorf("the latest: %s", got)
	}

	for id, want := range map[string]string{"s-1": "s-1 s-10", "s-10": "s-10", "s-": "s-3 s-2 s-10 s-1", "x": "", "%": ""} {
		rows, err := s.Sessions().RecordsOf(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, r.Session)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", id, got, want)
		}
	}

	if err := s.Sessions().DropReports(ctx, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Sessions().RecordsOf(ctx, "s-1")
	if err != nil || !rows[0].Dropped || rows[0].Title != "Task of s-1" || fmt.Sprint(rows[0].Edited, rows[0].Failed, rows[0].Left.Open) != "[c.go] [] []" {
		t.Errorf("after its log is gone: %+v, %v", rows[0], err)
	}
}
