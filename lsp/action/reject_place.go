package action

import (
	"context"

	"manicule/memory/follow"
)

const cmdRejectPlace = "manicule.rejectPlace"

func rejectPlace(ctx context.Context, c *call) (any, error) {
	return c.decide(ctx, follow.Request{Act: follow.Reject})
}

func rejectDecision() decision {
	return decision{command: cmdRejectPlace, label: "not this code", title: "not this code: "}
}
