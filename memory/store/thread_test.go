package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"manicule/memory/file"
	"manicule/memory/thread"
)

// threadOf makes a thread as a person would leave it.
func threadOf(n int, text string) thread.Thread {
	at := file.At(time.UnixMilli(1_770_000_000_000))
	m := &file.Memory{Format: file.Format, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012x", n), Type: file.WorkState, Layer: file.AreaContext, What: text,
		Visibility: file.Personal, Importance: file.Medium, Confidence: 1, Trust: file.Trust{Origin: file.UserTaught},
		Lineage: file.Lineage{Version: 1, ChangeKind: "create"}, CreatedAt: at, UpdatedAt: at}
	return thread.Thread{Memory: m, Kind: thread.Open, State: thread.StateOpen, Branch: "main"}
}

// TestThreads: a thread is stored once, changed by versions, and read by hooks while it is
// open.
func TestThreads(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1_770_000_000_000).UTC()
	s := OpenState(dir, "", func() time.Time { return now })
	ctx := t.Context()
	open := func() string {
		t.Helper()
		o, err := OpenObserverReader(ctx, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = o.Close() }() // a reader's
		b, err := o.Wake(ctx, func() thread.From { return thread.From{Branch: "main"} }, "", nil, false)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, x := range b.Threads {
			out = append(out, x.Memory.What)
		}
		return strings.Join(out, "|")
	}
	if got := open(); got != "" {
		t.Errorf("without a database: %q", got)
	}
	first, same, err := s.Threads().Put(ctx, threadOf(1, "The retry fails"))
	if err != nil || same || first.Version != 1 {
		t.Fatalf("%+v, %t, %v", first, same, err)
	}
	now = now.Add(time.Hour)
	if again, same, err := s.Threads().Put(ctx, threadOf(2, "the retry FAILS!")); err != nil || !same || again.Memory.UUID != first.Memory.UUID {
		t.Errorf("the same again: %+v, %t, %v", again, same, err)
	}
	if _, _, err := s.Threads().Put(ctx, threadOf(3, "The parser is slow")); err != nil {
		t.Fatal(err)
	}
	if got := open(); got != "The parser is slow|The retry fails" {
		t.Errorf("open: %q", got)
	}
	if list, err := OpenState(dir, "sub", s.now).Threads().All(ctx); err != nil || len(list) != 0 {
		t.Errorf("another workspace of the repository sees %v, %v", list, err)
	}

	closed := first
	closed.State, closed.Resolution = thread.StateResolved, "fixed"
	now = now.Add(time.Hour)
	after, err := s.Threads().Set(ctx, closed)
	if err != nil || after.Version != 2 || !after.Updated.Equal(now) {
		t.Fatalf("%+v, %v", after, err)
	}
	if _, err := s.Threads().Set(ctx, closed); !errors.Is(err, ErrThreadChanged) {
		t.Errorf("a change of a version that is superseded: %v", err)
	}
	if got := open(); got != "The parser is slow" {
		t.Errorf("open: %q", got)
	}
	old, err := s.Threads().Versions(ctx, first.Memory.UUID)
	if err != nil || len(old) != 1 || old[0].State != thread.StateOpen || old[0].Version != 1 {
		t.Errorf("versions: %+v, %v", old, err)
	}
	// A closed one does not stand for a new one that says the same.
	if _, same, err := s.Threads().Put(ctx, threadOf(4, "The retry fails")); err != nil || same {
		t.Errorf("%t, %v", same, err)
	}
	if list, err := s.Threads().Find(ctx, "000000000004"); err != nil || len(list) != 1 {
		t.Errorf("by the end of its id: %v, %v", list, err)
	}
	if n, err := s.ErasePersonal(ctx, nil, func([]byte) bool { return false }); err != nil || n != 4 {
		t.Errorf("erased %d rows, %v", n, err)
	}
	if list, err := s.Threads().All(ctx); err != nil || len(list) != 0 {
		t.Errorf("threads are left: %v, %v", list, err)
	}
}

// TestWakeReads: of many threads the latest are read, of the branch and of the project each, and
// git is asked only if there is one.
func TestWakeReads(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1_770_000_000_000).UTC()
	s := OpenState(dir, "", func() time.Time { return now })
	asked := 0
	wake := func() thread.Bundle {
		t.Helper()
		o, err := OpenObserverReader(t.Context(), dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = o.Close() }() // a reader's
		b, err := o.Wake(t.Context(), func() thread.From { asked++; return thread.From{Branch: "feat", Default: "main"} }, "", nil, false)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := wake(); len(b.Threads) != 0 || asked != 0 {
		t.Errorf("without one: %+v, git asked %d times", b, asked)
	}
	for i := range 3 * (maxWoken + 5) {
		x := threadOf(i, fmt.Sprintf("thread number %d", i))
		x.Branch = []string{"feat", "main", "other"}[i%3]
		now = now.Add(time.Minute)
		if _, _, err := s.Threads().Put(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	b := wake()
	if len(b.Threads) != 2*maxWoken || b.More != 10 || asked != 1 || b.Threads[0].Memory.What != fmt.Sprint("thread number ", 3*(maxWoken+4)) || b.Threads[maxWoken].Memory.What != fmt.Sprint("thread number ", 3*(maxWoken+4)+1) {
		t.Errorf("%d threads, %d more, git asked %d times, first %q", len(b.Threads), b.More, asked, b.Threads[0].Memory.What)
	}
}

// TestLastSession: the latest session is summed up, unless it followed text of strangers.
func TestLastSession(t *testing.T) {
	dir := t.TempDir()
	s := OpenState(dir, "", time.Now)
	for _, o := range []Observation{
		{Session: "s-1", Log: "1", Agent: "codex", Started: 1000, Ended: 2000, Files: []ObservedFile{{Path: "a.go", Edits: 1}, {Path: "b.go", Edits: 3}, {Path: "read.go", Reads: 9}},
			Commands: []ObservedCommand{{Key: "go test", Runs: 2, Fails: 2}, {Key: "go vet", Runs: 2, Fails: 1}, {Key: "manicule thread", Runs: 3, Fails: 3}}, Work: ObservedWork{Branch: "feature"}},
		{Session: "s-2", Log: "2", Agent: "codex", Started: 3000, Ended: 4000, Tainted: true},
		{Session: "s-3", Log: "3", Agent: "codex", Started: 5000, Ended: 6000},
	} {
		if _, err := s.Sessions().Put(t.Context(), o, nil); err != nil {
			t.Fatal(err)
		}
	}
	o, err := OpenObserverReader(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Close() }() // a reader's
	last, ok, err := o.LastSession(t.Context(), "s-3")
	if err != nil || !ok || last.Session != "s-1" || fmt.Sprint(last.Edited, last.Failed) != "[b.go a.go] [go test]" {
		t.Errorf("%+v, %t, %v", last, ok, err)
	}

	// Its branch is told where the new session is on another, also where nothing waits.
	tells := func(always bool) {
		t.Helper()
		for here, want := range map[string]string{"main": "feature", "feature": ""} {
			b, err := o.Wake(t.Context(), func() thread.From { return thread.From{Branch: here} }, "s-3", nil, always)
			if err != nil || b.Last == nil || b.Last.Session != "s-1" || b.Last.Branch != want {
				t.Errorf("on %s: %+v, %v", here, b.Last, err)
			}
		}
	}
	tells(true)
	x := threadOf(1, "The retry fails")
	x.Branch = ""
	if _, _, err := s.Threads().Put(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	tells(false)
}

// TestThreadPlans: what the start of a session reads is found by indexes, without a session's report.
func TestThreadPlans(t *testing.T) {
	db := migrated(t, "state")
	arguments := map[string][]any{"qOpenThreads": {"", 1}, "qWaiting": {"", "", "", 1}, "qAnyWaits": {""}, "qLastSession": {"", ""}, "qThread": {"", ""}, "qFrequent": {"", 1, 1}, "qLogsNamed": {"[]"}}
	for name, want := range map[string]string{"qOpenThreads": "threads_state", "qWaiting": "threads_state", "qAnyWaits": "threads_state", "qLastSession": "observer_sessions_ended", "qThread": "COVERING INDEX", "qFrequent": "observer_sessions_ended", "qLogsNamed": "observer_sessions_log"} {
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statements(t)[name], arguments[name]...)
		if err != nil {
			t.Fatal(err)
		}
		var plan strings.Builder
		for rows.Next() {
			var id, parent, x int
			var detail string
			if err := rows.Scan(&id, &parent, &x, &detail); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(detail + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.String(), "USING INDEX "+want) && !strings.Contains(plan.String(), "USING COVERING INDEX "+want) && !strings.Contains(plan.String(), want+" threads_") {
			t.Errorf("%s:\n%s", name, plan.String())
		}
	}
}

// TestThreadsApart: what may come from strangers and what is of another branch neither hides a
// thread nor stands for it, agents leave a bounded number, and closed ones go in time.
func TestThreadsApart(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := OpenState(dir, "", func() time.Time { return now })
	put := func(n int, text string, change func(*thread.Thread)) (thread.Thread, bool, error) {
		x := threadOf(n, text)
		if change != nil {
			change(&x)
		}
		return s.Threads().Put(t.Context(), x)
	}
	tainted := func(x *thread.Thread) { x.Agent, x.Memory.Trust.Tainted = "claude-code", true }
	person, _, err := put(1, "The retry fails", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxWoken {
		now = now.Add(time.Minute)
		if _, _, err := put(10+i, fmt.Sprint("from a page, number ", i), tainted); err != nil {
			t.Fatal(err)
		}
	}
	wake := func(branch string) thread.Bundle {
		o, err := OpenObserverReader(t.Context(), dir, "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := o.Wake(t.Context(), func() thread.From { return thread.From{Branch: branch, Default: "trunk"} }, "", nil, false)
		if err := errors.Join(err, o.Close()); err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := wake("main"); len(b.Threads) != 1 || b.Threads[0].Memory.UUID != person.Memory.UUID || b.More != 0 {
		t.Errorf("a session is told %d threads, %d more", len(b.Threads), b.More)
	}
	for name, change := range map[string]func(*thread.Thread){
		"of another branch": func(x *thread.Thread) { x.Branch = "feat" },
		"of another kind":   func(x *thread.Thread) { x.Kind = thread.NextStep },
	} {
		if _, same, err := put(60+len(name), "the retry FAILS", change); err != nil || same {
			t.Errorf("%s: the same %t, %v", name, same, err)
		}
	}
	if x, same, err := put(70, "from a page, number 1", nil); err != nil || same || x.Memory.Trust.Tainted {
		t.Errorf("a person's words are a stranger's: %t, %v", same, err)
	}
	if _, same, err := put(71, "the retry fails", tainted); err != nil || !same {
		t.Errorf("what a person left is left again: %v", err)
	}
	n := 0
	for ; n < maxOfAgents; n++ {
		if _, _, err = put(100+n, fmt.Sprint("a finding, number ", n), func(x *thread.Thread) { x.Agent = "codex" }); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrTooManyThreads) || n+3*maxWoken != maxOfAgents {
		t.Errorf("agents left %d threads more: %v", n, err)
	}
	if _, _, err := put(300, "a person may go on", nil); err != nil {
		t.Error(err)
	}
	person.State = thread.StateDone
	if _, err := s.Threads().Set(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	now = now.Add(closedKept + time.Hour)
	if _, _, err := put(301, "half a year later", nil); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Threads().Find(t.Context(), person.Memory.UUID); err != nil || len(list) != 0 {
		t.Errorf("it is kept: %v, %v", list, err)
	}
	if old, err := s.Threads().Versions(t.Context(), person.Memory.UUID); err != nil || len(old) != 0 {
		t.Errorf("its versions are kept: %v, %v", old, err)
	}
}

// TestThreadSchema: hooks know the migration that made the threads.
func TestThreadSchema(t *testing.T) {
	if _, err := stateSQL.ReadFile(fmt.Sprintf("state/%04d_threads.sql", threadSchema)); err != nil {
		t.Error(err)
	}
}

// TestObservedThreads: the end of a session reads what nobody wrote, and not the many threads of people beside it; an id is
// looked up in an index of ids.
func TestObservedThreads(t *testing.T) {
	now := time.UnixMilli(1_770_000_000_000).UTC()
	s := OpenState(t.TempDir(), "", func() time.Time { return now })
	ctx := t.Context()
	put := func(n int, session string, origin file.Origin) thread.Thread {
		t.Helper()
		x := threadOf(n, fmt.Sprint("thread number ", n))
		x.Session, x.Memory.Trust.Origin = session, origin
		x, _, err := s.Threads().Put(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for n := range 50 {
		put(n, "", file.UserTaught)
	}
	put(50, "a", file.AgentExplicit)
	put(51, "a", file.ObserverInferred)
	closed := put(52, "a", file.ObserverInferred)
	closed.State = thread.StateDone
	if _, err := s.Threads().Set(ctx, closed); err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string]string{"a": "thread number 51|thread number 52", "b": "thread number 51"} {
		list, err := s.Threads().Observed(ctx, session)
		var got []string
		for _, x := range list {
			got = append(got, x.Memory.What)
		}
		if strings.Join(got, "|") != want || err != nil {
			t.Errorf("for session %s: %q, %v", session, got, err)
		}
	}
	for _, id := range []string{closed.Memory.UUID, closed.Memory.ShortID(), closed.Memory.UUID[30:]} {
		if list, err := s.Threads().Find(ctx, id); err != nil || len(list) != 1 || list[0].Memory.UUID != closed.Memory.UUID {
			t.Errorf("%s finds %+v, %v", id, list, err)
		}
	}
	if list, err := OpenState(t.TempDir(), "other", s.now).Threads().Find(ctx, closed.Memory.UUID); err != nil || len(list) != 0 {
		t.Errorf("elsewhere: %+v, %v", list, err)
	}
}
