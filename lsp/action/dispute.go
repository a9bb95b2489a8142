package action

import (
	"context"

	"manicule/lsp/folder"
	"manicule/memory"
)

const cmdDispute = "manicule.disputeMemory"

func disputeMemory(ctx context.Context, c *call) (any, error) {
	var note string
	if err := c.args.read(1, "a note", &note); err != nil {
		return nil, err
	}
	disputed := ""
	res, err := c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) {
		disputed = uuid
		return m.Dispute(ctx, uuid, note)
	})
	if err == nil && res.Accepted {
		c.env.offerLowerTrust(ctx, disputed)
	}
	return res, err
}
