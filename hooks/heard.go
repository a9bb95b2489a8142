package hooks

import (
	"context"

	"manicule/hooks/conversation"
	"manicule/hooks/event"
)

// hear logs what the agent's database of conversations shows and its hooks don't report: prompts,
// results, and a summary that took the place of the context, which is a compaction.
func (c compaction) hear(ctx context.Context) {
	if c.agent.Database.File == "" || !c.claims.kept() || c.ev.AgentID != "" || c.degraded() {
		return
	}
	s := conversation.Session{ID: c.ev.Session, Folder: c.ev.CWD, Database: c.agent.Database}
	err := conversation.Log(ctx, s, c.stateDir, c.claims.file, c.opt.Now(), func(e *event.Event) {
		if e.Kind != event.PreCompact {
			return
		}
		c.claims.reset()
		if e.Text = c.inProgress(); e.Text != "" {
			c.claims.claim(compactedKey)
		}
	})
	if err != nil {
		c.note("the agent's database could not be logged", err)
	}
}
