package search

import (
	"context"

	"manicule/memory/leader"
)

// The leader's methods that answer a [Question] with an [Answer]. A leader of an older version does
// not know what a question of [MethodSelect] asks for, and must not answer it.
const (
	Method       = "search"
	MethodSelect = "search.select" // the filter names an author, a state or an age
)

// Ask sends a question about the memories to the leader on a socket.
func Ask(ctx context.Context, socket string, q Question) (out Answer, err error) {
	method := Method
	if q.Filter.selects() {
		method = MethodSelect
	}
	if err = leader.Ask(ctx, socket, method, q, &out); err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}
