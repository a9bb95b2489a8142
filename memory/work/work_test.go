package work_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/work"
)

func TestFromBranch(t *testing.T) {
	for name, want := range map[string]string{
		"feat/ABC-123-retry": "ticket:ABC-123", "ABC-123": "ticket:ABC-123", "ann/PROJ2-7_x": "ticket:PROJ2-7", "GH-12-x": "issue:12", "PR-12": "pull:12",
		"issue-42": "issue:42", "issues/42": "issue:42", "fix/42-foo": "issue:42", "42-retry": "issue:42", "ann/42_retry": "issue:42", "gh-42-retry": "issue:42", "bug/#42": "issue:42",
		"pr-17": "pull:17", "pull/17/head": "pull:17", "mr/9": "pull:9",
		"main": "", "": "", "feat/retry": "", "release/1-2": "", "dependabot/npm/lodash-4": "", "feat/UTF-8-names": "", "v2-rewrite": "", "feat/http-2": "", "feat/step-3": "",
		"2024-01-02-notes": "", "fix/sha-256": "", "hotfix-1": "", "3.2.x": "", "feat/top-10-list": "", "0-day": "", "upgrade-go-1-26": "",
	} {
		r, ok := work.FromBranch(name)
		if got := r.Key(); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", name, got, ok, want)
		}
	}
	if r, ok := work.MethodOf("spec-driven").Branch("003-retry-queue"); !ok || r.Key() != "spec:003-retry-queue" {
		t.Errorf("a specification's branch: %q %v", r.Key(), ok)
	}
	if r, _ := work.MethodOf("spec-driven").Branch("ABC-9"); r.Key() != "ticket:ABC-9" {
		t.Errorf("a ticket's branch: %q", r.Key())
	}
	if r, ok := work.MethodOf("native").Branch("003-retry-queue"); ok {
		t.Errorf("a number with zeros is no issue: %q", r.Key())
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]string{
		"42": "issue:42", "#42": "issue:42", "!17": "pull:17", "ABC-123": "ticket:ABC-123", " mission:payments ": "mission:payments", "Spec:003-x": "spec:003-x", "issue:#4": "issue:4",
		"https://github.com/o/r/issues/42": "issue:42", "https://github.com/o/r/pull/17#discussion_r1": "pull:17", "https://gitlab.com/g/p/-/merge_requests/3": "pull:3", "https://gitlab.com/g/p/-/work_items/3": "issue:3",
		"build-slice:a/b": "build-slice:a/b",
		"":                "", "payments": "", "a b": "", "x:": "", ":x": "", "mission:a b": "", "mission:ä": "", "1x:y": "", "https://example.com/a": "", "abc-123": "",
	} {
		r, ok := work.Parse(s)
		if got := r.Key(); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v, want %q", s, got, ok, want)
		}
	}
}

func unit(kind, id, parent, branch string, state work.State) work.Unit {
	return work.Unit{Kind: kind, ID: id, Title: "about " + id, Parent: parent, Branch: branch, State: state, Lineage: kind + id}
}

func TestHere(t *testing.T) {
	open := []work.Unit{unit("mission", "payments", "", work.AllBranches, work.Open), unit("mission", "parent", "", "", work.Open), unit("issue", "7", "mission:payments", "feat/refunds", work.Open), unit("task", "done", "", "feat/review", work.InReview),
		unit("spec", "9", "issue:7", work.AllBranches, work.InReview)}
	slices := func(states ...builds.Status) func() (builds.Build, bool) {
		b := builds.Build{Name: "queue", Phases: []builds.Phase{{Deliverables: []builds.Deliverable{{}}}}}
		for i, s := range states {
			d := &b.Phases[0].Deliverables[0]
			d.Slices = append(d.Slices, builds.Slice{Number: i + 1, Text: "Write the Table (now)", Status: s})
		}
		return func() (builds.Build, bool) { return b, len(states) > 0 }
	}
	for name, c := range map[string]struct {
		open          []work.Unit
		named, branch string
		build         func() (builds.Build, bool)
		want          string
	}{
		"nothing":                         {nil, "", "feat/x", nil, ""},
		"the host names it":               {open, "ABC-1", "feat/refunds", nil, "ticket:ABC-1"},
		"the host names none":             {open, "none", "feat/refunds", nil, ""},
		"the host names nothing sensible": {open, "x y", "feat/refunds", nil, "issue:7 mission:payments"},
		"begun on the branch":             {open, "", "feat/refunds", nil, "issue:7 mission:payments"},
		"the branch's name":               {open, "", "fix/8-x", nil, "issue:8"},
		"the branch's name, and begun":    {open, "", "issue-7", nil, "issue:7 mission:payments"},
		"begun for all":                   {open, "", "other", nil, "mission:payments"},
		"in review on its branch":         {open, "", "feat/review", nil, "task:done"},
		"outside of git":                  {open[2:3], "", "", nil, ""},
		"in review, so the others":        {open[4:], "", "other", nil, ""},
		"only a parent of others":         {open[1:2], "", "other", nil, ""},
		"a slice":                         {nil, "", "x", slices(builds.Done, builds.InProgress), "slice:queue/write-the-table-now build:queue"},
		"two slices":                      {nil, "", "x", slices(builds.InProgress, builds.InProgress), ""},
		"no slice in progress":            {nil, "", "x", slices(builds.Planned), ""},
		"no build":                        {nil, "", "x", slices(), ""},
	} {
		r, ok := work.Here(c.open, c.named, c.branch, work.MethodOf(""), c.build)
		got := ""
		if ok {
			got = r.Key()
			for _, k := range r.Within {
				got += " " + k
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWaitsFor(t *testing.T) {
	gated := unit("spec", "9", "", "", work.Open)
	gated.Acceptance = true
	units := []work.Unit{unit("issue", "1", "", "", work.Open), unit("issue", "2", "", "", work.InReview), unit("issue", "3", "", "", work.Accepted), gated}
	for key, want := range map[string]string{"issue:1": "", "issue:2": "issue:2", "issue:3": "", "spec:9": "spec:9", "issue:4": ""} {
		r, _ := work.Parse(key)
		got := ""
		if u := work.WaitsFor(units, &r); u != nil {
			got = u.Key()
		}
		if got != want {
			t.Errorf("%s waits for %q, want %q", key, got, want)
		}
	}
	if u := work.WaitsFor(units, &file.WorkRef{Kind: "task", ID: "x", Within: []string{"issue:1", "issue:2"}}); u == nil || u.Key() != "issue:2" {
		t.Errorf("a part of what waits: %v", u)
	}
	judged := unit("issue", "4", "", "", work.Accepted)
	judged.Judged = true
	units = append(units, judged)
	for _, c := range []struct {
		part   string
		within []string
		want   bool
	}{
		{"task:x", []string{"issue:4", "issue:2"}, false},  // the part was accepted
		{"issue:3", []string{"issue:2"}, true},             // an agent completed it
		{"spec:9", []string{"issue:4", "issue:2"}, true},   // it waits itself
		{"issue:4", []string{"issue:2", "spec:9"}, false},  // the whole waits for nobody's word about the part
		{"task:x", []string{"issue:1", "issue:2"}, true},   // what is open says nothing
		{"task:x", []string{"issue:42", "issue:4"}, false}, // nor what nobody began
	} {
		r, _ := work.Parse(c.part)
		r.Within = c.within
		if u := work.WaitsFor(units, &r); (u != nil) != c.want {
			t.Errorf("%s within %v waits for %v", c.part, c.within, u)
		}
	}
	if work.WaitsFor(units, nil) != nil {
		t.Error("what belongs to no work waits for nothing")
	}
}

func TestAround(t *testing.T) {
	units := []work.Unit{unit("a", "1", "b:2", "", work.Open), unit("b", "2", "c:3", "", work.Open), unit("c", "3", "b:2", "", work.Open)}
	var got []string
	for _, u := range work.Around(units, &units[0]) {
		got = append(got, u.Key())
	}
	if want := []string{"b:2", "c:3"}; !slices.Equal(got, want) { // the circle that two machines made ends
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOutlives(t *testing.T) {
	sure := func(change func(*file.Memory)) *file.Memory {
		m := &file.Memory{Type: file.Gotcha, Confidence: 0.7, Trust: file.Trust{Origin: file.UserTaught}}
		change(m)
		return m
	}
	for name, c := range map[string]struct {
		change func(*file.Memory)
		state  work.State
		want   bool
	}{
		"sure":                    {func(*file.Memory) {}, work.Accepted, true},
		"not sure":                {func(m *file.Memory) { m.Confidence = 0.69 }, work.Accepted, false},
		"of another kind":         {func(m *file.Memory) { m.Type = file.WorkState }, work.Accepted, false},
		"tainted":                 {func(m *file.Memory) { m.Trust.Tainted = true }, work.Accepted, false},
		"tainted, confirmed":      {func(m *file.Memory) { m.Trust.Tainted, m.Trust.VerifiedBy = true, "Ann" }, work.Accepted, true},
		"disputed":                {func(m *file.Memory) { m.Trust.DisputedBy = "Bob" }, work.Accepted, false},
		"a failure of a rejected": {func(*file.Memory) {}, work.Rejected, true},
		"a decision of it":        {func(m *file.Memory) { m.Type = file.Decision }, work.Rejected, false},
		"given up":                {func(*file.Memory) {}, work.Abandoned, false},
	} {
		got, why := work.MethodOf("").Outlives(sure(c.change), c.state)
		if got != c.want || got == (why != "") {
			t.Errorf("%s: %v (%s), want %v", name, got, why, c.want)
		}
	}
}

func TestRecord(t *testing.T) {
	u := work.Unit{Lineage: "l", Kind: "issue", ID: "42", Title: "T", Parent: "mission:p", Branch: "b", State: work.InReview, Why: "w", Acceptance: true, Author: "Ann", Tainted: true}
	r, err := u.Record()
	must.OK(t, err)
	if got, ok := work.Of(r); !ok || got != u {
		t.Errorf("%+v %v, want %+v", got, ok, u)
	}
	for name, change := range map[string]func(*record.Record){
		"another kind": func(r *record.Record) { r.Kind = record.Identity },
		"damaged":      func(r *record.Record) { r.Content = []byte("{") },
		"no state":     func(r *record.Record) { r.Content = []byte(`{"id":"42"}`) },
		"no id":        func(r *record.Record) { r.Content = []byte(`{"state":"open"}`) },
	} {
		bad := r
		change(&bad)
		if _, ok := work.Of(bad); ok {
			t.Errorf("%s: it is read", name)
		}
	}
}

// TestSave: the list of open work has what is not over, the latest first, and is gone with the last of it. A damaged
// one has nothing.
func TestSave(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	getenv := func(k string) string { return map[string]string{"HOME": home, "XDG_STATE_HOME": home}[k] }
	p, err := workspace.Discover(root, workspace.Env{Getenv: getenv, Random: strings.NewReader(strings.Repeat("x", 99))})
	must.OK(t, err)
	if got := work.Load(p); got != nil {
		t.Fatalf("without a file: %v", got)
	}
	old, late := unit("issue", "1", "", "a", work.Open), unit("issue", "2", "", "", work.InReview)
	old.At, late.At = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	must.OK(t, work.Save(p, []work.Unit{old, unit("issue", "3", "", "", work.Accepted), late}))
	if got := work.Load(p); !slices.Equal(got, []work.Unit{late, old}) {
		t.Errorf("%+v", got)
	}
	must.Write(t, filepath.Join(p.StateDir(), "work.json"), "{")
	if got := work.Load(p); got != nil {
		t.Errorf("a damaged file: %v", got)
	}
	for range 2 { // also without a file
		must.OK(t, work.Save(p, []work.Unit{unit("issue", "3", "", "", work.Accepted)}))
		if _, err := os.Stat(filepath.Join(p.StateDir(), "work.json")); !os.IsNotExist(err) {
			t.Errorf("the file stays: %v", err)
		}
	}
}

func TestElsewhere(t *testing.T) {
	mission := &file.Memory{Owner: &file.Owner{Kind: file.OwnedByMission, ID: "payments"}}
	here := func(key string, within ...string) func() *file.WorkRef {
		return func() *file.WorkRef {
			r, ok := work.Parse(key)
			if r.Within = within; !ok {
				return nil
			}
			return &r
		}
	}
	never := func() *file.WorkRef { t.Error("it is asked without need"); return nil }
	for name, c := range map[string]struct {
		m    *file.Memory
		here func() *file.WorkRef
		want bool
	}{
		"everybody's":          {&file.Memory{}, never, false},
		"an agent's":           {&file.Memory{Owner: &file.Owner{Kind: file.OwnedByAgent, ID: "a"}}, never, false},
		"in the mission":       {mission, here("mission:payments"), false},
		"in a part of it":      {mission, here("issue:7", "spec:1", "mission:payments"), false},
		"in another":           {mission, here("mission:other"), true},
		"an issue of its name": {mission, here("issue:payments"), true},
		"in none":              {mission, here(""), true},
	} {
		if got := work.Elsewhere(c.m, c.here); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
