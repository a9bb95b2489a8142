package main

import (
	"context"
	"sync"
	"time"

	"manicule/hooks/learn"
	"manicule/memory/services"
)

// catchUpAfter is how long a server waits before it learns from earlier sessions:
// what the agent asks at once comes first.
const catchUpAfter = 3 * time.Second

// catchUp learns from the sessions that no hook had the time for, oldest first. A hook
// has its deadline; a server goes on as long as its agent does. stop ends it and waits.
func (mc *mcpCommand) catchUp(ctx context.Context, w *services.Workspace) (stop func()) {
	if !w.Place().IsProject() || !w.Config.Bool("observer.enabled") {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() {
		timer := time.NewTimer(catchUpAfter)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		o := learn.Options{Workspace: w.Workspace, Home: mc.getenv("HOME"), Methodology: w.Config.String("hooks.methodology")}
		if _, err := learn.Pending(ctx, o, 0); err != nil && ctx.Err() == nil {
			mc.opener.Log.Warn("learn from earlier sessions", "root", w.Root(), "err", err)
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}
