package threads_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/secret/full"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// openList opens the threads of a repository whose default branch is main, and the clock that they go by.
func openList(t *testing.T) (*threads.List, *time.Time) {
	t.Helper()
	list, _, now := openListAnd(t)
	return list, now
}

// openListAnd is openList with the sessions that are known.
func openListAnd(t *testing.T) (*threads.List, store.Sessions, *time.Time) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(dir, ".manicule", "memories"), 0o750); err != nil {
		t.Fatal(err)
	}
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	now := time.Now().Add(time.Hour)
	home := filepath.Join(filepath.Dir(dir), "home")
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, Dir: dir, Now: func() time.Time { return now }, User: "ada",
		Env: workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }, Random: bytes.NewReader(make([]byte, 64))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return threads.Of(w), w.State().Sessions(), &now
}

// TestSettledElsewhere: a plan that waited on the default branch is settled by a session on a branch that was made for it. A
// check fails on its own branch, and a branch's plan says nothing of another branch.
func TestSettledElsewhere(t *testing.T) {
	list, now := openList(t)
	all := func(string) bool { return true }
	for i, tt := range []struct {
		left, later string // branches
		key         string
		want        thread.State
	}{
		{"main", "feat", thread.WaitKey + "move the queue", thread.StateResolved},
		{"feat", "main", thread.WaitKey + "move the cache", thread.StateOpen},
		{"main", "feat", "check:go test", thread.StateOpen},
		{"feat", "feat", "check:go vet", thread.StateResolved},
	} {
		*now = now.Add(time.Hour)
		left := threads.SessionWork{Session: "a" + tt.key, Agent: "claude-code", Branch: tt.left, Ended: *now, Left: []threads.LeftOver{{Key: tt.key, Kind: thread.Open, Text: "About " + tt.key}}, Settles: func(string) bool { return false }}
		if err := list.Settle(t.Context(), left); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(time.Hour)
		if err := list.Settle(t.Context(), threads.SessionWork{Session: "b" + tt.key, Agent: "claude-code", Branch: tt.later, Ended: *now, Settles: all}); err != nil {
			t.Fatal(err)
		}
		known, err := list.All(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := thread.State("")
		for _, x := range known {
			if x.Memory.Source == tt.key {
				got = x.State
			}
		}
		if got != tt.want {
			t.Errorf("%d: %s on %s, then %s: %q, want %q", i, tt.key, tt.left, tt.later, got, tt.want)
		}
	}
}

// TestFinished: a session that finished the work of its branch settles what those before it left there. On the default branch it
// may have been another's work.
func TestFinished(t *testing.T) {
	list, now := openList(t)
	for _, tt := range []struct {
		left, later string // branches
		finishes    bool
		want        thread.State
	}{
		{"feat", "feat", true, thread.StateResolved},
		{"docs", "docs", false, thread.StateOpen},
		{"fix", "other", true, thread.StateOpen},
		{"main", "main", true, thread.StateOpen},
	} {
		*now = now.Add(time.Hour)
		key := "words:of " + tt.left
		none := func(string) bool { return false }
		must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: "a" + key, Agent: "claude-code", Branch: tt.left, Ended: *now, Settles: none,
			Left: []threads.LeftOver{{Key: key, Kind: thread.NextStep, Text: "About " + key}}}))
		*now = now.Add(time.Hour)
		must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: "b" + key, Agent: "claude-code", Branch: tt.later, Ended: *now, Settles: none,
			Finishes: func(string) bool { return tt.finishes }}))
		known, err := list.All(t.Context())
		must.OK(t, err)
		for _, x := range known {
			if x.Memory.Source == key && x.State != tt.want {
				t.Errorf("%+v: %s", tt, x.State)
			}
		}
	}
}

// TestPassedOver: an item that the next session on the branch was told of and left for a list of its own is parked. One that it leaves
// itself, and one of another branch, stays.
func TestPassedOver(t *testing.T) {
	list, now := openList(t)
	for _, tt := range []struct {
		name, later string // its branch
		again, told bool
		want        thread.State
	}{
		{"passed over", "feat", false, true, thread.StateParked},
		{"not told", "feat", false, false, thread.StateOpen},
		{"left again", "feat", true, true, thread.StateOpen},
		{"on another branch", "main", false, true, thread.StateOpen},
	} {
		*now = now.Add(time.Hour)
		key := "item:" + tt.name
		left := []threads.LeftOver{{Key: key, Kind: thread.NextStep, Text: "About what is " + tt.name}}
		none := func(string) bool { return false }
		must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: "a" + key, Agent: "claude-code", Branch: "feat", Ended: *now, Settles: none, Left: left}))
		*now = now.Add(time.Hour)
		later := threads.SessionWork{Session: "b" + key, Agent: "claude-code", Branch: tt.later, Ended: *now, Settles: none, PassesOver: func(id, k string) bool { return tt.told && k == key && len(id) == 8 }}
		if tt.again {
			later.Left = left
		}
		must.OK(t, list.Settle(t.Context(), later))
		known, err := list.All(t.Context())
		must.OK(t, err)
		for _, x := range known {
			if x.Memory.Source == key && x.State != tt.want {
				t.Errorf("%s: %s (%s), want %s", tt.name, x.State, x.Resolution, tt.want)
			}
		}
	}
}

// TestPassedOverOnTheDefaultBranch: there, and outside of git, an item is parked when a second session that was told of it did
// something else. A session that goes on and is settled again is no second one.
func TestPassedOverOnTheDefaultBranch(t *testing.T) {
	for _, branch := range []string{"main", ""} {
		list, sessions, now := openListAnd(t)
		none := func(string) bool { return false }
		must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: "a", Agent: "claude-code", Branch: branch, Ended: *now, Settles: none,
			Left: []threads.LeftOver{{Key: "item:move the queue", Kind: thread.NextStep, Text: "Move the queue"}}}))
		passesOver := func(session string) thread.State {
			t.Helper()
			*now = now.Add(time.Hour)
			must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: session, Agent: "claude-code", Branch: branch, Ended: *now, Settles: none, PassesOver: func(string, string) bool { return true }}))
			known, err := list.All(t.Context())
			must.OK(t, err)
			if len(known) != 1 {
				t.Fatalf("%d threads", len(known))
			}
			_, err = sessions.Put(t.Context(), store.Observation{Session: session, Log: session, Agent: "claude-code", Started: 1, Ended: now.UnixMilli(),
				Inherited: []store.InheritedThread{{ID: known[0].Memory.ShortID(), State: string(known[0].State)}}}, nil)
			must.OK(t, err)
			return known[0].State
		}
		if s := passesOver("b"); s != thread.StateOpen {
			t.Errorf("on %q one session made it %s", branch, s)
		}
		if s := passesOver("b"); s != thread.StateOpen {
			t.Errorf("on %q one session that went on made it %s", branch, s)
		}
		if s := passesOver("c"); s != thread.StateParked {
			t.Errorf("on %q it is %s after a second session", branch, s)
		}
	}
}

// TestGoingOnIsNoPassingOver: a session that did an item of a list, and left the others, has not passed over these.
func TestGoingOnIsNoPassingOver(t *testing.T) {
	list, sessions, now := openListAnd(t)
	settle := func(session, does string) (states string) {
		t.Helper()
		*now = now.Add(time.Hour)
		work := threads.SessionWork{Session: session, Agent: "claude-code", Branch: "main", Ended: *now, Settles: func(key string) bool { return key == does }, PassesOver: func(string, string) bool { return true }}
		if session == "a" {
			work.PassesOver = nil
			work.Left = []threads.LeftOver{{Key: "item:x", Kind: thread.NextStep, Text: "Move the queue"}, {Key: "item:y", Kind: thread.NextStep, Text: "Drop the old table"}}
		}
		must.OK(t, list.Settle(t.Context(), work))
		known, err := list.All(t.Context())
		must.OK(t, err)
		var told []string
		for _, x := range known {
			told = append(told, x.Memory.ShortID())
			if x.Memory.Source == "item:y" {
				states = string(x.State)
			}
		}
		inherited, err := list.Inherited(t.Context(), told, now.Add(-time.Minute))
		must.OK(t, err)
		if session == "a" {
			inherited = nil
		}
		_, err = sessions.Put(t.Context(), store.Observation{Session: session, Log: session, Agent: "claude-code", Started: 1, Ended: now.UnixMilli(), Inherited: inherited}, nil)
		must.OK(t, err)
		return states
	}
	settle("a", "")
	for _, step := range []struct {
		session, does string
		want          thread.State
	}{{"b", "item:x", thread.StateOpen}, {"c", "", thread.StateOpen}, {"d", "", thread.StateParked}} {
		if got := settle(step.session, step.does); got != string(step.want) {
			t.Errorf("after session %s it is %s, want %s", step.session, got, step.want)
		}
	}
}

// TestSettleShared: a failing check that a person shared is closed in its file when it passes on the branch that is checked
// out. While it is open, no session leaves it a second time.
func TestSettleShared(t *testing.T) {
	list, now := openList(t)
	settle := func(session, branch string, passes bool, left ...threads.LeftOver) {
		t.Helper()
		*now = now.Add(time.Hour)
		must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: session, Agent: "claude-code", Branch: branch, Ended: *now, Left: left,
			Settles: func(key string) bool { return passes && key == "check:go test" }}))
	}
	fails := threads.LeftOver{Key: "check:go test", Kind: thread.Open, Text: "`go test` fails: want 3 tokens"}
	item := threads.LeftOver{Key: "item:cover the retry", Kind: thread.NextStep, Text: "Cover the retry with a test"}
	settle("a", "main", false, fails, item)
	states := func() (out string) {
		t.Helper()
		known, err := list.All(t.Context())
		must.OK(t, err)
		for _, x := range known {
			if x.Shared {
				out += string(x.State) + " " + x.Memory.What + "; "
			}
		}
		return out
	}
	known, err := list.All(t.Context())
	must.OK(t, err)
	for _, x := range known {
		r, err := list.Share(t.Context(), x.Memory.UUID)
		must.OK(t, err)
		if !r.Accepted {
			t.Fatalf("not shared: %s", r.Reason)
		}
	}
	settle("b", "main", false, fails)
	if known, err = list.All(t.Context()); err != nil || len(known) != 2 {
		t.Fatalf("while it is open: %d threads, %v", len(known), err)
	}
	settle("c", "feat", true)
	if got := states(); strings.Contains(got, "resolved") {
		t.Fatalf("it passed on another branch: %s", got)
	}
	settle("d", "main", true, fails)
	if got := states(); strings.Contains(got, "resolved") {
		t.Fatalf("it passed and failed again: %s", got)
	}
	settle("e", "main", true)
	if got := states(); got != "resolved `go test` fails: want 3 tokens; open Cover the retry with a test; " {
		t.Fatalf("it passed: %s", got)
	}
	known, err = list.All(t.Context())
	must.OK(t, err)
	if got := known[0].Resolution; got != "the check passed in session e" || known[0].Memory.Trust.Origin != file.UserTaught {
		t.Errorf("settled by %q, of %s", got, known[0].Memory.Trust.Origin)
	}
}

// TestSettleSharedForOthers: a shared check that is for somebody else, and so told to nobody here, does not keep a session from
// leaving it.
func TestSettleSharedForOthers(t *testing.T) {
	for owner, told := range map[string]bool{"": true, "Ada": true, "grace": false} {
		list, now := openList(t)
		settle := func(session string) (left bool) {
			t.Helper()
			*now = now.Add(time.Hour)
			must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: session, Agent: "claude-code", Branch: "main", Ended: *now,
				Left: []threads.LeftOver{{Key: "check:go test", Kind: thread.Open, Text: "`go test` fails: want 3 tokens"}}, Settles: func(string) bool { return false }}))
			known, err := list.All(t.Context())
			must.OK(t, err)
			return slices.ContainsFunc(known, func(x thread.Thread) bool { return x.Session == session && x.State == thread.StateOpen })
		}
		if !settle("a") {
			t.Fatal("the first session left nothing")
		}
		known, err := list.All(t.Context())
		must.OK(t, err)
		r, err := list.Share(t.Context(), known[0].Memory.UUID)
		must.OK(t, err)
		if owner != "" {
			_, err = list.Change(t.Context(), r.Thread.Memory.UUID, threads.Change{Owner: owner})
			must.OK(t, err)
		}
		if left := settle("b"); left == told {
			t.Errorf("a shared thread for %q: left again: %v", owner, left)
		}
	}
}

// TestEveryThreadCanBeSettled: what an item of a list says is not judged again when somebody closes it, however little that is.
func TestEveryThreadCanBeSettled(t *testing.T) {
	list, now := openList(t)
	var left []threads.LeftOver
	for _, text := range []string{"Document it", "Cover the retry with a test", "Fix tests"} {
		left = append(left, threads.LeftOver{Key: "item:" + text, Kind: thread.NextStep, Text: text})
	}
	must.OK(t, list.Settle(t.Context(), threads.SessionWork{Session: "a", Agent: "gemini", Branch: "main", Ended: *now, Left: left}))
	known, err := list.Open(t.Context())
	must.OK(t, err)
	for _, x := range known {
		r, err := list.Change(t.Context(), x.Memory.UUID, threads.Change{State: thread.StateResolved, Resolution: "done"})
		must.OK(t, err)
		if !r.Accepted {
			t.Errorf("%q can't be closed: %s", x.Memory.What, r.Reason)
		}
		r, err = list.Change(t.Context(), x.Memory.UUID, threads.Change{Text: "1"})
		must.OK(t, err)
		if r.Accepted {
			t.Errorf("%q may become a fragment", x.Memory.What)
		}
	}
}

// TestSameInOtherMarks: what a session leaves in the same words and other marks is the same thread, and is not settled.
func TestSameInOtherMarks(t *testing.T) {
	list, now := openList(t)
	for i, text := range []string{"Batch 2: API coverage", "Batch 2 API coverage", "Batch 3 API coverage"} {
		key := "words:" + strings.ToLower(text)
		err := list.Settle(t.Context(), threads.SessionWork{Session: "s" + string(rune('0'+i)), Agent: "claude-code", Branch: "main", Ended: *now,
			Left: []threads.LeftOver{{Key: key, Kind: thread.NextStep, Text: text}}, Settles: func(string) bool { return false }})
		if err != nil {
			t.Fatal(err)
		}
	}
	open, err := list.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(open) != 2 {
		t.Errorf("%d threads of two things: %v", len(open), open)
	}
	for _, pair := range [][2]string{{"words:port it to c", "words:port it to c++"}, {"words:raise go to 1.1", "words:raise go to 11"}, {"words:handle n > 0", "words:handle n < 0"}} {
		if threads.Same(pair[0], pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}
