package hooks

import (
	"context"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
)

// unfinished tells a new session what the last one on its branch left to do, and names that one. A session that goes on has
// it already.
func (j *job) unfinished(ctx context.Context, dedupe *eventlog.Dedupe) (text, of string) {
	if j.opt.Unfinished == nil || j.ev.Kind == event.SessionStart && !j.beginsAnew() || j.degraded() {
		return "", ""
	}
	w, ok, err := j.opt.Unfinished(ctx, j.opt.projectDir(j.ev), j.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			j.note("the work of the last session could not be read", err)
		}
		return "", ""
	}
	text = nudge.Unfinished(w)
	if !ok || text == "" || !j.commit() || len(j.claim(dedupe, []string{"unfinished\x00" + text})) == 0 {
		return "", ""
	}
	return text, w.Session
}

// noteBranch notes the branch on which the work begins and ends.
func (j *job) noteBranch() {
	switch j.ev.Kind {
	case event.SessionStart, event.Stop, event.SessionEnd:
		if j.opt.Checkout != nil {
			j.ev.Fact("branch", j.opt.Checkout(j.opt.projectDir(j.ev)))
		}
	}
}
