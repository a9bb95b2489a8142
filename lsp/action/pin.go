package action

import (
	"context"

	"manicule/lsp/folder"
	"manicule/memory"
)

const (
	cmdPin   = "manicule.pinMemory"
	cmdUnpin = "manicule.unpinMemory"
)

func pinMemory(ctx context.Context, c *call) (any, error) {
	return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) { return m.Edits().Pin(ctx, uuid, true) })
}

func unpinMemory(ctx context.Context, c *call) (any, error) {
	return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) { return m.Edits().Pin(ctx, uuid, false) })
}

func pinned(h memory.Hit) bool { return h.Memory.Pinned }

func unpinned(h memory.Hit) bool { return !h.Memory.Pinned }
