package hooks

import (
	"context"
	"fmt"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
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
		return j.isBehind(j.dedupe())
	}
	return false
}

// beginsAnew reports whether the event is the start of a session that knows nothing yet.
func (j *job) beginsAnew() bool {
	return j.ev.Kind == event.SessionStart && (j.ev.Source == event.Startup || j.ev.Source == event.Clear)
}

// onlyStart reports whether the event is the start of a session that can't be told later what was not told at its start.
func (j *job) onlyStart() bool { return j.ev.Kind == event.SessionStart && j.agent.StartOnly }

// missed reports whether the session was told nothing at its start, and not since.
func (j *job) missed(dedupe *eventlog.Dedupe) bool { return j.isOwed(dedupe, missedKey, openedKey) }

// opens reports whether the event is answered with what a session is told first.
func (j *job) opens() bool {
	return j.ev.Kind == event.SessionStart || j.ev.Kind == event.Prompt && j.missed(j.dedupe())
}

// startBudget is the time for what a session is told first.
func (j *job) startBudget() time.Duration {
	if j.agent.StartOnly {
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
func (j *job) isBehind(dedupe *eventlog.Dedupe) bool { return j.isOwed(dedupe, behindKey, caughtUpKey) }

// isOwed reports whether the start of the session claimed the one key, and nothing the other since.
func (j *job) isOwed(dedupe *eventlog.Dedupe, since, until string) bool {
	if dedupe == nil || j.stateDir == "" || j.ev.AgentID != "" || !j.ev.Answers {
		return false
	}
	told := j.claimed(dedupe)
	return told[eventlog.Digest(since)] && !told[eventlog.Digest(until)]
}

// waiting reports whether an earlier session waits to be learned from.
func (j *job) waiting(ctx context.Context) bool {
	if j.opt.Waiting == nil {
		return false
	}
	waiting, err := j.opt.Waiting(ctx, j.opt.projectDir(j.ev))
	if err != nil {
		j.note("the pending sessions could not be looked up", err)
	}
	return waiting
}

// missedStart tells, with the first prompt, what the start of the session had no time to say.
func (j *job) missedStart(ctx context.Context, dedupe *eventlog.Dedupe) string {
	if !j.missed(dedupe) {
		return ""
	}
	text := j.opening(ctx, dedupe)
	if ctx.Err() == nil {
		j.claim(dedupe, []string{openedKey})
	}
	return text
}

// learnedLate tells, with the first prompt after it was learned, what the start of the session would have told of the last one.
func (j *job) learnedLate(ctx context.Context, dedupe *eventlog.Dedupe) string {
	if !j.isBehind(dedupe) || j.waiting(ctx) {
		return ""
	}
	text, _ := j.unfinished(ctx, dedupe)
	if ctx.Err() == nil {
		j.claim(dedupe, []string{caughtUpKey})
	}
	return text
}

// catchUp learns from earlier sessions whose agent reported no end, so that this one is told what they left. What takes
// too long waits for later, and the answer does not wait for it: a busy disk may not let go of it in time. wait returns
// once it has ended.
func (j *job) catchUp(ctx context.Context) (wait func()) {
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
	dir, done := j.opt.projectDir(j.ev), make(chan struct{}) // the answer changes the event meanwhile
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
