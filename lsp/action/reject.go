package action

import (
	"context"
	"fmt"
	"slices"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdReject = "manicule.rejectMemory"

func rejectMemory(ctx context.Context, c *call) (any, error) {
	var reason string
	if err := c.args.read(1, "a reason", &reason); err != nil {
		return nil, err
	}
	if answer, held, err := rejectHeld(ctx, c); held || err != nil {
		return answer, err
	}
	if _, t, ok := c.undecidedThread(ctx); ok {
		return nil, rpc.InvalidParams("thread %s %s; try: %s", t.Memory.ShortID(), feature.HasVersions(t.Memory), cmdResolve)
	}
	if _, h, err := c.memory(ctx); err == nil && !decided(h) {
		return nil, rpc.InvalidParams("memory %s has %s; try: %s", h.Memory.ShortID(), h.Memory.Undecided(), cmdResolve)
	}
	f, uuid, err := c.draft(ctx)
	if err != nil {
		return nil, err
	}
	was, err := f.Memories.Drafts().Waiting(ctx, uuid)
	if err == nil {
		err = f.Memories.Drafts().Reject(ctx, uuid, reason)
	}
	if err != nil {
		return nil, fmt.Errorf("reject %s: %w", uuid, err)
	}
	c.env.reviewed.add(f.Root, was)
	f.Waiting.Load(ctx)
	c.env.Changed()
	return reviewResult{memory.Result{Accepted: true}, true}, nil
}

// draft returns the draft that the first argument names, and its folder.
func (c *call) draft(ctx context.Context) (*folder.Folder, string, error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, "", err
	}
	for _, f := range c.folders(ctx) {
		drafts, err := f.Memories.Drafts().List(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("drafts of %s: %w", f.Root, err)
		}
		if slices.ContainsFunc(drafts, func(m *file.Memory) bool { return m.UUID == uuid }) {
			return f, uuid, nil
		}
	}
	return nil, "", rpc.InvalidParams("there is no draft %q", uuid)
}

// rejectHeld forgets a memory in quarantine.
func rejectHeld(ctx context.Context, c *call) (answer any, ok bool, err error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, false, err
	}
	f, ok := c.env.held(ctx, uuid, c.args.file())
	if !ok {
		return nil, false, nil
	}
	if err := f.Memories.Forgotten().Forget(ctx, uuid); err != nil {
		return nil, true, fmt.Errorf("forget %s: %w", uuid, err)
	}
	return c.env.afterWrite(ctx, f, memory.Result{Accepted: true}), true, nil
}
