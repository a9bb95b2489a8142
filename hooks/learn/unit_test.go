package learn

import (
	"strings"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/memory/file"
	"manicule/memory/threads"
	"manicule/memory/units"
	"manicule/memory/work"
)

// TestUnit: a session, what it left and what was learned from it belong to the unit of work that its start named, and wait
// for its acceptance; the source of a taint is kept.
func TestUnit(t *testing.T) {
	p := newPlace(t)
	if _, err := units.Of(p.w).Begin(t.Context(), units.New{Name: "ABC-9", Acceptance: true, Branch: "other"}); err != nil {
		t.Fatal(err)
	}
	begins := eventlog.Record{Kind: "session_start", Facts: map[string]string{"work": "ticket:ABC-9", "branch": "main"}}
	left := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: "Cover the retry"}}}
	for _, session := range []string{"a", "b", "c"} {
		p.log(session, append(append([]eventlog.Record{begins, left}, retried()...), end())...)
		must(Pending(t.Context(), p.options(), 0))(t)
	}
	web := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", URL: "https://docs.example.com/a?b=c"}}}
	p.log("w", begins, web, end())
	p.log("other", eventlog.Record{Kind: "session_start", Facts: map[string]string{"work": "what is this"}}, sh("true", ""), end())
	must(Pending(t.Context(), p.options(), 0))(t)

	if got := must(p.w.State().Sessions().OfWork(t.Context(), "ticket:ABC-9"))(t); len(got) != 4 {
		t.Errorf("its sessions: %v", got)
	}
	for _, r := range must(p.w.State().Sessions().RecordsOf(t.Context(), "w"))(t) {
		if r.Episode.TaintedBy != "WebFetch docs.example.com" || r.Episode.Work != "ticket:ABC-9" {
			t.Errorf("%+v", r.Episode)
		}
	}
	for _, x := range must(threads.Of(p.w).All(t.Context()))(t) {
		if x.Unit() != "ticket:ABC-9" {
			t.Errorf("%s belongs to %q", x.Memory.What, x.Unit())
		}
	}
	waits := func() int { return len(must(p.w.Drafts().Candidates(t.Context()))(t)) }
	held := must(units.Of(p.w).Held(t.Context()))(t)["ticket:ABC-9"]
	if waits() != 0 || len(held) == 0 {
		t.Errorf("%d are to be reviewed, %d wait for the work", waits(), len(held))
	}
	if _, err := units.Of(p.w).Set(t.Context(), "ABC-9", work.Accepted, "", "", false); err != nil {
		t.Fatal(err)
	}
	if waits() != len(held)+1 { // and what it came to
		t.Errorf("%d of %d are offered", waits()-1, len(held))
	}
	cameTo := func() (what string) {
		t.Helper()
		for _, m := range must(p.w.Drafts().List(t.Context()))(t) {
			if m.Type == file.WorkUnitOutcome {
				what += m.What
			}
		}
		return what
	}
	if got := cameTo(); !strings.Contains(got, "ticket ABC-9") || !strings.Contains(got, "was accepted after 4 sessions") {
		t.Errorf("it came to: %q", got)
	}
	p.log("late", begins, sh("go test ./...", ""), end())
	must(Pending(t.Context(), p.options(), 0))(t)
	if got := cameTo(); !strings.Contains(got, "was accepted after 5 sessions") || strings.Count(got, "ABC-9") != 1 {
		t.Errorf("once its last session ended, it came to: %q", got)
	}
}
