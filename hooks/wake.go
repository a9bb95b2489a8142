package hooks

import (
	"context"

	"manicule/hooks/nudge"
)

// wake tells a new session what earlier ones have left open: threads, next steps and
// decisions that concern its branch and its folder. said is the rest of the answer, which
// is not repeated. Without a thread there is no text.
func (j *job) wake(ctx context.Context, said string) string {
	if j.opt.Wake == nil || j.degraded() {
		return ""
	}
	b, err := j.opt.Wake(ctx, j.opt.projectDir(j.ev), j.ev.Session)
	if err != nil {
		if ctx.Err() == nil {
			j.note("the threads of earlier sessions could not be read", err)
		}
		return ""
	}
	if len(b.Threads) == 0 {
		return ""
	}
	text, shown := nudge.Wake(b, said)
	if len(shown) == 0 || !j.commit() {
		return ""
	}
	return text
}
