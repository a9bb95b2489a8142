package action

import (
	"context"

	"manicule/memory/follow"
)

const cmdStillTrue = "manicule.stillTrue"

func stillTrue(ctx context.Context, c *call) (any, error) {
	return c.decide(ctx, follow.Request{Act: follow.StillTrue})
}

func stillTrueDecision() decision {
	return decision{command: cmdStillTrue, label: "still true", title: "still true: "}
}
