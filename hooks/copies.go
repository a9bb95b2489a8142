package hooks

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// copyTailBytes is the part of the session's log in which the first copy of an event is looked for. It stands at the end,
// unless other calls run beside it.
const copyTailBytes = 8 << 10

// copied reports whether another hook has logged the same event. Agents that share folders of hooks, or read those of
// others, run each one that is installed, and what a person asked once would count as asked twice.
func copied(dir string, r eventlog.Record) bool {
	records, _, err := eventlog.Tail(dir, r.Session, copyTailBytes)
	if err != nil {
		return false // then it is logged, perhaps once more
	}
	if !event.Kind(r.Kind).Tool() && len(records) > 0 {
		records = records[len(records)-1:] // a person may ask the same again, after the agent has done something
	}
	return slices.ContainsFunc(records, func(old eventlog.Record) bool { return isCopy(old, r) })
}

// isCopy reports whether two records are of one event: of calls by their ids, of the start of a session or a subagent, or of
// a prompt by what it says.
func isCopy(old, r eventlog.Record) bool {
	if old.Kind != r.Kind || old.Name != r.Name || old.AgentID != r.AgentID || old.Agent != r.Agent {
		return false
	}
	switch kind := event.Kind(r.Kind); {
	case kind.Tool():
		return len(r.Calls) > 0 && slices.EqualFunc(old.Calls, r.Calls, func(a, b eventlog.Call) bool { return a.ID != "" && a.ID == b.ID })
	case kind == event.SessionStart, kind == event.SubagentStart, kind == event.Prompt:
		return old.Prompt == r.Prompt && old.From == r.From && old.Source == r.Source && r.Time-old.Time < dedupeWindow.Milliseconds()
	}
	return false
}
