package hooks

import (
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
	"manicule/memory/secret"
)

const (
	// askedTailBytes is the part of the session's log that is read for the start of a subagent, which stands right before
	// its prompt unless others run beside it.
	askedTailBytes = 16 << 10
	// askedWithin is how soon the prompt of a subagent follows its start, on a busy machine too.
	askedWithin = 30 * time.Second
)

// asksSubagent reports whether a prompt is what the agent asks of a subagent. Some agents send that as a prompt of the
// session, in which nothing tells it from a person's. But it is the next one after the start of the subagent, and a
// model that writes "/remember …" there must not make a person's memory of it.
func asksSubagent(stateDir string, ev event.Event, now time.Time) bool {
	if ev.Kind != event.Prompt || stateDir == "" || ev.Session == "" {
		return false
	}
	records, _, err := eventlog.Tail(stateDir, ev.Session, askedTailBytes)
	if err != nil {
		return false
	}
	var asked []eventlog.Record // of subagents
	// again reports whether a prompt is the copy of another one, by a second hook that is installed.
	again := func(r eventlog.Record) bool {
		last := len(asked) - 1
		return last >= 0 && asked[last].Prompt == r.Prompt && r.Time-asked[last].Time < dedupeWindow.Milliseconds()
	}
	waiting, r := 0, logrecord.Of(ev, now)
	for _, old := range records {
		switch {
		case old.Agent != r.Agent:
		case old.Kind == string(event.SubagentStart) && r.Time-old.Time < askedWithin.Milliseconds():
			waiting++
		case old.Kind == string(event.Prompt) && old.From == event.ByAgent && !again(old):
			waiting = max(0, waiting-1)
			asked = append(asked, old)
		}
	}
	if waiting > 0 || len(asked) == 0 {
		return waiting > 0
	}
	r.Prompt = secret.Mask(r.Prompt) // as the log has it
	return again(r)
}
