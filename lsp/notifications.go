package lsp

import (
	"context"
	"sync"
	"time"

	"manicule/lsp/action"
	"manicule/lsp/folder"
)

// Our own notifications, for clients that handle them.
const (
	methodChanged      = "manicule/changed"
	methodSessionEnded = "manicule/sessionEnded"
	methodCompacted    = "manicule/compacted"
)

// defaultNotifyAfter is how long changes are collected before a client is notified.
const defaultNotifyAfter = 300 * time.Millisecond

// changeNotifier notifies a client with extensions that its panels are out of date,
// once for changes close together.
type changeNotifier struct {
	server *server

	mu    sync.Mutex
	timer *time.Timer // guarded by mu; nil while nothing is scheduled
	ended bool        // guarded by mu
}

func newChangeNotifier(s *server) *changeNotifier { return &changeNotifier{server: s} }

// soon schedules a notification. Later changes don't postpone it: during a long
// indexing the client would never be notified.
func (c *changeNotifier) soon() {
	s := c.server
	if s.phase.Load() != running || !s.client.Capabilities.Extensions {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil || c.ended {
		return
	}
	c.timer = time.AfterFunc(s.opts.NotifyAfter, func() {
		c.mu.Lock()
		c.timer = nil
		c.mu.Unlock()
		s.client.Notify(methodChanged, struct{}{})
	})
}

func (c *changeNotifier) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// sessionEvent notifies the client of an event of an agent's session.
func (s *server) sessionEvent(f *folder.Folder, e SessionEvent) {
	extensions := s.client.Capabilities.Extensions
	switch e.Kind {
	case SessionCompacted:
		if extensions {
			s.client.Notify(methodCompacted, map[string]string{"session": e.Session, "agent": e.Agent})
			return
		}
		s.log.Info("the context of an agent was compacted", "agent", e.Agent, "session", e.Session)
	case SessionEnded:
		s.changes.soon()
		s.spawn(func(ctx context.Context) {
			if extensions {
				s.notifySessionEnded(ctx, f, e)
			} else {
				s.actions.OfferReview(ctx, f, e)
			}
			s.actions.OfferHigherTrust(ctx, f)
		})
	}
}

// notifySessionEnded tells an extension that a session ended, and what to ask about it.
func (s *server) notifySessionEnded(ctx context.Context, f *folder.Folder, e SessionEvent) {
	_, needLook, err := action.Taught(ctx, f, e.Session)
	if err != nil {
		s.log.Warn("list what a session taught", "session", e.Session, "err", err)
	}
	s.client.Notify(methodSessionEnded, map[string]any{"session": e.Session, "agent": e.Agent, "used": e.Used, "learned": e.Learned,
		"asks": s.folders.Asks(ctx, f), "needLook": needLook, "tokens": e.Balance.Tokens, "saved": e.Balance.Saved, "warningsFollowed": e.Balance.Heeded})
}
