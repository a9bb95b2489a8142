package hooks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/nudge"
	"manicule/hooks/observe/fold"
	"manicule/indexer/clip"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// itemsFor is how long the items of an agent's list, and what waits for a person, are told to the sessions after it. They stay
// in the lists of people.
const itemsFor = 72 * time.Hour

// summaryFor is how long what a session says that came of it is told.
const summaryFor = 14 * 24 * time.Hour

// earlierWork is what a session is told of the work of earlier ones.
type earlierWork struct{ *answering }

// tell says to a new session what is kept of its agent and of the work under way, what earlier sessions left (threads, next steps and
// decisions that concern its branch and its folder), the lessons for what it is probably for, and then what the last session left
// unfinished. All of it shares one budget, with first, which begins the text. said is the rest of the answer, which is not repeated, and
// told its memories.
func (e earlierWork) tell(ctx context.Context, first, said, branch string, told []string) (text, unfinished string) {
	b := e.waits(ctx)
	e.told.Waiting = b
	build, doing := e.build()
	unit, about := e.unit()
	kept := joinLines(joinLines(first, e.identity(ctx)), joinLines(unit, build))
	unfinished, of := e.unfinished(ctx, b.Threads, kept)
	text = e.left(b, joinParts(said, unfinished), of, nudge.Beside{Before: kept, After: unfinished})
	intent := cmp.Or(e.purpose, Intent(about.Title, doing, b.Last, branch))
	e.told.Intent = intent
	text = joinLines(text, e.lessons(ctx, intent, about, joinLines(text, unfinished), told))
	if len(e.told.Threads) > 0 && !strings.Contains(text, nudge.CloseThread) {
		unfinished = joinParts(unfinished, nudge.CloseThread)
	}
	return text, unfinished
}

// waits returns what earlier sessions have left open.
func (e earlierWork) waits(ctx context.Context) thread.Bundle {
	if e.opt.Wake == nil || e.degraded() {
		return thread.Bundle{}
	}
	b, err := e.opt.Wake(ctx, e.dir(), e.ev.Session, e.ev.Agent)
	if err != nil {
		if ctx.Err() == nil {
			e.note("the threads of earlier sessions could not be read", err)
		}
		return thread.Bundle{}
	}
	return b
}

// left tells what earlier sessions left, after what is told before it. Without a thread, and a word of the last session about itself,
// that is all. said, the rest of the answer, tells what the session toldOf left.
func (e earlierWork) left(b thread.Bundle, said, toldOf string, beside nudge.Beside) string {
	b.Threads = slices.DeleteFunc(slices.Clone(b.Threads), func(t thread.Thread) bool {
		return isTold(&t, said, toldOf) || t.Observed() && (t.Kind == thread.NextStep || t.AwaitsPerson()) && e.opt.Now().Sub(t.Updated) > itemsFor
	})
	if b.Last != nil && e.opt.Now().Sub(b.Last.Ended) > summaryFor {
		last := *b.Last
		last.Summary, b.Last = "", &last
	}
	summed := b.Last != nil && b.Last.Summary != ""
	if len(b.Threads) == 0 && !summed {
		return beside.Before
	}
	if b.Last != nil && toldOf != "" && b.Last.Session == toldOf && !summed {
		b.Last = nil
	}
	text, shown := nudge.Wake(b, said, beside)
	if len(shown) == 0 && !summed || !e.commit() {
		return beside.Before
	}
	var ids []string
	for i := range b.Threads {
		if m := b.Threads[i].Memory; slices.Contains(shown, m.UUID) {
			ids = append(ids, m.ShortID())
		}
	}
	e.inherits(ids)
	if b.Last != nil && e.claims.kept() {
		var files []string
		for _, f := range b.Last.Edited {
			if strings.Contains(text, f) {
				files = append(files, toldFile(f))
			}
		}
		e.claims.claim(files...)
	}
	return text
}

// inherits notes that the session is told of threads.
func (e earlierWork) inherits(ids []string) {
	list := &e.told.Threads
	*list = append(*list, ids...)
	e.ev.Fact(fold.ThreadsFact, strings.Join(*list, " "))
}

// isTold reports whether said, which tells what the session toldOf left, has a thread that was found in that session.
func isTold(t *thread.Thread, said, toldOf string) bool {
	return toldOf != "" && t.Observed() && t.Session == toldOf && !isFurther(t, said)
}

// isFurther reports whether a thread is a next step of the session of which said tells what it left, and one that said does not have:
// of what its last words list that has the first alone, and of its list the first three.
func isFurther(t *thread.Thread, said string) bool {
	const telling = 60 // the rest may be cut
	return t.Kind == thread.NextStep && !t.AwaitsPerson() && !strings.Contains(said, clip.Chars(nudge.Clean(t.Memory.What), telling))
}

// unit tells a new session of the unit of work under way.
func (e earlierWork) unit() (text string, about work.Summary) {
	if e.opt.Work == nil || e.degraded() {
		return "", about
	}
	s, ok, err := e.opt.Work(e.dir())
	if err != nil {
		e.note("the work under way could not be read", err)
	}
	if !ok || err != nil || !e.commit() {
		return "", about
	}
	e.ev.Fact(fold.WorkFact, s.Key())
	return nudge.UnderWay(s), s
}

// identity tells what is kept of the session's agent.
func (e earlierWork) identity(ctx context.Context) string {
	if e.opt.Identity == nil || e.degraded() {
		return ""
	}
	list, err := e.opt.Identity(ctx, e.dir(), e.ev.Agent)
	if err != nil {
		if ctx.Err() == nil {
			e.note("what is kept of the agent could not be read", err)
		}
		return ""
	}
	text := nudge.Identity(list)
	if text == "" || !e.commit() {
		return ""
	}
	return text
}

func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }
