package main

import (
	"context"
	"sync"
	"time"

	"manicule/hooks/learn"
	"manicule/memory/episode"
	"manicule/memory/services"
)

// catchUpAfter is the delay before a server learns from earlier sessions, so that the
// agent's first questions are answered first.
const catchUpAfter = 3 * time.Second

// restEvery is how often it looks again.
const restEvery = 2 * time.Minute

// learnFirst bounds what a person waits for sessions to be learned from, before a list of what they left is shown.
const learnFirst = 2 * time.Second

// learnEnded learns from the sessions that ended and that no hook had time for, so that a list of what they left is
// complete. Many agents report no end, and then the next session would be the first to learn from the last one.
func learnEnded(ctx context.Context, c *cli, w *services.Workspace) {
	if !w.Place().IsProject() || !w.Config.Bool("observer.enabled") {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, learnFirst)
	defer cancel()
	o := learning(c, w)
	o.Recipes = func(context.Context, []episode.Episode) []episode.Procedure { return nil } // they can wait for the next session's end
	if _, err := learn.Pending(ctx, o, 0); err != nil && ctx.Err() == nil {
		c.warn("what the latest sessions left may be missing: %v", err)
	}
}

// learning are the options to learn from the sessions of a workspace where nobody's answer waits for it.
func learning(c *cli, w *services.Workspace) learn.Options {
	return learn.Options{Workspace: w.Workspace, Home: c.getenv("HOME"), Methodology: w.Config.String("hooks.methodology"), RecipeTime: learn.BackgroundRecipeTime}
}

// catchUp learns, oldest first, from the sessions for which no hook had time, and from those that go on and are at rest, or have finished a piece of work. A
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
		o := learning(mc.cli, w)
		for {
			if _, err := learn.Pending(ctx, o, 0); err != nil && ctx.Err() == nil {
				mc.opener.Log.Warn("learn from earlier sessions", "root", w.Root(), "err", err)
			}
			if _, err := learn.AtRest(ctx, o); err != nil && ctx.Err() == nil {
				mc.opener.Log.Warn("learn from a session at rest", "root", w.Root(), "err", err)
			}
			if _, err := learn.Midway(ctx, o); err != nil && ctx.Err() == nil {
				mc.opener.Log.Warn("learn from a session under way", "root", w.Root(), "err", err)
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
