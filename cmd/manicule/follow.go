package main

import (
	"context"

	"manicule/memory"
	"manicule/memory/follow"
	"manicule/memory/services"
)

// refresh looks where the anchors are before something is shown. What is known
// from before is shown when that fails.
func (c *cli) refresh(ctx context.Context, w *services.Workspace) {
	r, err := w.Tracker().Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		c.warn("look where the code of the memories is: %v", err)
	}
	c.warnFaults(r)
}

// warnFaults says which anchors keep the state that they had since a fault keeps
// them from being looked for.
func (c *cli) warnFaults(r follow.Report) {
	for _, f := range r.Faults {
		c.warn("a memory of %s was not looked for: `manicule doctor` says why", f.Path)
	}
}

// look is refresh for what will be shown.
func (c *cli) look(ctx context.Context, w *services.Workspace, hits []memory.Hit) []memory.Hit {
	out, err := w.Tracker().Locate(ctx, hits)
	if err != nil {
		if ctx.Err() == nil {
			c.warn("look where the code of the memories is: %v", err)
		}
		return hits
	}
	return out
}
