package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/lsp/render"

	"manicule/lsp/rpc"
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

// The notifications of our own, for clients that know them.
const (
	noteChanged   = "manicule/changed"
	noteEnded     = "manicule/sessionEnded"
	noteCompacted = "manicule/compacted"
)

// changedAfter is how long changes must rest before a client is told.
const changedAfter = 300 * time.Millisecond

// changes tells a client with extensions that what its panels show is out of
// date, once for all changes that come close together.
type changes struct {
	server *server

	mu    sync.Mutex
	timer *time.Timer // guarded by mu; nil while nothing waits
	ended bool        // guarded by mu
}

func newChanges(s *server) *changes { return &changes{server: s} }

// soon has the client told. A change that comes while it waits does not make it
// wait longer: a long indexing would never be shown.
func (c *changes) soon() {
	s := c.server
	if s.phase.Load() != running || !s.client.Capabilities.Extensions {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil || c.ended {
		return
	}
	c.timer = time.AfterFunc(s.opts.ChangedAfter, func() {
		c.mu.Lock()
		c.timer = nil
		c.mu.Unlock()
		s.client.Notify(noteChanged, struct{}{})
	})
}

func (c *changes) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// sessionWatch is what follows the sessions of a folder.
type sessionWatch struct {
	sessions Sessions // nil where nothing is known of them
	waiting  string   // the candidates that were there last; used by one call at a time
}

// followSessions watches the agents' sessions of a folder that was opened.
func (s *server) followSessions(ctx context.Context, f *folder) {
	if f.learned.sessions == nil {
		return
	}
	s.spawn(func(context.Context) {
		f.learned.waiting, _ = s.waiting(ctx, f)
		err := f.learned.sessions.Watch(ctx, func(e SessionEvent) { s.happened(ctx, f, e) })
		if err != nil && ctx.Err() == nil {
			s.log.Warn("watch the sessions of agents", "root", f.root, "err", err)
		}
	})
}

// waiting names the candidates of a folder.
func (s *server) waiting(ctx context.Context, f *folder) (string, error) {
	list, err := f.mem.Candidates(ctx)
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.Memory.UUID + c.Memory.UpdatedAt.String() + "\n")
	}
	return b.String(), err
}

func (s *server) happened(ctx context.Context, f *folder, e SessionEvent) {
	switch e.Kind {
	case StateChanged:
		if s.loadDismissed(ctx, f) { // in another window
			s.markStale()
		}
		now, err := s.waiting(ctx, f)
		if err == nil && now != f.learned.waiting {
			f.learned.waiting = now
			s.changes.soon()
		}
	case SessionCompacted:
		if s.client.Capabilities.Extensions {
			s.client.Notify(noteCompacted, map[string]string{"session": e.Session, "agent": e.Agent})
			return
		}
		s.log.Info("the context of an agent was compacted", "agent", e.Agent, "session", e.Session)
	case SessionEnded:
		s.changes.soon()
		if s.client.Capabilities.Extensions {
			s.client.Notify(noteEnded, map[string]any{"session": e.Session, "agent": e.Agent, "used": e.Used, "learned": e.Learned})
			return
		}
		s.spawn(func(ctx context.Context) { s.offerReview(ctx, f, e) })
	}
}

// titles of the answers to offerReview's question.
const (
	titleReview = "Review"
	titleLater  = "Later"
)

// quietLevel is the trust level from which on nobody is asked at a session's end.
const quietLevel = 4

// offerReview asks whether to look at what a session has taught. A session that
// taught nothing asks nobody.
func (s *server) offerReview(ctx context.Context, f *folder, e SessionEvent) {
	r := s.background()
	if e.Learned == 0 || r.trustLevel(ctx) >= quietLevel {
		return
	}
	question := fmt.Sprintf("Manicule: the %s session used %s and suggests %s to remember.", e.Agent, render.Memories(e.Used), render.Plural(e.Learned, "thing"))
	if s.client.Choose(ctx, question, titleReview, titleLater) != titleReview {
		return
	}
	list, err := f.mem.Candidates(ctx)
	if err != nil {
		s.log.Warn("list what waits for review", "root", f.root, "err", err)
		return
	}
	var b strings.Builder
	b.WriteString("Manicule, to review:")
	for _, c := range list[:min(len(list), maxTitles)] {
		fmt.Fprintf(&b, "\n%s: %s (%s)", c.Memory.Type.Label(), render.OneLine(c.Memory.What, 120), c.Memory.UUID)
	}
	if n := len(list) - maxTitles; n > 0 {
		fmt.Fprintf(&b, "\n… %d more", n)
	}
	fmt.Fprintf(&b, "\nRun %s or %s with the id, or `manicule review` in a terminal.", cmdAccept, cmdReject)
	s.client.Info(b.String())
}

// background is a request that nobody made.
func (s *server) background() *request {
	return &request{server: s, snap: s.session.Snapshot(), settings: s.settings.Load()}
}

// logItem is one entry in the answer of manicule/log.
type logItem struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Memory  string    `json:"memory,omitzero"`
	What    string    `json:"what"`
	Kind    string    `json:"kind"`
}

// How many entries of the log are answered.
const (
	defaultLog = 200
	mostLog    = 5000
)

func (r *request) sessionLog(ctx context.Context, p panelParams) (any, error) {
	limit := defaultLog
	if p.Limit != nil {
		limit = *p.Limit
	}
	if limit < 1 || limit > mostLog {
		return nil, rpc.InvalidParams("limit must be from 1 to %d, not %d", mostLog, limit)
	}
	folders, err := r.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Entries []logItem `json:"entries"`
	}{[]logItem{}}
	for _, f := range folders {
		if f.learned.sessions == nil {
			continue
		}
		list, err := f.learned.sessions.Log(ctx, limit)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			answer.Entries = append(answer.Entries, logItem{e.At.UTC(), e.Session, e.Agent, e.Memory, render.Printable(e.What), e.Kind})
		}
	}
	slices.SortStableFunc(answer.Entries, func(a, b logItem) int { return b.At.Compare(a.At) })
	answer.Entries = answer.Entries[:min(limit, len(answer.Entries))]
	return answer, nil
}

// summaryItem is the answer of manicule/sessionSummary.
type summaryItem struct {
	Session   string          `json:"session"`
	Agent     string          `json:"agent"`
	StartedAt time.Time       `json:"startedAt"`
	EndedAt   time.Time       `json:"endedAt"`
	Used      []item          `json:"used"`
	Learned   []candidateItem `json:"learned"`
	Tokens    int             `json:"tokens"`
}

func (r *request) sessionSummary(ctx context.Context, p panelParams) (any, error) {
	if strings.TrimSpace(p.Session) == "" {
		return nil, rpc.InvalidParams("session is missing: it names the session")
	}
	for _, f := range r.folders.all(ctx) {
		if f.learned.sessions == nil {
			continue
		}
		s, ok, err := f.learned.sessions.Summary(ctx, p.Session)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		out := summaryItem{Session: s.Session, Agent: s.Agent, StartedAt: s.Started.UTC(), EndedAt: s.Ended.UTC(), Used: []item{}, Learned: []candidateItem{}, Tokens: s.Tokens}
		it := r.items(ctx, f)
		for _, uuid := range s.Used {
			if h, ok := f.mem.View().Get(uuid); ok {
				out.Used = append(out.Used, it.of(h))
			}
		}
		waiting, err := f.mem.Candidates(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range waiting {
			for _, uuid := range s.Learned {
				if c.Memory.UUID == uuid {
					out.Learned = append(out.Learned, candidateFrom(c))
				}
			}
		}
		return out, nil
	}
	return nil, rpc.InvalidParams("there is no session %q", p.Session)
}
