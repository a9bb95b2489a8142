package action

import (
	"context"
	"fmt"

	"manicule/memory"
)

const cmdAccept = "manicule.acceptMemory"

func acceptMemory(ctx context.Context, c *call) (any, error) {
	var e edits
	if err := c.args.readChanges(&e); err != nil {
		return nil, err
	}
	if answer, held, err := acceptHeld(ctx, c, e); held || err != nil {
		return answer, err
	}
	_, _, undecided := c.undecidedThread(ctx)
	if _, h, err := c.memory(ctx); undecided || err == nil && !decided(h) {
		return c.askResolution(ctx)
	}
	f, uuid, err := c.draft(ctx)
	if err != nil {
		return nil, err
	}
	was, err := f.Memories.Drafts().Waiting(ctx, uuid)
	if err != nil {
		return nil, fmt.Errorf("accept %s: %w", uuid, err)
	}
	var res memory.Result
	if c.args.has(1) {
		res, err = f.Memories.Decisions().AcceptEdited(ctx, uuid, e.apply)
	} else {
		res, err = f.Memories.Decisions().Accept(ctx, uuid)
	}
	if err != nil {
		return nil, fmt.Errorf("accept %s: %w", uuid, err)
	}
	res = c.written(ctx, f, res, e.Quiet)
	// What was merged into another memory, or changed one, is not the draft's alone.
	undo := res.Accepted && res.Memory != nil && res.Memory.UUID == uuid && res.Act == ""
	if undo {
		c.env.reviewed.add(f.Root, was)
	}
	return reviewResult{res, undo}, nil
}

// acceptHeld accepts a memory in quarantine: it releases the memory, or changes it as a
// person edited it.
func acceptHeld(ctx context.Context, c *call, e edits) (answer any, ok bool, err error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, false, err
	}
	f, ok := c.env.held(ctx, uuid, c.args.file())
	if !ok {
		return nil, false, nil
	}
	var res memory.Result
	if c.args.has(1) {
		res, err = f.Memories.Edits().Change(ctx, uuid, e.apply, "edit", "")
	} else {
		res, err = f.Memories.Quarantine().Release(ctx, uuid)
	}
	if err != nil {
		return nil, true, fmt.Errorf("release %s: %w", uuid, err)
	}
	return c.written(ctx, f, res, e.Quiet), true, nil
}
