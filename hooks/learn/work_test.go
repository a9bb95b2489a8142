package learn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/fold"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// TestSettle: what a session left becomes threads, and the sessions after it close them.
func TestSettle(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.w.Root(), "retry.go"), []byte("package q\n\nfunc Retry() {\n\treturn\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := func(items string) eventlog.Record {
		return eventlog.Record{Kind: "post_tool", Facts: map[string]string{"branch": "main"}, Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: items}}}
	}
	edit := func() eventlog.Record {
		return eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: "e" + fmt.Sprint(p.now.UnixNano()), Paths: []string{p.w.Root() + "/retry.go"}, Before: "1", After: "2"}}}
	}
	const failing = "--- FAIL: TestRetry\nretry.go:4: gave up too early"
	play := func(session string, records ...eventlog.Record) {
		t.Helper()
		p.now = p.now.Add(time.Hour)
		p.log(session, append(records, end())...)
		must(Pending(t.Context(), p.options(), 0))(t)
	}
	check := func(when, want string) {
		t.Helper()
		var got []string
		for _, x := range must(threads.Of(p.w).All(t.Context()))(t) {
			got = append(got, fmt.Sprintf("%s %s %s at %s", x.State, x.Kind, x.Memory.What, x.Place()))
			if x.Branch != "main" || !x.Observed() || x.Agent != "claude-code" {
				t.Errorf("%s: %+v", when, x)
			}
		}
		slices.Sort(got)
		if strings.Join(got, "\n") != want {
			t.Errorf("%s:\n%s\nwant:\n%s", when, strings.Join(got, "\n"), want)
		}
	}
	ask := eventlog.Record{Kind: "prompt", Prompt: "Make the retry wait longer"}
	play("a", ask, list("Cover the retry\nWrite the docs\nRun all tests"), edit(), sh("go test ./queue", failing))
	check("after the first session", "open next_step Cover the retry at \nopen next_step Write the docs at \nopen thread `go test ./queue` fails: --- FAIL: TestRetry at retry.go#Retry")

	play("b", ask, list("Cover the retry"), list(""), edit(), sh("go test ./other", ""))
	check("one item was done elsewhere", "open next_step Write the docs at \nopen thread `go test ./queue` fails: --- FAIL: TestRetry at retry.go#Retry\nresolved next_step Cover the retry at ")

	// A person's word stands when the session goes on and leaves the same.
	for _, x := range must(threads.Of(p.w).All(t.Context()))(t) {
		if x.Memory.What == "Write the docs" {
			must(threads.Of(p.w).Change(t.Context(), x.Memory.UUID, threads.Change{State: thread.StateParked}))(t)
		}
	}
	play("a", ask, edit(), sh("go test -race ./queue", failing))
	check("it goes on", "open thread `go test ./queue` fails: --- FAIL: TestRetry at retry.go#Retry\nparked next_step Write the docs at \nresolved next_step Cover the retry at ")

	play("c", ask, edit(), sh("go test ./queue", ""))
	check("it passes", "parked next_step Write the docs at \nresolved next_step Cover the retry at \nresolved thread `go test ./queue` fails: --- FAIL: TestRetry at retry.go#Retry")
}

// TestSettlePassedOver: items that a session was told of are parked once it has closed the items of a list of its own. A session
// that keeps no list, or was not told, says nothing of them, and one that did another item of their list goes on with it.
func TestSettlePassedOver(t *testing.T) {
	for name, tt := range map[string]struct {
		list string
		told bool
		want thread.State
	}{
		"another list":          {"Move the cache\n[x] Read the cache", true, thread.StateParked},
		"another list, untold":  {"[x] Read the cache", false, thread.StateOpen},
		"a part of the list":    {"[x] Say when to retry", true, thread.StateOpen},
		"nothing of it is done": {"Move the cache", true, thread.StateOpen},
		"no list":               {"", true, thread.StateOpen},
	} {
		p := newPlace(t)
		list := func(items string) eventlog.Record {
			return eventlog.Record{Kind: "post_tool", Facts: map[string]string{"branch": "main"}, Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: items}}}
		}
		ask := eventlog.Record{Kind: "prompt", Prompt: "Make the retry wait longer"}
		state := func(what string) (x thread.Thread) {
			for _, x = range must(threads.Of(p.w).All(t.Context()))(t) {
				if x.Memory.What == what {
					return x
				}
			}
			t.Fatalf("%s: no thread", name)
			return x
		}
		p.log("a", ask, list("Cover the retry\nSay when to retry"), edited(p, "a.go"), end())
		must(Pending(t.Context(), p.options(), 0))(t)
		begin := eventlog.Record{Kind: "session_start", Facts: map[string]string{"branch": "main"}}
		if tt.told {
			begin.Facts[fold.ThreadsFact] = state("Cover the retry").Memory.ShortID() + " " + state("Say when to retry").Memory.ShortID()
		}
		p.now = p.now.Add(time.Hour)
		p.log("b", begin, eventlog.Record{Kind: "prompt", Prompt: "Move the cache"}, list(tt.list), edited(p, "b.go"), end())
		must(Pending(t.Context(), p.options(), 0))(t)
		if got := state("Cover the retry").State; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestSettleDelivery: a push that was refused is settled by one that works, and not by a commit; a change that waited for a permission by
// one that was committed.
func TestSettleDelivery(t *testing.T) {
	p := newPlace(t)
	for i, tt := range []struct {
		records []eventlog.Record
		open    int
	}{
		{[]eventlog.Record{edited(p, "a.go"), sh("git push origin main", "! [remote rejected] main -> main (pre-receive hook declined)"), withheld(p, "b.go")}, 2},
		{[]eventlog.Record{edited(p, "a.go"), sh("git commit -m 'Retry later'", "")}, 2},
		{[]eventlog.Record{edited(p, "b.go"), sh("git commit -m 'Retry sooner'", "")}, 1},
		{[]eventlog.Record{sh("git push origin main", "")}, 0},
	} {
		p.now = p.now.Add(time.Hour)
		start := eventlog.Record{Kind: "session_start", Facts: map[string]string{"branch": "main"}}
		p.log(fmt.Sprint("s", i), append([]eventlog.Record{start, {Kind: "prompt", Prompt: "Make the retry wait longer"}}, append(tt.records, end())...)...)
		must(Pending(t.Context(), p.options(), 0))(t)
		var open []string
		for _, x := range must(threads.Of(p.w).All(t.Context()))(t) {
			if x.State == thread.StateOpen {
				open = append(open, x.Memory.What)
			}
		}
		if len(open) != tt.open {
			t.Errorf("after session %d: %q", i, open)
		}
	}
}

func edited(p *place, name string) eventlog.Record {
	return eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: "e" + name + fmt.Sprint(p.now.UnixNano()), Paths: []string{p.w.Root() + "/" + name}, Before: "1", After: "2"}}}
}

// withheld is a change that the person has not allowed.
func withheld(p *place, name string) eventlog.Record {
	r := edited(p, name)
	r.Kind, r.Calls[0].Error = "post_batch", "Claude requested permissions to write to "+name+", but you haven't granted it yet."
	return r
}

// TestSettleWords: what a session's last message leaves is settled by a later one whose commit says it, and not by one that read text
// from outside, or is on another branch.
func TestSettleWords(t *testing.T) {
	p := newPlace(t)
	on := func(branch string) eventlog.Record {
		return eventlog.Record{Kind: "session_start", Facts: map[string]string{"branch": branch}}
	}
	edit := func() eventlog.Record {
		return eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: "e", Paths: []string{p.w.Root() + "/retry.go"}, Before: "1", After: "2"}}}
	}
	commit := sh(`git commit -m "queue: wire up the retry flag of the worker"`, "")
	web := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", ID: "w", URL: "https://x.example"}}}
	left := eventlog.Record{Kind: "stop", Text: "The flag is parsed. The retry flag of the worker is not wired up yet."}
	for _, x := range []struct {
		session string
		records []eventlog.Record
		want    thread.State
	}{
		{"a", []eventlog.Record{on("main"), edit(), left}, thread.StateOpen},
		{"other", []eventlog.Record{on("feat"), edit(), commit}, thread.StateOpen},
		{"web", []eventlog.Record{on("main"), web, edit(), commit}, thread.StateOpen},
		{"b", []eventlog.Record{on("main"), edit(), commit}, thread.StateResolved},
	} {
		p.now = p.now.Add(time.Hour)
		p.log(x.session, append(x.records, end())...)
		must(Pending(t.Context(), p.options(), 0))(t)
		if got := must(threads.Of(p.w).All(t.Context()))(t); len(got) != 1 || got[0].State != x.want {
			t.Fatalf("after %s: %+v", x.session, got)
		}
	}
}

// TestNobodyCameBack: a thread that nobody wrote is parked after two weeks. What is left after text from outside
// is marked: no agent is told.
func TestNobodyCameBack(t *testing.T) {
	p := newPlace(t)
	list := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: "Cover the retry"}}}
	web := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", ID: "w", URL: "https://x.example"}}}
	p.log("web", web, list, end())
	must(Pending(t.Context(), p.options(), 0))(t)
	got := must(threads.Of(p.w).All(t.Context()))(t)
	if len(got) != 1 || !got[0].Memory.Trust.Tainted {
		t.Fatalf("from outside: %+v", got)
	}
	if b := must(threads.Of(p.w).Wake(t.Context(), p.w.Root(), "next", ""))(t); len(b.Threads) != 0 {
		t.Fatalf("an agent is told: %+v", b.Threads)
	}
	p.log("a", list, end())
	must(Pending(t.Context(), p.options(), 0))(t)
	p.now = p.now.Add(15 * 24 * time.Hour)
	p.log("b", sh("ls", ""), end())
	must(Pending(t.Context(), p.options(), 0))(t)
	if got := must(threads.Of(p.w).All(t.Context()))(t); len(got) != 1 || got[0].State != thread.StateParked || got[0].Resolution == "" {
		t.Errorf("after two weeks: %+v", got)
	}
}
