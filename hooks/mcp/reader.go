package mcp

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/memory"
	"manicule/memory/file"
)

// readerKey is the key under which a request's context holds who asks.
type readerKey struct{}

// reader is the agent that asks, and its session, "" if that is unknown.
type reader struct{ agent, session string }

// reading notes who asks, because a memory that belongs to another agent or session isn't shown.
func (s *server) reading(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ss, _ := req.GetSession().(*mcp.ServerSession)
		r := reader{agent: agentOf(ss)}
		c := &call{agent: r.agent}
		if t, ok := req.(*mcp.CallToolRequest); ok && t.Params != nil {
			c.session = sessionOf(r.agent, t.Params.Meta)
		}
		r.session = s.sessions.named(c)
		return next(context.WithValue(ctx, readerKey{}, r), method, req)
	}
}

// readerOf returns who asks. Outside of a request it is an unknown agent, which sees what belongs to none.
func readerOf(ctx context.Context) reader {
	if r, ok := ctx.Value(readerKey{}).(reader); ok {
		return r
	}
	return reader{agent: agentOf(nil)}
}

// mayNotSee reports whether a memory belongs to another agent or session.
func (r reader) mayNotSee(m *file.Memory) bool { return m.HiddenFrom(r.agent, r.session) }

// live returns the current memories of a workspace that the agent may see.
func live(ctx context.Context, sp *Space) []memory.Hit { return liveIn(ctx, sp, sp.Memories.View()) }

// liveIn is live for one view.
func liveIn(ctx context.Context, sp *Space, v *memory.View) []memory.Hit {
	reader := readerOf(ctx)
	return slices.DeleteFunc(v.Live(), func(h memory.Hit) bool {
		return reader.mayNotSee(h.Memory) || !sp.Memories.Recaller().Recalls(h.Memory.Layer)
	})
}

// viewOf recalls from a workspace's view what the agent may see.
func viewOf(ctx context.Context, m *memory.Workspace) memory.ViewRecaller {
	r := readerOf(ctx)
	return m.Recaller().FromView().For(r.agent, r.session)
}
