package search

import (
	"context"

	"manicule/memory/leader"
)

// Method is the leader's method that answers a [Question] with an [Answer].
const Method = "search"

// Ask sends a question about the memories to the leader on a socket.
func Ask(ctx context.Context, socket string, q Question) (out Answer, err error) {
	if err = leader.Ask(ctx, socket, Method, q, &out); err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}
