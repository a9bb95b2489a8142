package store

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// nextScores are the scores of the files that come next, by path.
func nextScores(t *testing.T, s *State, given ...string) map[string]float64 {
	t.Helper()
	list, err := observed(t, s).NextFiles(t.Context(), given, "", 50)
	must.OK(t, err)
	out := map[string]float64{}
	for _, n := range list {
		out[n.Path] = n.Score
	}
	return out
}

// TestNextFilesWeights documents what each reason for a next file is worth. The values were tuned
// on the development sessions.
func TestNextFilesWeights(t *testing.T) {
	s, _ := stateFixture(t)
	old := seen("old", 1, []string{"cmd/a.go", "x/old.go"})
	fresh := seen("new", 31, []string{"cmd/a.go", "x/new.go"}) // thirty days later
	for _, o := range []Observation{old, fresh} {
		_, err := s.Sessions().Put(t.Context(), o, nil)
		must.OK(t, err)
	}
	// The most popular file, a.go, was used in both sessions.
	// The younger session led to new.go; one session of three counts, as two smooth it.
	score := .15*(1/1.5) + 1.0/3
	for name, tc := range map[string]struct {
		given []string
		path  string
		want  float64
	}{
		"used after the given file":                {[]string{"cmd/a.go"}, "x/new.go", score},
		"a session thirty days older counts half":  {[]string{"cmd/a.go"}, "x/old.go", score / 2},
		"in the same folder, and popular":          {[]string{"cmd/z.go"}, "cmd/a.go", .15 + .1},
		"in the same folder as one of two":         {[]string{"cmd/z.go", "y/y.go"}, "cmd/a.go", .15 + .1/2},
		"of the same name, and popular":            {[]string{"test/a_test.go"}, "cmd/a.go", .15 + .6},
		"of the same name as one of three":         {[]string{"test/a_test.go", "y/y.go", "y/z.go"}, "cmd/a.go", .15 + .6/3},
		"used after one of two given files":        {[]string{"cmd/a.go", "y/y.go"}, "x/new.go", .1 + 1.0/6},
		"used with the last of many given files":   {[]string{"1", "2", "3", "4", "5", "cmd/a.go"}, "x/new.go", .1 + 1.0/18},
		"not with one of the files before":         {[]string{"cmd/a.go", "1", "2", "3", "4", "5"}, "x/new.go", .1},
		"the oldest of five is not before the end": {[]string{"cmd/a.go", "2", "3", "4", "5"}, "x/new.go", .1 + 1.0/15},
	} {
		if got := nextScores(t, s, tc.given...)[tc.path]; math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: %s scores %.6f, want %.6f", name, tc.path, got, tc.want)
		}
	}
}

// TestPastOfTheSameSession: an earlier report of the same session agrees with nothing, neither on
// files nor on pairs nor on commands.
func TestPastOfTheSameSession(t *testing.T) {
	s, _ := stateFixture(t)
	report := func(session string) Observation {
		return Observation{Session: session, Log: "s-" + session,
			Files:    []ObservedFile{{Path: "x.go", Edits: 2}, {Path: "y.go", Reads: 1}},
			Pairs:    []ObservedPair{{A: "y.go", B: "x.go", Edited: true}, {A: "x.go", B: "z.go"}},
			Commands: []ObservedCommand{{Key: "go test", Runs: 5, Fails: 2}},
			Errors:   []ObservedError{{Tool: "shell", Subject: "go vet", Fingerprint: "f"}, {Tool: "read", Subject: "go list", Fingerprint: "f"}},
			Took:     []ObservedTime{{Key: "go test", Millis: 500, Runs: 3}, {Key: "go test", Millis: 900, Runs: 1}}}
	}
	other := report("other")
	other.Files = append(other.Files, ObservedFile{Path: "z.go"})
	other.Commands = append(other.Commands, ObservedCommand{Key: "go vet", Runs: 1, Fails: 1}, ObservedCommand{Key: "go list", Runs: 7})
	for _, o := range []Observation{other, report("again")} {
		_, err := s.Sessions().Put(t.Context(), o, nil)
		must.OK(t, err)
	}
	now := report("again")
	now.Files = append(now.Files, ObservedFile{Path: "z.go"})
	p, err := s.Sessions().Prior(t.Context(), now)
	must.OK(t, err)
	if p.Sessions != 1 || p.Files["x.go"] != (episode.PastFile{Sessions: 1, Edited: 1}) || p.Files["y.go"] != (episode.PastFile{Sessions: 1, Edited: 0}) {
		t.Errorf("%d sessions, files %+v", p.Sessions, p.Files)
	}
	if got := p.Pairs[[2]string{"x.go", "y.go"}]; got != (episode.PastPair{Edited: 1}) {
		t.Errorf("used the other way round: %+v", got)
	}
	if got, ok := p.Pairs[[2]string{"x.go", "z.go"}]; !ok || got != (episode.PastPair{}) {
		t.Errorf("used in this order: %+v", got)
	}
	c := p.Commands["go test"]
	if c.Runs != 5 || c.Fails != 2 || len(c.Took) != 2 || c.Took[500] != 3 || c.Took[900] != 1 {
		t.Errorf("go test: %+v", c)
	}
	if c := p.Commands["go vet"]; c.Runs != 1 || c.Fails != 1 {
		t.Errorf("a command that failed in the report: %+v", c)
	}
	if c, ok := p.Commands["go list"]; ok {
		t.Errorf("the path of a read is no command: %+v", c)
	}
}

// TestProposedPair: a pair of files is marked once it was proposed, however its files are ordered,
// and no other one.
func TestProposedPair(t *testing.T) {
	s, _ := stateFixture(t)
	m := sample(1)
	m.UUID = uuid(2001)
	fresh, err := s.Sessions().Put(t.Context(), seen("a", 1, []string{"x.go", "y.go", "z.go"}),
		[]Proposal{{Kind: "co_access", Key: "y.go\x00x.go", Draft: DraftRow{Memory: m, Session: "a"}}})
	if err != nil || !slices.Equal(fresh, []string{m.UUID}) {
		t.Errorf("proposed %v, %v", fresh, err)
	}
	p, err := s.Sessions().Prior(t.Context(), seen("b", 2, []string{"x.go", "y.go", "z.go"}))
	must.OK(t, err)
	for pair, want := range map[[2]string]bool{{"x.go", "y.go"}: true, {"x.go", "z.go"}: false, {"y.go", "z.go"}: false} {
		if got, ok := p.Pairs[pair]; !ok || got.Proposed != want {
			t.Errorf("%v: %+v", pair, got)
		}
	}
}

// TestProposedInOtherWords: a proposal for another reason with the text of a draft is counted there.
func TestProposedInOtherWords(t *testing.T) {
	s, _ := stateFixture(t)
	for i, key := range []string{"one", "other"} {
		m := sample(1)
		m.UUID = uuid(2001 + i)
		fresh, err := s.Sessions().Put(t.Context(), seen(key, 1, []string{"x.go"}), []Proposal{{Kind: "backtrack", Key: key, Draft: DraftRow{Memory: m, Session: key}}})
		if err != nil || len(fresh) != 1-i {
			t.Errorf("%s: %v, %v", key, fresh, err)
		}
	}
	if d, err := s.Drafts().All(t.Context()); err != nil || len(d) != 1 || d[0].Memory.UUID != uuid(2001) {
		t.Errorf("drafts %+v, %v", d, err)
	}
}

// TestContinuedAfterSettling: a session that goes on after its report was dropped is a new one to
// the sums, and no error.
func TestContinuedAfterSettling(t *testing.T) {
	s, now := stateFixture(t)
	o := seen("a", 1, []string{"x.go"})
	_, err := s.Sessions().Put(t.Context(), o, nil)
	must.OK(t, err)
	must.OK(t, s.Sessions().DropReports(t.Context(), now.Add(time.Hour)))
	if _, err := s.Sessions().Put(t.Context(), o, nil); err != nil {
		t.Error(err)
	}
}

// TestFrequentFailures: errors of several sessions, most sessions first; old ones, rare ones and
// those of any project are left out.
func TestFrequentFailures(t *testing.T) {
	s, _ := stateFixture(t)
	common, rare, anywhere := failed("--x"), failed("--rare"), failed("--any")
	often := failed("--often")
	anywhere.Generic = true
	for i, errs := range [][]ObservedError{{failed("--old")}, {failed("--old")}, {common, often, anywhere}, {common, often, anywhere}, {rare, often}} {
		_, err := s.Sessions().Put(t.Context(), seen(fmt.Sprint("s", i), 1+i, []string{"x.go"}, errs...), nil)
		must.OK(t, err)
	}
	got, err := observed(t, s).FrequentFailures(t.Context(), time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC), 2)
	must.OK(t, err)
	if len(got) != 2 || got[0].Trigger[0] != "--often" || got[0].Sessions != 3 || got[1].Trigger[0] != "--x" || got[1].Sessions != 2 || got[0].Ran != 3 {
		t.Errorf("%+v", got)
	}
}

// TestDraftsOfSessions: a session has its own drafts, and those of agents in other sessions.
func TestDraftsOfSessions(t *testing.T) {
	s, now := stateFixture(t)
	put := func(n int, session string, status DraftStatus) {
		m := sample(n)
		m.UUID = uuid(1000 + n)
		_, _, _, err := s.Drafts().Put(t.Context(), DraftRow{Memory: m, Status: status, Tool: "x", Session: session})
		must.OK(t, err)
		*now = now.Add(time.Minute)
	}
	put(1, "a", StatusDraft)
	put(2, "b", StatusDraft)
	put(3, "a", StatusCandidate)
	put(4, "b", StatusCandidate)
	o := observed(t, s)
	for name, tc := range map[string]struct {
		get     func() ([]*file.Memory, error)
		numbers []int
	}{
		"of a session":           {func() ([]*file.Memory, error) { return o.DraftsOf(t.Context(), "a") }, []int{3, 1}},
		"of no session":          {func() ([]*file.Memory, error) { return o.DraftsOf(t.Context(), "") }, nil},
		"beside a session":       {func() ([]*file.Memory, error) { return o.DraftsBeside(t.Context(), "a") }, []int{2}},
		"beside another session": {func() ([]*file.Memory, error) { return o.DraftsBeside(t.Context(), "b") }, []int{1}},
	} {
		list, err := tc.get()
		must.OK(t, err)
		var got, want []string
		for _, m := range list {
			got = append(got, m.UUID)
		}
		for _, n := range tc.numbers {
			want = append(want, uuid(1000+n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestObservedWithoutState: where nothing was kept, every answer is empty, and no error.
func TestObservedWithoutState(t *testing.T) {
	o, ctx := new(ObserverReader), t.Context()
	logs, err1 := o.LogsNamed(ctx, []string{"s-a"})
	frequent, err2 := o.FrequentFailures(ctx, time.Time{}, 1)
	of, err3 := o.DraftsOf(ctx, "a")
	beside, err4 := o.DraftsBeside(ctx, "a")
	for _, err := range []error{err1, err2, err3, err4} {
		must.OK(t, err)
	}
	if len(logs)+len(frequent)+len(of)+len(beside) != 0 {
		t.Error(logs, frequent, of, beside)
	}
	s, _ := stateFixture(t)
	_, err := s.Sessions().Put(ctx, seen("a", 1, []string{"x.go"}), nil)
	must.OK(t, err)
	if logs, err := observed(t, s).LogsNamed(ctx, []string{"s-a", "s-b"}); err != nil || logs["s-a"] != 100 || len(logs) != 1 {
		t.Errorf("logs %v, %v", logs, err)
	}
}
