package observe

import (
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/unfinished"
)

// A request that the program answered with an error waits, and its words are no step.
func TestARequestThatTheProgramAnsweredWaits(t *testing.T) {
	work := func(answer string) unfinished.Work {
		f := New("/repo")
		f.Add(eventlog.Record{Kind: string(event.Prompt), Prompt: "add a retry to the upload"})
		f.Add(eventlog.Record{Kind: string(event.Stop), Text: "The upload retries three times now."})
		f.Add(eventlog.Record{Kind: string(event.Prompt), Prompt: "report on the firewall of the staging host"})
		f.Add(eventlog.Record{Kind: string(event.Stop), Text: answer})
		return f.Report().Work
	}
	w := work("Request timed out")
	if len(w.Waits) != 1 || w.Waits[0].About != "report on the firewall of the staging host" {
		t.Errorf("a request that timed out leaves %+v", w.Waits)
	}
	if w := work("Invalid API key · Please run /login"); len(w.Words) > 0 {
		t.Errorf("an error of the program leaves the steps %q", w.Words)
	}
	if w := work("Port 22 is open, all others are closed."); len(w.Waits) > 0 {
		t.Errorf("a request that was answered leaves %+v", w.Waits)
	}

	f := New("/repo")
	f.Add(eventlog.Record{Kind: string(event.Prompt), Prompt: "move the queue to Postgres"})
	ok := true
	f.Add(eventlog.Record{Kind: string(event.PostTool), Calls: []eventlog.Call{{Tool: "Read", Class: string(event.Read), Paths: []string{"queue.go"}, OK: &ok}}})
	f.Add(eventlog.Record{Kind: string(event.Stop), Text: "You've hit your limit · resets 9pm (Africa/Nairobi)"})
	if w := f.Report().Work; len(w.Waits) != 1 || w.Waits[0].About != "move the queue to Postgres" || !w.Cut {
		t.Errorf("a request that was broken off leaves %+v, cut %t", w.Waits, w.Cut)
	}
}
