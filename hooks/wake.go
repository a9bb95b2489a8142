package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe/fold"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// itemsFor is how long the items of an agent's list, and what waits for a person, are told to the sessions after it. They stay
// in the lists of people.
const itemsFor = 72 * time.Hour

// wake tells a new session what is kept of its agent, of the build that is worked on, and what earlier ones have left open: threads,
// next steps and decisions that concern its branch and its folder; then the lessons for what it is probably for. said is the rest of the answer, which
// is not repeated, and told its memories; it tells what the session toldOf left, "" for none.
func (j *job) wake(ctx context.Context, dedupe *eventlog.Dedupe, said, toldOf, branch string, told []string) string {
	build, doing := j.build()
	unit, about := j.unit()
	text, last := j.left(ctx, dedupe, joinLines(j.identity(ctx), joinLines(unit, build)), said, toldOf)
	return joinLines(text, j.lessons(ctx, dedupe, Intent(about.Title, doing, last, branch), about, text, told))
}

// left tells what earlier sessions left, after what is told before it. Without a thread that is all. It
// returns the last session on the branch, nil for none.
func (j *job) left(ctx context.Context, dedupe *eventlog.Dedupe, before, said, toldOf string) (string, *thread.LastSession) {
	if j.opt.Wake == nil || j.degraded() {
		return before, nil
	}
	b, err := j.opt.Wake(ctx, j.opt.projectDir(j.ev), j.ev.Session, j.ev.Agent)
	if err != nil {
		if ctx.Err() == nil {
			j.note("the threads of earlier sessions could not be read", err)
		}
		return before, nil
	}
	last := b.Last
	b.Threads = slices.DeleteFunc(b.Threads, func(t thread.Thread) bool {
		return t.Observed() && (t.Session == toldOf && !isFurther(&t, said) || (t.Kind == thread.NextStep || t.AwaitsPerson()) && j.opt.Now().Sub(t.Updated) > itemsFor)
	})
	if len(b.Threads) == 0 {
		return before, last
	}
	if b.Last != nil && toldOf != "" && b.Last.Session == toldOf {
		b.Last = nil
	}
	text, shown := nudge.Wake(b, said, before)
	if len(shown) == 0 || !j.commit() {
		return before, last
	}
	var ids []string
	for i := range b.Threads {
		if m := b.Threads[i].Memory; slices.Contains(shown, m.UUID) {
			ids = append(ids, m.ShortID())
		}
	}
	j.ev.Fact(fold.ThreadsFact, strings.Join(ids, " "))
	if b.Last != nil && dedupe != nil {
		var files []string
		for _, f := range b.Last.Edited {
			if strings.Contains(text, f) {
				files = append(files, toldFile(f))
			}
		}
		j.claim(dedupe, files)
	}
	return text, last
}

// isFurther reports whether a thread is a next step of the session of which said tells what it left, and one that said does not have:
// of what its last words list that has the first alone, and of its list the first three.
func isFurther(t *thread.Thread, said string) bool {
	const telling = 60 // the rest may be cut
	what := []rune(nudge.Clean(t.Memory.What))
	return t.Kind == thread.NextStep && !t.AwaitsPerson() && !strings.Contains(said, string(what[:min(telling, len(what))]))
}

// unit tells a new session of the unit of work under way.
func (j *job) unit() (text string, about work.Summary) {
	if j.opt.Work == nil || j.degraded() {
		return "", about
	}
	s, ok, err := j.opt.Work(j.opt.projectDir(j.ev))
	if err != nil {
		j.note("the work under way could not be read", err)
	}
	if !ok || err != nil || !j.commit() {
		return "", about
	}
	j.ev.Fact(fold.WorkFact, s.Key())
	return nudge.UnderWay(s), s
}

// identity tells what is kept of the session's agent.
func (j *job) identity(ctx context.Context) string {
	if j.opt.Identity == nil || j.degraded() {
		return ""
	}
	list, err := j.opt.Identity(ctx, j.opt.projectDir(j.ev), j.ev.Agent)
	if err != nil {
		if ctx.Err() == nil {
			j.note("what is kept of the agent could not be read", err)
		}
		return ""
	}
	text := nudge.Identity(list)
	if text == "" || !j.commit() {
		return ""
	}
	return text
}

func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }
