package lsp

import (
	"context"
	"sync"
	"time"

	"manicule/lsp/folder"
)

// The notifications of our own, for clients that know them.
const (
	noteChanged   = "manicule/changed"
	noteEnded     = "manicule/sessionEnded"
	noteCompacted = "manicule/compacted"
)

// changedAfter is how long changes must rest before a client is notified.
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
		s.spawn(func(ctx context.Context) { s.actions.OfferReview(ctx, f, e) })
	}
}
