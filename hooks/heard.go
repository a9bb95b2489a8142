package hooks

import (
	"context"

	"manicule/hooks/conversation"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// hear logs what the agent's database of conversations shows and its hooks don't report: prompts,
// results, and a summary that took the place of the context, which is a compaction.
func (j *job) hear(ctx context.Context, dedupe *eventlog.Dedupe) {
	if j.agent.Database.File == "" || dedupe == nil || j.ev.AgentID != "" || j.degraded() {
		return
	}
	s := conversation.Session{ID: j.ev.Session, Folder: j.ev.CWD, Database: j.agent.Database}
	err := conversation.Log(ctx, s, j.stateDir, dedupe, j.opt.Now(), func(e *event.Event) {
		if e.Kind != event.PreCompact {
			return
		}
		j.reset(dedupe)
		if e.Text = j.inProgress(); e.Text != "" {
			j.claim(dedupe, []string{compactedKey})
		}
	})
	if err != nil {
		j.note("the agent's database could not be logged", err)
	}
}
