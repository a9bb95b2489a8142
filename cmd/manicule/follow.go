package main

import (
	"context"

	"manicule/memory"
	"manicule/memory/file"
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

// written is a memory that was just written, with where its code is now: the file has the place that was recorded when it was tied to it.
func written(ctx context.Context, c *cli, w *services.Workspace, m *file.Memory) memory.Hit {
	h := memory.Hit{Memory: m}
	if len(m.Anchors) == 0 || m.Lineage.Version < 2 { // it has just been tied to it
		return h
	}
	return c.refreshHits(ctx, w, []memory.Hit{h})[0]
}
