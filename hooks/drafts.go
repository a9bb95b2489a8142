package hooks

import (
	"context"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory/file"
)

// drafts tells the agent which observations of its session wait for review.
// No other session is told, because only a promoted observation is a memory. It leaves
// out what the agent wrote itself and what follows untrusted text.
func (j *job) drafts(ctx context.Context, dedupe *eventlog.Dedupe) string {
	room := nudge.MaxQuotes - j.quotes
	if j.opt.Drafts == nil || dedupe == nil || j.ev.Kind == event.PreTool || j.ev.AgentID != "" || j.ev.Session == "" || room <= 0 || j.degraded() {
		return ""
	}
	if _, warm := j.recentSteps(); !warm {
		return ""
	}
	list, err := j.opt.Drafts(ctx, j.opt.projectDir(j.ev), j.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			j.note("the session's drafts could not be read", err)
		}
		return ""
	}
	list = slices.DeleteFunc(list, func(m *file.Memory) bool { return m.Trust.Tainted || byAgent(m) })
	if len(list) == 0 || !j.commit() {
		return ""
	}
	var fresh []*file.Memory
	for _, m := range list {
		if len(fresh) < room && len(j.claim(dedupe, []string{"draft\x00" + m.UUID})) > 0 {
			fresh = append(fresh, m)
		}
	}
	j.quotes += len(fresh)
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
func (j *job) earlierFacts(ctx context.Context, dedupe *eventlog.Dedupe) string {
	if j.opt.EarlierDrafts == nil || j.degraded() {
		return ""
	}
	list, err := j.opt.EarlierDrafts(ctx, j.opt.projectDir(j.ev), j.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			j.note("the drafts of earlier sessions could not be read", err)
		}
		return ""
	}
	var fresh []*file.Memory
	for _, m := range list {
		if len(fresh) < maxEarlierFacts && !m.Trust.Tainted && byAgent(m) && nudge.Mechanical(m.What) && j.commit() && len(j.claim(dedupe, []string{"draft\x00" + m.UUID})) > 0 {
			fresh = append(fresh, m)
		}
	}
	return nudge.EarlierFacts(fresh)
}

// Flush is the question to an agent at the end of its work, if the user enables it.
const Flush = "☞ Manicule asks once: did this work teach something about the code that the next one here would not see from the code itself? " +
	"SAVE, one insight each, with `manicule remember \"…\" --at FILE#Symbol`: a gotcha, a dead end with why it failed, a decision with its reason, a dependency that no import shows. " +
	"DO NOT SAVE what the code, its tests or its rule files say, what was only true today, or a summary of the work. If there is nothing, say NO_DISCOVERIES and end."

// flush asks once in a conversation for lessons, after the agent has changed something.
func (j *job) flush(dedupe *eventlog.Dedupe) string {
	if !j.opt.Flush || !j.ev.Answers || j.ev.AgentID != "" || dedupe == nil {
		return ""
	}
	steps, warm := j.recentSteps()
	changed := slices.ContainsFunc(steps, func(s phase.Step) bool { return s.Class == event.Edit || s.Class == event.Create })
	if !warm || !changed || !j.commit() || len(j.claim(dedupe, []string{"flush"})) == 0 {
		return ""
	}
	return Flush
}
