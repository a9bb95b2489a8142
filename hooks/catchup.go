package hooks

import (
	"context"
	"fmt"
	"time"

	"manicule/hooks/event"
	"manicule/indexer/fault"
)

// behindKey is claimed at a start of a session that had no time to learn from an earlier one, caughtUpKey when that
// was learned from. missedKey is claimed at a start that said nothing in time, openedKey when a prompt said it.
const (
	behindKey   = "behind"
	caughtUpKey = "caught up"
	missedKey   = "missed"
	openedKey   = "opened"
)

// catchesUp reports whether the event is one at which to learn from earlier sessions: the start of a session, or a
// prompt of one whose start had too little time for it.
func (j *job) catchesUp() bool {
	switch j.ev.Kind {
	case event.SessionStart:
		return true
	case event.Prompt:
		return j.isBehind()
	}
	return false
}

// beginsAnew reports whether the event is the start of a session that knows nothing yet.
func (a *answering) beginsAnew() bool {
	return a.ev.Kind == event.SessionStart && (a.ev.Source == event.Startup || a.ev.Source == event.Clear)
}

// onlyStart reports whether the event is the start of a session that can't be told later what was not told at its start.
func (j *job) onlyStart() bool { return j.ev.Kind == event.SessionStart && j.agent.StartOnly }

// missed reports whether the session was told nothing at its start, and not since.
func (a *answering) missed() bool { return a.isOwed(missedKey, openedKey) }

// opens reports whether the event is answered with what a session is told first.
func (a *answering) opens() bool {
	return a.ev.Kind == event.SessionStart || a.ev.Kind == event.Prompt && a.missed()
}

// startBudget is the time for what a session is told first.
func (a *answering) startBudget() time.Duration {
	if a.agent.StartOnly {
		return onlyStartBudget
	}
	return startBudget
}

// rests reports whether the event is one after which a session is learned from: its end or, where no event tells that,
// the end of a turn. What follows is learned with the next one.
func (j *job) rests() bool {
	return j.ev.Kind == event.SessionEnd || j.ev.Kind == event.Stop && j.agent.EndsAtRest
}

// isBehind reports whether the session was not told what the one before it left, because that was still to be learned from.
func (a *answering) isBehind() bool { return a.isOwed(behindKey, caughtUpKey) }

// isOwed reports whether the start of the session claimed the one key, and nothing the other since.
func (a *answering) isOwed(since, until string) bool {
	if !a.claims.kept() || a.stateDir == "" || a.ev.AgentID != "" || !a.ev.Answers {
		return false
	}
	return a.claims.owes(since, until)
}

// waiting reports whether an earlier session waits to be learned from.
func (a *answering) waiting(ctx context.Context) bool {
	if a.opt.Waiting == nil || a.noneWaits {
		return false
	}
	waiting, err := a.opt.Waiting(ctx, a.dir())
	if err != nil {
		a.note("the pending sessions could not be looked up", err)
	}
	a.noneWaits = err == nil && !waiting
	return waiting
}

// missedStart tells, with the first prompt, what the start of the session had no time to say.
func (b brief) missedStart(ctx context.Context) string {
	if !b.missed() {
		return ""
	}
	text := b.opening(ctx)
	if ctx.Err() == nil {
		b.claims.claim(openedKey)
	}
	return text
}

// learnedLate tells, with the first prompt after it was learned, what the start of the session would have told of the last one.
func (e earlierWork) learnedLate(ctx context.Context) string {
	if !e.isBehind() || e.waiting(ctx) {
		return ""
	}
	text, _ := e.unfinished(ctx, e.waits(ctx).Threads, "")
	if ctx.Err() == nil {
		e.claims.claim(caughtUpKey)
	}
	return text
}

// catchUp learns from earlier sessions whose agent reported no end, so that this one is told what they left. What takes
// too long waits for later, and the answer does not wait for it: a busy disk may not let go of it in time. wait returns
// once it has ended.
func (j *job) catchUp(ctx context.Context) (wait func()) {
	if j.noneWaits {
		return func() {}
	}
	limit := catchUpBudget
	if j.onlyStart() {
		limit = longCatchUpBudget
	}
	budget := otherBudget
	if j.opens() {
		budget = j.startBudget()
	}
	left := min(j.opt.part(limit), j.opt.remaining(budget)-answerReserve)
	if left <= 0 {
		j.behind = j.waiting(ctx)
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	dir, done := j.dir(), make(chan struct{}) // the answer changes the event meanwhile
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				j.note("panic", fmt.Errorf("%v at %s", p, fault.Place()))
			}
		}()
		if j.opt.Waiting != nil {
			if waiting, err := j.opt.Waiting(ctx, dir); err == nil && !waiting {
				return
			}
		}
		j.learn(ctx, dir, "")
	}()
	select {
	case <-done:
		j.behind = ctx.Err() != nil
	case <-j.opt.After(left):
		j.behind = true
	}
	return func() { <-done }
}
