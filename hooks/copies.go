package hooks

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// copyTailBytes is the part of the session's log in which the first copy of an event is looked for. It stands at the end,
// unless other calls run beside it.
const copyTailBytes = 8 << 10

// copied reports whether another hook has logged the same event, given as the log has it: with secrets masked and texts cut.
// Agents that share folders of hooks, or read those of others, run each one that is installed, and what a person asked once
// would count as asked twice. It is called while the log is locked, so two hooks that run at once don't both find nothing.
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

// isCopy reports whether two records are of one event: calls with the same ids, which some models count anew in each answer,
// the start of a session or a subagent, or a prompt that says the same.
func isCopy(old, r eventlog.Record) bool {
	if old.Kind != r.Kind || old.Name != r.Name || old.AgentID != r.AgentID || old.Agent != r.Agent || r.Time-old.Time >= dedupeWindow.Milliseconds() {
		return false
	}
	switch kind := event.Kind(r.Kind); {
	case kind.Tool():
		return len(r.Calls) > 0 && slices.EqualFunc(old.Calls, r.Calls, isSameCall)
	case kind == event.SessionStart, kind == event.SubagentStart, kind == event.Prompt:
		return old.Prompt == r.Prompt && old.From == r.From && old.Source == r.Source
	}
	return false
}

// isSameCall reports whether two calls have the same id and ask for the same.
func isSameCall(a, b eventlog.Call) bool {
	return a.ID != "" && a.ID == b.ID && a.Tool == b.Tool && slices.Equal(a.Paths, b.Paths) && a.Command == b.Command &&
		a.Query == b.Query && a.URL == b.URL && a.Before == b.Before && a.After == b.After
}
