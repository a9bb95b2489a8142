package lsp

import (
	"context"
	"sync"
	"time"

	"manicule/lsp/action"
	"manicule/lsp/client"
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
	client  *client.Client
	running func() bool
	after   time.Duration // how long changes are collected

	mu    sync.Mutex
	timer *time.Timer // guarded by mu; nil while nothing is scheduled
	ended bool        // guarded by mu
}

// soon schedules a notification. Later changes don't postpone it: during a long
// indexing the client would never be notified.
func (c *changeNotifier) soon() {
	if !c.running() || !c.client.Capabilities.Extensions {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil || c.ended {
		return
	}
	c.timer = time.AfterFunc(c.after, c.now)
}

// now sends the notification that is scheduled, if there is one.
func (c *changeNotifier) now() {
	c.mu.Lock()
	scheduled := c.timer != nil && !c.ended
	if scheduled {
		c.timer.Stop()
		c.timer = nil
	}
	c.mu.Unlock()
	if scheduled {
		c.client.Notify(methodChanged, struct{}{})
	}
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
func sessionEvent(env *action.Env, f *folder.Folder, e SessionEvent) {
	extensions := env.Client.Capabilities.Extensions
	switch e.Kind {
	case SessionCompacted:
		if extensions {
			env.Client.Notify(methodCompacted, map[string]string{"session": e.Session, "agent": e.Agent})
			return
		}
		env.Log.Info("the context of an agent was compacted", "agent", e.Agent, "session", e.Session)
	case SessionEnded:
		env.ListsChanged()
		env.Spawn(func(ctx context.Context) {
			if extensions {
				notifySessionEnded(ctx, env, f, e)
			} else {
				env.OfferReview(ctx, f, e)
			}
			env.OfferHigherTrust(ctx, f)
		})
	}
}

// notifySessionEnded tells an extension that a session ended, and what to ask about it.
func notifySessionEnded(ctx context.Context, env *action.Env, f *folder.Folder, e SessionEvent) {
	_, needLook, err := action.Taught(ctx, f, e.Session)
	if err != nil {
		env.Log.Warn("list what a session taught", "session", e.Session, "err", err)
	}
	env.Client.Notify(methodSessionEnded, map[string]any{"session": e.Session, "agent": e.Agent, "used": e.Used, "learned": e.Learned,
		"asks": f.Asks(ctx), "needLook": needLook, "tokens": e.Balance.Tokens, "saved": e.Balance.Saved, "warningsFollowed": e.Balance.Heeded})
}
