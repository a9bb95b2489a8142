package main

import (
	"context"

	"manicule/memory"
	"manicule/memory/follow"
	"manicule/memory/services"
)

// refresh resolves the anchors before memories are shown. If that fails, the last known
// states are shown.
func (c *cli) refresh(ctx context.Context, w *services.Workspace) {
	r, err := w.Tracker().Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		c.warn("look where the code of the memories is: %v", err)
	}
	c.warnFaults(r)
}

// warnFaults warns about anchors that keep their last state because a fault prevents
// resolving them.
func (c *cli) warnFaults(r follow.Report) {
	for _, f := range r.Faults {
		c.warn("a memory of %s was not looked for: `manicule doctor` says why", f.Path)
	}
}

// refreshHits is refresh for the memories that will be shown.
func (c *cli) refreshHits(ctx context.Context, w *services.Workspace, hits []memory.Hit) []memory.Hit {
	out, err := w.Tracker().Locate(ctx, hits)
	if err != nil {
		if ctx.Err() == nil {
			c.warn("look where the code of the memories is: %v", err)
		}
		return hits
	}
	return out
}
