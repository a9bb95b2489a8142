package action

import (
	"context"

	"manicule/memory/follow"
)

const cmdDetach = "manicule.detachMemory"

func detachMemory(ctx context.Context, c *call) (any, error) {
	return c.decide(ctx, follow.Request{Act: follow.Detach})
}

func detachDecision() decision {
	return decision{command: cmdDetach, label: "detach", title: "detach ", more: " to the file"}
}
