package hooks

import (
	"context"
	"encoding/hex"
	"io"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
)

// answering is one event while its answer is composed. The parts of an answer embed it; [responder] lists them.
type answering struct {
	process
	ev     event.Event
	claims claims
	account
	// told is what a session's start tells of earlier ones, and purpose what the session is for, "" for what is under way.
	told    Opening
	purpose string
	// commitsRead is set if the commits of people were read.
	commitsRead bool
	// behind is set if an earlier session was still to be learned from when the answer was due.
	behind bool
	// noneWaits is set once no earlier session was found that waits to be learned from: to look costs time.
	noneWaits bool
}

// dir returns the folder that the session works in.
func (a *answering) dir() string { return a.opt.projectDir(a.ev) }

// level returns the level of trust that the person has set.
func (a *answering) level() trustLevel { return trustLevel(a.opt.TrustLevel) }

// openClaims opens what was told in the conversation of the event, if anything is kept of it.
func (a *answering) openClaims() {
	if a.stateDir == "" || a.ev.Session == "" {
		return
	}
	var mark [6]byte
	if _, err := io.ReadFull(a.opt.Random, mark[:]); err != nil {
		a.note("no random bytes", err)
		return
	}
	a.claims.file = eventlog.Conversation{StateDir: a.stateDir, Session: a.ev.Session, Agent: a.ev.AgentID}.Dedupe(hex.EncodeToString(mark[:]))
}

// setFallback sets the answer for a missed deadline. Its memories are claimed already.
func (a *answering) setFallback(text string) {
	if text == "" {
		return
	}
	out := a.agent.Wire.Render(a.ev, nudge.Cap(text, nudge.HardLimit))
	a.mu.Lock()
	a.fallback = out
	a.mu.Unlock()
}

func (a *answering) untilDeadline(ctx context.Context) context.Context {
	budget := otherBudget
	switch {
	case a.ev.Kind.Tool():
		budget = toolBudget
	case isRemember(a.ev.Prompt), isForgetting(a.ev.Prompt):
		budget = rememberBudget
	case a.opens():
		budget = a.startBudget()
	}
	return softDeadline{ctx, time.Now().Add(a.opt.remaining(budget))}
}

// softDeadline is a context with the deadline of an event, for callers that do less in
// less time. It is not cancelled then, because the timer of Run decides that.
type softDeadline struct {
	context.Context
	end time.Time
}

// Deadline returns the deadline.
func (u softDeadline) Deadline() (time.Time, bool) { return u.end, true }
