package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"manicule/indexer/linefile"
	"manicule/indexer/must"
	"manicule/memory/store"
)

func clock() (*time.Time, func() time.Time) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	return &now, func() time.Time { return now }
}

func TestShownIsReadBack(t *testing.T) {
	dir := t.TempDir()
	now, at := clock()
	r := NewRecorder(dir, "", at)
	must.OK(t, r.Shown(t.Context(), Showing{Surface: Hook, Agent: "claude-code", Session: "a1", Path: "x.go", Tool: "Read", Tokens: 40, Memories: []Share{{UUID: "m1", Tokens: 20, Path: "y.go"}, {UUID: "m2", Tokens: 10}}}))
	*now = now.Add(time.Minute)
	must.OK(t, r.Shown(t.Context(), Showing{Surface: Hook, Agent: "claude-code", Session: "a1", Tokens: 7}))
	must.OK(t, r.Shown(t.Context(), Showing{Surface: CLI, Tool: "recall", Memories: []Share{{UUID: "m1", Tokens: 0}}}))
	must.OK(t, NewRecorder(dir, "sub", at).Shown(t.Context(), Showing{Surface: Hook, Agent: "claude-code", Session: "a1", Tokens: 5, Memories: []Share{{UUID: "other", Tokens: 5}}}))
	must.OK(t, r.Shown(t.Context(), Showing{Surface: Hook, Agent: "claude-code", Session: "a1"})) // nothing shown

	logs, err := Logs(dir)
	if err != nil || len(logs) != 2 || logs[0].Name != "day-2026-05-01" || !logs[0].Day || logs[1].Name != linefile.FileName("a1") || logs[1].Day {
		t.Fatalf("logs %+v, %v", logs, err)
	}
	entries, sum, err := Read(dir, linefile.FileName("a1"), "")
	if err != nil || len(entries) != 2 || sum.Count != 2 || sum.Tokens != 47 {
		t.Fatalf("%+v, %+v, %v", entries, sum, err)
	}
	if entries[0].Path != "y.go" {
		t.Errorf("path %q", entries[0].Path)
	}
	want := Entry{UUID: "m2", At: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Surface: Hook, Agent: "claude-code", Session: "a1", Path: "x.go", Tool: "Read", Tokens: 10}
	if entries[1] != want {
		t.Errorf("got %+v, want %+v", entries[1], want)
	}
	if _, sum, _ := Read(dir, "day-2026-05-01", ""); sum.Tokens != 0 {
		t.Errorf("a person's look cost %d tokens", sum.Tokens)
	}
}

// TestShownTwiceInAnAnswer: what an answer names twice is one showing, so that it is judged.
func TestShownTwiceInAnAnswer(t *testing.T) {
	dir := t.TempDir()
	_, at := clock()
	r := NewRecorder(dir, "", at)
	must.OK(t, r.Shown(t.Context(), Showing{Surface: Hook, Agent: "claude-code", Session: "a1", Tokens: 40, Memories: []Share{{UUID: "m1", Tokens: 20}, {UUID: "m2", Tokens: 10}, {UUID: "m1", Tokens: 5}}}))
	must.OK(t, r.Shown(t.Context(), Showing{Surface: Hook, Agent: "claude-code", Session: "a1", Tokens: 7, Memories: []Share{{UUID: "m1", Tokens: 7}}}))
	entries, _, err := Read(dir, linefile.FileName("a1"), "")
	if err != nil || len(entries) != 3 || entries[0].Tokens != 25 || entries[1].UUID != "m2" || entries[2].Tokens != 7 {
		t.Errorf("%+v, %v", entries, err)
	}
}

// TestShownIsOneShortWrite: many memories take several lines, none over the limit,
// and the answer's tokens count once.
func TestShownIsOneShortWrite(t *testing.T) {
	dir := t.TempDir()
	_, at := clock()
	var list []Share
	for i := range 150 {
		list = append(list, Share{UUID: "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Tokens: 1000, Path: strings.Repeat("é", 200)})
	}
	long := strings.Repeat("p", 5000)
	must.OK(t, NewRecorder(dir, "", at).Shown(t.Context(), Showing{Surface: MCP, Agent: "x", Session: long, Path: long, Tool: long, Tokens: 9, Memories: list}))
	entries, sum, err := Read(dir, linefile.FileName(long), "")
	if err != nil || len(entries) != 150 || sum.Count != 1 || sum.Tokens != 9 {
		t.Errorf("%d entries, %+v, %v", len(entries), sum, err)
	}
}

func TestTornLinesCostThemselves(t *testing.T) {
	dir := t.TempDir()
	_, at := clock()
	r := NewRecorder(dir, "", at)
	s := Showing{Surface: Hook, Agent: "x", Session: "a", Tokens: 1, Memories: []Share{{UUID: "m", Tokens: 1}}}
	must.OK(t, r.Shown(t.Context(), s))
	path := filepath.Join(folder(dir), linefile.FileName("a")+suffix)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must.OK(t, err)
	_, err = f.WriteString(`{"v":1,"t":17,"m":["to`)
	must.OK(t, err)
	must.OK(t, f.Close())
	must.OK(t, r.Shown(t.Context(), s))
	if entries, _, err := Read(dir, linefile.FileName("a"), ""); err != nil || len(entries) != 2 {
		t.Errorf("%+v, %v", entries, err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	_, at := clock()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 20 {
				if err := NewRecorder(dir, "", at).Shown(t.Context(), Showing{Surface: Hook, Agent: "x", Session: "a", Tokens: 1, Memories: []Share{{UUID: "m", Tokens: 1}}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if entries, sum, err := Read(dir, linefile.FileName("a"), ""); err != nil || len(entries) != 400 || sum.Count != 400 {
		t.Errorf("%d entries, %+v, %v", len(entries), sum, err)
	}
}

func TestARecorderThatCantWrite(t *testing.T) {
	dir := t.TempDir()
	_, at := clock()
	must.OK(t, os.WriteFile(filepath.Join(dir, "shown"), nil, 0o600))
	s := Showing{Surface: Hook, Agent: "x", Session: "a", Tokens: 1, Memories: []Share{{UUID: "m", Tokens: 1}}}
	if err := NewRecorder(dir, "", at).Shown(t.Context(), s); err == nil {
		t.Error("no error where the folder is a file")
	}
	if err := (*Recorder)(nil).Shown(t.Context(), s); err != nil {
		t.Errorf("a nil recorder: %v", err)
	}
}

func TestSummary(t *testing.T) {
	now, at := clock()
	state := store.OpenState(t.TempDir(), "", at)
	if s, err := Of(t.Context(), state, "m"); err != nil || s != (Summary{}) || s.Sentence(*now) != "" {
		t.Errorf("before anything: %+v, %v", s, err)
	}
	row := func(days int, agent string, v Verdict) store.ShownRow {
		return Judged{Entry: Entry{UUID: "m", At: now.AddDate(0, 0, -days), Surface: Hook, Agent: agent, Tokens: 10}, Verdict: v}.Row("s-a", true)
	}
	rows := []store.ShownRow{row(100, "codex", Followed), row(9, "codex", Followed), row(8, "codex", Again), row(7, "codex", Overridden), row(3, "claude-code", Unknown), row(1, "", ToPerson)}
	must.OK(t, state.Shown().Put(t.Context(), []store.ShownLog{{Name: "s-a", Rows: rows}}))
	want := Summary{Shown: 5, Followed: 2, Overridden: 1, Unknown: 1, Repeats: 1, ToPeople: 1, Tokens: 50, Last: now.AddDate(0, 0, -3), LastAgent: "claude-code", LastSurface: Hook}
	check := func(when string) {
		t.Helper()
		s, err := Of(t.Context(), state, "m")
		must.OK(t, err)
		if s != want {
			t.Errorf("%s: got %+v, want %+v", when, s, want)
		}
		all, err := TotalsOf(t.Context(), state)
		must.OK(t, err)
		if all.Summary != want || *all.Memories["m"] != want || all.Agents["codex"].Shown != 4 || all.Surfaces[Hook] != 5 {
			t.Errorf("%s: totals %+v", when, all)
		}
	}
	check("kept")
	must.OK(t, state.Shown().Put(t.Context(), []store.ShownLog{{Name: "s-a", Rows: rows}}))
	check("kept twice")
	must.OK(t, state.Shown().Settle(t.Context(), now.Add(-KeepEntries)))
	check("settled")
	if got := want.Sentence(*now); got != "shown 5 times to agents, followed 2, overridden 1; last 3 days ago to claude-code" {
		t.Error(got)
	}
	recent, err := Recent(t.Context(), state, "m", 2)
	if err != nil || len(recent) != 2 || recent[0].Agent != "" || recent[1].Verdict != Unknown {
		t.Errorf("recent %+v, %v", recent, err)
	}
	must.OK(t, state.Shown().Clear(t.Context()))
	if s, err := Of(t.Context(), state, "m"); err != nil || s != (Summary{}) {
		t.Errorf("cleared: %+v, %v", s, err)
	}
}

func TestAJudgementStays(t *testing.T) {
	now, at := clock()
	state := store.OpenState(t.TempDir(), "", at)
	put := func(v Verdict, judged bool) {
		j := Judged{Entry: Entry{UUID: "m", At: *now, Surface: MCP, Agent: "x"}, Verdict: v}
		must.OK(t, state.Shown().Put(t.Context(), []store.ShownLog{{Name: "day", Rows: []store.ShownRow{j.Row("day", judged)}}}))
	}
	for _, step := range []struct {
		put    Verdict
		judged bool
		want   Verdict
	}{{Open, false, Open}, {Followed, true, Followed}, {Unknown, false, Followed}, {Overridden, true, Overridden}} {
		put(step.put, step.judged)
		if got, err := Recent(t.Context(), state, "m", 5); err != nil || len(got) != 1 || got[0].Verdict != step.want {
			t.Errorf("after %q (%v): %+v, %v", step.put, step.judged, got, err)
		}
	}
}

func TestPruneAndClear(t *testing.T) {
	dir := t.TempDir()
	_, at := clock()
	must.OK(t, NewRecorder(dir, "", at).Shown(t.Context(), Showing{Surface: CLI, Memories: []Share{{UUID: "m", Tokens: 0}}}))
	must.OK(t, Prune(dir, time.Unix(0, 0)))
	if l, err := Logs(dir); err != nil || len(l) != 1 {
		t.Errorf("%v, %v", l, err)
	}
	must.OK(t, Clear(dir))
	if l, err := Logs(dir); err != nil || len(l) != 0 {
		t.Errorf("%v, %v", l, err)
	}
}

// TestForbids holds which sentences a newcomer needs before others of their type.
func TestForbids(t *testing.T) {
	for what, want := range map[string]bool{
		"Never do IO in Update": true, "ALWAYS use uv": true, "Packages: FORBIDDEN: pip": true,
		"Use camelCase for files": false, "Nevertheless it works": false,
	} {
		if got := forbids(what); got != want {
			t.Errorf("%q: got %t", what, got)
		}
	}
}
