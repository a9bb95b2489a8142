package main

import (
	"context"
	"time"

	"manicule/hooks/learn"
	"manicule/memory"
	"manicule/memory/config"
)

// catchUpAfter is how long a server waits before it learns from earlier sessions:
// what the agent asks at once comes first.
const catchUpAfter = 3 * time.Second

// catchUp learns from the sessions that no hook had the time for, oldest first. A hook
// has its deadline; a server goes on as long as its agent does.
func (a *app) catchUp(ctx context.Context, w *memory.Workspace, c *config.Config) {
	timer := time.NewTimer(catchUpAfter)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	o := learn.Options{Workspace: w, Home: a.getenv("HOME"), Methodology: c.String("hooks.methodology")}
	if _, err := learn.Pending(ctx, o, 0); err != nil && ctx.Err() == nil {
		a.logger().Warn("learn from earlier sessions", "root", w.Root(), "err", err)
	}
}
