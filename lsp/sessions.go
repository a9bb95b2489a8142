package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"manicule/lsp/rpc"
)

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

// sessionEvent tells the client what happened in an agent's session.
func (s *server) sessionEvent(f *folder.Folder, e SessionEvent) {
	extensions := s.client.Capabilities.Extensions
	switch e.Kind {
	case SessionCompacted:
		if extensions {
			s.client.Notify(noteCompacted, map[string]string{"session": e.Session, "agent": e.Agent})
			return
		}
		s.log.Info("the context of an agent was compacted", "agent", e.Agent, "session", e.Session)
	case SessionEnded:
		s.changes.soon()
		if extensions {
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
func (s *server) offerReview(ctx context.Context, f *folder.Folder, e SessionEvent) {
	r := s.background()
	if e.Learned == 0 || r.folders.TrustLevel(ctx) >= quietLevel {
		return
	}
	question := fmt.Sprintf("Manicule: the %s session used %s and suggests %s to remember.", e.Agent, render.Memories(e.Used), render.Plural(e.Learned, "thing"))
	if s.client.Choose(ctx, question, titleReview, titleLater) != titleReview {
		return
	}
	list, err := f.Memories.Candidates(ctx)
	if err != nil {
		s.log.Warn("list what waits for review", "root", f.Root, "err", err)
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
		if f.Sessions == nil {
			continue
		}
		list, err := f.Sessions.Log(ctx, limit)
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
	for _, f := range r.folders.All(ctx) {
		if f.Sessions == nil {
			continue
		}
		s, ok, err := f.Sessions.Summary(ctx, p.Session)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		out := summaryItem{Session: s.Session, Agent: s.Agent, StartedAt: s.Started.UTC(), EndedAt: s.Ended.UTC(), Used: []item{}, Learned: []candidateItem{}, Tokens: s.Tokens}
		it := r.items(ctx, f)
		for _, uuid := range s.Used {
			if h, ok := f.Memories.View().Get(uuid); ok {
				out.Used = append(out.Used, it.of(h))
			}
		}
		waiting, err := f.Memories.Candidates(ctx)
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
