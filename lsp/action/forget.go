package action

import (
	"context"

	"manicule/lsp/folder"
	"manicule/memory"
)

// manicule.archiveMemory forgets a memory whose code is lost; its name is older than the word. Both can be undone.
const (
	cmdForget  = "manicule.forgetMemory"
	cmdArchive = "manicule.archiveMemory"
)

func forgetMemory(ctx context.Context, c *call) (any, error) {
	return c.change(ctx, func(m folder.Memories, uuid string) (memory.Result, error) {
		return memory.Result{Accepted: true}, m.Forgotten().Forget(ctx, uuid)
	})
}

func archiveDecision() decision {
	return decision{command: cmdArchive, label: "forget", title: "forget ", more: " (restorable for 30 days)"}
}
