package main

import (
	"context"
	"sync"
	"time"

	"manicule/hooks/learn"
	"manicule/memory/services"
)

// catchUpAfter is the delay before a server learns from earlier sessions, so that the
// agent's first questions are answered first.
const catchUpAfter = 3 * time.Second

// restEvery is how often it looks again.
const restEvery = 2 * time.Minute

// catchUp learns, oldest first, from the sessions for which no hook had time, and from those that go on and are at rest. A
// hook has a deadline, and its agent waits for it; a server runs as long as its agent. stop ends the work and waits for it.
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
		o := learn.Options{Workspace: w.Workspace, Home: mc.getenv("HOME"), Methodology: w.Config.String("hooks.methodology"), RecipeTime: learn.BackgroundRecipeTime}
		for {
			if _, err := learn.Pending(ctx, o, 0); err != nil && ctx.Err() == nil {
				mc.opener.Log.Warn("learn from earlier sessions", "root", w.Root(), "err", err)
			}
			if _, err := learn.AtRest(ctx, o); err != nil && ctx.Err() == nil {
				mc.opener.Log.Warn("learn from a session at rest", "root", w.Root(), "err", err)
			}
			timer.Reset(restEvery)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}
