package folder

import (
	"context"
	"time"

	"manicule/memory/ledger"
)

// Sessions are the sessions of agents in a workspace: what the agents were shown, and
// what was learned. It is safe for concurrent use.
type Sessions interface {
	// Log returns the latest entries, newest first, at most limit.
	Log(ctx context.Context, limit int) ([]SessionEntry, error)
	// Summary returns the summary of a session, false for an unknown id.
	Summary(ctx context.Context, session string) (SessionSummary, bool, error)
	// Watch calls happened for each new event, one call at a time, until ctx ends.
	Watch(ctx context.Context, happened func(SessionEvent)) error
}

// The kinds of a SessionEntry.
const (
	EntryShown   = "shown"   // a memory was shown to an agent
	EntryLearned = "learned" // a candidate was learned from the session
	EntryWritten = "written" // the agent wrote a memory or a draft
	EntryEnded   = "ended"
)

// SessionEntry is one entry in the log of a session.
type SessionEntry struct {
	At      time.Time
	Session string
	Agent   string
	Memory  string // uuid, "" for none
	What    string
	Kind    string
}

// SessionSummary is the result of a session.
type SessionSummary struct {
	Session, Agent string
	Started, Ended time.Time // Ended is the time of the last event if the session did not report its end
	Used           []string  // uuids of the memories that the agent was shown
	Learned        []string  // uuids of its candidates that still wait for review
	Balance        ledger.Balance
}

// The kinds of a SessionEvent.
const (
	SessionEnded     = "ended"
	SessionCompacted = "compacted" // the agent's context was compacted
	StateChanged     = "state"     // candidates or dismissals may have changed
)

// SessionEvent is an event of a session.
type SessionEvent struct {
	Kind           string
	Session, Agent string
	Used, Learned  int // counts, for an ended session
	Balance        ledger.Balance
}

// watchSessions watches the sessions of agents in the folder.
func (f *Folder) watchSessions(ctx context.Context) {
	f.Waiting.Load(ctx)
	err := f.Sessions.Watch(ctx, func(e SessionEvent) { f.handleSessionEvent(ctx, e) })
	if err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("watch the sessions of agents", "root", f.Root, "err", err)
	}
}

func (f *Folder) handleSessionEvent(ctx context.Context, e SessionEvent) {
	if e.Kind != StateChanged {
		f.opts.Events.Session(f, e)
		return
	}
	dismissed, threads := f.Dismissed.Load(ctx), f.OpenThreads.Load(ctx)
	if dismissed || threads { // another window or process changed them
		f.opts.Events.Changed()
	}
	if f.Waiting.Load(ctx) {
		f.opts.Events.ListsChanged()
	}
}
