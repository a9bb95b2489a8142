package mcp

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/memory"
)

// readerKey is the key under which a request's context holds the agent that asks.
type readerKey struct{}

// reading notes the agent that asks, because a memory that belongs to another agent isn't shown.
func reading(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ss, _ := req.GetSession().(*mcp.ServerSession)
		return next(context.WithValue(ctx, readerKey{}, agentOf(ss)), method, req)
	}
}

// readerOf returns the agent that asks. Outside of a request it is the unknown one, which sees what belongs to none.
func readerOf(ctx context.Context) string {
	if id, ok := ctx.Value(readerKey{}).(string); ok {
		return id
	}
	return agentOf(nil)
}

// live returns the current memories of a workspace that the agent may see.
func live(ctx context.Context, sp *Space) []memory.Hit {
	reader := readerOf(ctx)
	return slices.DeleteFunc(sp.Memories.View().Live(), func(h memory.Hit) bool { return h.Memory.HiddenFrom(reader) || !sp.Memories.Recalls(h.Memory.Layer) })
}
