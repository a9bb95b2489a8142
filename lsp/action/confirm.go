package action

import (
	"context"

	"manicule/lsp/folder"
	"manicule/memory"
)

const cmdConfirm = "manicule.confirmMemory"

func confirmMemory(ctx context.Context, c *call) (any, error) {
	return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) { return m.Edits().Confirm(ctx, uuid) })
}
