package action

import (
	"context"

	"manicule/lsp/folder"
	"manicule/memory"
)

// The commands of a dispute.
const (
	cmdDispute  = "manicule.disputeMemory"
	cmdWithdraw = "manicule.withdrawDispute"
)

func disputeMemory(ctx context.Context, c *call) (any, error) {
	var note string
	if err := c.args.read(1, "a note", &note); err != nil {
		return nil, err
	}
	disputed := ""
	res, err := c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) {
		disputed = uuid
		return m.Edits().Dispute(ctx, uuid, note)
	})
	if err == nil && res.Accepted {
		c.env.offerLowerTrust(ctx, disputed)
	}
	return res, err
}

// withdrawDispute takes back the person's own view of a memory.
func withdrawDispute(ctx context.Context, c *call) (any, error) {
	return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) {
		return m.Edits().WithdrawDispute(ctx, uuid)
	})
}

// undisputed reports that nobody disputes a memory.
func undisputed(h memory.Hit) bool { return !h.Memory.Trust.Disputed() }
