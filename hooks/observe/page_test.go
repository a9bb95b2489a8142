package observe

import (
	"testing"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/signal"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// look adds what a browser's tool showed.
func (p *play) look(tool, page, fault, showed string) *play {
	return p.call(eventlog.Call{Tool: "mcp__playwright__browser_" + tool, Class: "other", Page: page, Fault: fault, Showed: showed, Bytes: 900}, "")
}

// TestPageFaults: what stayed wrong with a page of the project is an observation, tainted, once two sessions agree; what was
// mended in the session, and others' pages, are none.
func TestPageFaults(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    *play
		keys int
	}{
		{"a page that is not there", newPlay().look("navigate", "/login", "A", "Page not found at /login"), 1},
		{"and was mended", newPlay().look("navigate", "/login", "A", "Page not found at /login").look("navigate", "/login", "", ""), 0},
		{"a covered element stays covered", newPlay().look("click", "/login", "B", "<div> intercepts pointer events").look("snapshot", "/login", "", ""), 1},
		{"a tool that names no page", newPlay().look("navigate", "/x", "", "").look("network_requests", "", "D", "[GET] /api => [500]"), 1},
		{"a picture shows no fault, nor its end", newPlay().look("navigate", "/login", "A", "Page not found at /login").look("take_screenshot", "", "", ""), 1},
		{"no page at all", newPlay().look("network_requests", "", "D", "[GET] /api => [500]"), 0},
		{"another's page", newPlay().look("navigate", "-", "", "").look("console_messages", "", "C", "TypeError: x"), 0},
	} {
		if got := tc.p.signals(signal.PageFault); len(got) != tc.keys {
			t.Errorf("%s: %d signals, want %d", tc.name, len(got), tc.keys)
		}
	}
	r := newPlay().look("navigate", "/login", "A", "Page not found at /login").f.Report()
	candidate := func(h History) *Candidate {
		for _, j := range Promote(r, h) {
			if j.Signal.Kind() == signal.PageFault {
				return j.Candidate
			}
		}
		return nil
	}
	if c := candidate(History{Sessions: 1}); c != nil {
		t.Errorf("one session is enough for %q", c.What)
	}
	key := newPlay().look("navigate", "/login", "A", "Page not found at /login").signals(signal.PageFault)[0].Key
	c := candidate(History{Sessions: 1, Signals: map[string]episode.PastSignal{signal.ID(signal.PageFault, key): {Sessions: 1, Count: 1}}})
	if c == nil || c.Type != file.E2EObservation || !c.Tainted || c.What != "The page `/login` of the app does not come: “Page not found at /login”." {
		t.Errorf("two sessions: %+v", c)
	}
}
