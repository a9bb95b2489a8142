package hooks

import (
	"context"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory/file"
)

// ownWork is what a session is told of its own work: its drafts, a request that takes long, and the question for lessons.
type ownWork struct{ *answering }

// drafts tells the agent which observations of its session wait for review.
// No other session is told, because only a promoted observation is a memory. It leaves
// out what the agent wrote itself and what follows untrusted text.
func (o ownWork) drafts(ctx context.Context) string {
	room := nudge.MaxQuotes - o.quotes
	if o.opt.Drafts == nil || !o.claims.kept() || o.ev.Kind == event.PreTool || o.ev.AgentID != "" || o.ev.Session == "" || room <= 0 || o.degraded() {
		return ""
	}
	if _, warm := o.recentSteps(); !warm {
		return ""
	}
	list, err := o.opt.Drafts(ctx, o.dir(), o.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			o.note("the session's drafts could not be read", err)
		}
		return ""
	}
	list = slices.DeleteFunc(list, func(m *file.Memory) bool { return m.Trust.Tainted || byAgent(m) })
	if len(list) == 0 || !o.commit() {
		return ""
	}
	var fresh []*file.Memory
	for _, m := range list {
		if len(fresh) < room && o.claims.win("draft\x00"+m.UUID) {
			fresh = append(fresh, m)
		}
	}
	o.quotes += len(fresh)
	return nudge.Drafts(fresh)
}

// byAgent reports whether an agent wrote a draft itself.
func byAgent(m *file.Memory) bool {
	return m.Trust.Origin == file.AgentExplicit || m.Trust.Origin == file.MCPAuto
}

// maxEarlierFacts bounds the notes of earlier sessions that a new one is told.
const maxEarlierFacts = 2

// earlierFacts tells a new session the mechanical facts that an agent of the same user noted
// in an earlier session on this machine: a command, a path, an option, a variable. The
// text says that nobody has reviewed them.
func (e earlierWork) earlierFacts(ctx context.Context) string {
	if e.opt.EarlierDrafts == nil || e.degraded() {
		return ""
	}
	list, err := e.opt.EarlierDrafts(ctx, e.dir(), e.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			e.note("the drafts of earlier sessions could not be read", err)
		}
		return ""
	}
	var fresh []*file.Memory
	for _, m := range list {
		if len(fresh) < maxEarlierFacts && !m.Trust.Tainted && byAgent(m) && nudge.Mechanical(m.What) && e.commit() && e.claims.win("draft\x00"+m.UUID) {
			fresh = append(fresh, m)
		}
	}
	return nudge.EarlierFacts(fresh)
}

// flushQuestion is the question to an agent at the end of its work, if the user enables it.
const flushQuestion = "☞ Manicule asks once: did this work teach something about the code that the next one here would not see from the code itself? " +
	"SAVE, one insight each, with `manicule remember \"…\" --at FILE#Symbol`: a gotcha, a dead end with why it failed, a decision with its reason, a dependency that no import shows. " +
	"DO NOT SAVE what the code, its tests or its rule files say, what was only true today, or a summary of the work. If there is nothing, say NO_DISCOVERIES and end."

// flush asks once in a conversation for lessons, after the agent has changed something.
func (o ownWork) flush() string {
	if !o.opt.Flush || !o.ev.Answers || o.ev.AgentID != "" || !o.claims.kept() {
		return ""
	}
	steps, warm := o.recentSteps()
	changed := slices.ContainsFunc(steps, func(s phase.Step) bool { return s.Class == event.Edit || s.Class == event.Create })
	if !warm || !changed || !o.commit() || !o.claims.win("flush") {
		return ""
	}
	return flushQuestion
}
