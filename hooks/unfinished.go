package hooks

import (
	"context"

	"manicule/hooks/event"
	"manicule/hooks/nudge"
	"manicule/memory/thread"
)

// unfinished tells a new session what the last one on its branch left to do, with the ids of those of the waiting threads that say the
// same, and names that one. It leaves room for kept, which is told with it. A session that goes on has it already.
func (e earlierWork) unfinished(ctx context.Context, waiting []thread.Thread, kept string) (text, of string) {
	if e.opt.Unfinished == nil || e.ev.Kind == event.SessionStart && !e.beginsAnew() || e.degraded() {
		return "", ""
	}
	w, ok, err := e.opt.Unfinished(ctx, e.dir(), e.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			e.note("the work of the last session could not be read", err)
		}
		return "", ""
	}
	text = nudge.Unfinished(w)
	if !ok || text == "" || !e.commit() || !e.claims.win("unfinished\x00"+text) {
		return "", ""
	}
	var ids []string
	for i := range waiting {
		if isTold(&waiting[i], text, w.Session) {
			ids = append(ids, waiting[i].Memory.ShortID())
		}
	}
	e.inherits(ids)
	return nudge.AsThreads(nudge.Within(text, kept), ids), w.Session
}

// noteBranch notes the branch on which the work begins and ends.
func (j *job) noteBranch() {
	switch j.ev.Kind {
	case event.SessionStart, event.Stop, event.SessionEnd:
		if j.opt.Checkout != nil {
			j.ev.Fact("branch", j.opt.Checkout(j.dir()))
		}
	}
}
