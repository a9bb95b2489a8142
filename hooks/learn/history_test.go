package learn

import (
	"fmt"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/signal"
)

// TestDurationsOfAllSessions: what a command took in all sessions is kept, and the
// candidate says the median of all its runs; reading a session twice counts once.
func TestDurationsOfAllSessions(t *testing.T) {
	p := newPlace(t)
	slow := func(session string, millis ...int) Outcome {
		var list []eventlog.Record
		for i, ms := range millis {
			list = append(list, eventlog.Record{Kind: "post_tool", Facts: map[string]string{"duration_ms": fmt.Sprint(ms)},
				Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", ID: fmt.Sprint(session, i), Command: "make test"}}})
		}
		p.log(session, append(list, end())...)
		return must(Session(t.Context(), p.options(), session))(t)
	}
	slow("one", 120_000, 3_000)
	slow("two", 121_000, 122_000)
	must(Session(t.Context(), p.options(), "two"))(t)
	out := slow("three", 119_000, 300_000)
	for _, j := range out.Judgements {
		if j.Signal.Kind() != signal.TimeAnomaly {
			continue
		}
		if j.Candidate == nil || j.Candidate.For != "median 2 min of 6 runs, nine of ten within 5 min" {
			t.Errorf("%s: %+v", j.Verdict, j.Candidate)
		}
		waiting := must(p.w.Drafts().Pending(t.Context()))(t)
		if len(waiting) != 1 || waiting[0].For == "" {
			t.Errorf("review is not told: %+v", waiting)
		}
		return
	}
	t.Errorf("no signal: %+v", out.Judgements)
}
