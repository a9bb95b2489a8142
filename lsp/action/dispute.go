package action

import (
	"context"
	"fmt"

	"manicule/lsp/folder"
	"manicule/memory"
)

// The commands of a dispute.
const (
	cmdDispute  = "manicule.disputeMemory"
	cmdWithdraw = "manicule.withdrawDispute"
)

// disputeArgs are what manicule.disputeMemory takes besides the uuid and the note.
type disputeArgs struct {
	Quiet bool `json:"quiet"` // the client shows why nothing was stored
}

func disputeMemory(ctx context.Context, c *call) (any, error) {
	var note string
	if err := c.args.read(1, "a note", &note); err != nil {
		return nil, err
	}
	var more disputeArgs
	if err := c.args.read(2, "an object", &more); err != nil {
		return nil, err
	}
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	res, err := f.Memories.Edits().Dispute(ctx, h.Memory.UUID, note)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.args.command, err)
	}
	if res = c.written(ctx, f, res, more.Quiet); res.Accepted {
		c.env.offerLowerTrust(ctx, h.Memory.UUID)
	}
	return res, nil
}

// withdrawDispute takes back the person's own view of a memory.
func withdrawDispute(ctx context.Context, c *call) (any, error) {
	return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) {
		return m.Edits().WithdrawDispute(ctx, uuid)
	})
}

// undisputed reports that nobody disputes a memory.
func undisputed(h memory.Hit) bool { return !h.Memory.Trust.Disputed() }
