package folder

import (
	"context"
	"strings"
	"time"
)

// Sessions is what the server may know of the sessions of agents in a workspace:
// what they were told and what was learned from them. It is safe for concurrent
// use.
type Sessions interface {
	// Log lists what happened, newest first, at most limit entries.
	Log(ctx context.Context, limit int) ([]SessionEntry, error)
	// Summary says what a session came to, false where there is none of that id.
	Summary(ctx context.Context, session string) (SessionSummary, bool, error)
	// Watch calls happened, one call after another, for what happens from now on,
	// until ctx ends.
	Watch(ctx context.Context, happened func(SessionEvent)) error
}

// The kinds of a SessionEntry.
const (
	EntryShown   = "shown"   // a memory was put before an agent
	EntryLearned = "learned" // watching the session suggests something
	EntryWritten = "written" // the agent wrote a memory or a draft
	EntryEnded   = "ended"
)

// SessionEntry is one thing that happened in a session.
type SessionEntry struct {
	At      time.Time
	Session string
	Agent   string
	Memory  string // uuid, "" where it is about none
	What    string
	Kind    string
}

// SessionSummary is what a session came to.
type SessionSummary struct {
	Session, Agent string
	Started, Ended time.Time // Ended is the last event where the session has not said so
	Used           []string  // uuids of the memories that the agent was told
	Learned        []string  // uuids of the candidates that came from it and still wait
	Tokens         int       // that the answers which told the agent of them took, estimated
}

// The kinds of a SessionEvent.
const (
	SessionEnded     = "ended"
	SessionCompacted = "compacted" // the agent's context was cut
	StateChanged     = "state"     // what this machine knows may have changed: candidates, dismissals
)

// SessionEvent is something that happened just now.
type SessionEvent struct {
	Kind           string
	Session, Agent string
	Used, Learned  int // of an ended session
}

// watchSessions watches the agents' sessions of the folder.
func (f *Folder) watchSessions(ctx context.Context) {
	f.pending, _ = f.candidates(ctx)
	err := f.Sessions.Watch(ctx, func(e SessionEvent) { f.happened(ctx, e) })
	if err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("watch the sessions of agents", "root", f.Root, "err", err)
	}
}

func (f *Folder) happened(ctx context.Context, e SessionEvent) {
	if e.Kind != StateChanged {
		f.opts.Events.Session(f, e)
		return
	}
	if f.LoadDismissed(ctx) { // in another window
		f.opts.Events.Changed()
	}
	now, err := f.candidates(ctx)
	if err == nil && now != f.pending {
		f.pending = now
		f.opts.Events.ListsChanged()
	}
}

// candidates names the folder's candidates and their versions.
func (f *Folder) candidates(ctx context.Context) (string, error) {
	list, err := f.Memories.Candidates(ctx)
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.Memory.UUID + c.Memory.UpdatedAt.String() + "\n")
	}
	return b.String(), err
}
