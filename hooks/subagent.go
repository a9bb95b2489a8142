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
	// its prompt unless others run beside it: those log a kilobyte for each of their calls.
	askedTailBytes = 256 << 10
	// askedWithin is how soon the prompt of a subagent follows its start, on a busy machine too, where the call that
	// started it does not tell what it asks.
	askedWithin = 30 * time.Second
)

// asksSubagent reports whether a prompt is what the agent asks of a subagent. Some agents send that as a prompt of the
// session, in which nothing tells it from a person's. But the call that started the subagent asks for the same, however long
// ago that was while the log is short, or it is the next prompt after the start. A model that writes "/remember …" there must
// not make a person's memory of it.
func asksSubagent(stateDir string, ev event.Event, now time.Time) bool {
	if ev.Kind != event.Prompt || stateDir == "" || ev.Session == "" {
		return false
	}
	records, _, err := eventlog.Tail(stateDir, ev.Session, askedTailBytes,
		`"`+event.AsksFact+`":`, `"kind":"`+string(event.SubagentStart)+`"`, `"kind":"`+string(event.Prompt)+`"`)
	if err != nil {
		return false
	}
	var asked []eventlog.Record // of subagents
	// again reports whether a prompt is the copy of another one, by a second hook that is installed.
	again := func(r eventlog.Record) bool {
		last := len(asked) - 1
		return last >= 0 && asked[last].Prompt == r.Prompt && r.Time-asked[last].Time < dedupeWindow.Milliseconds()
	}
	r, asks := logrecord.Of(ev, now), event.Digest(ev.Prompt)
	r.Prompt = secret.Mask(r.Prompt) // as the log has it
	waiting, same := 0, 0            // subagents without a prompt so far: the new ones, and those that were asked for this
	calls := map[string]string{}     // what they ask for, by their ids
	for _, old := range records {
		switch {
		case old.Agent != r.Agent:
		case old.Facts[event.SubagentFact] != "":
			calls[old.Facts[event.SubagentFact]] = old.Facts[event.AsksFact]
		case old.Kind == string(event.SubagentStart):
			if r.Time-old.Time < askedWithin.Milliseconds() {
				waiting++
			}
			if asks != "" && calls[old.AgentID] == asks {
				same++
			}
		case old.Kind == string(event.Prompt) && old.From == event.ByAgent && !again(old):
			waiting = max(0, waiting-1)
			if old.Prompt == r.Prompt {
				same = max(0, same-1)
			}
			asked = append(asked, old)
		}
	}
	return waiting > 0 || same > 0 || again(r)
}
