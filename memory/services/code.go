package services

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/memory/leader"
	"manicule/memory/nearby"
	"manicule/memory/search"
)

// Code answers an agent's questions about the code. The leader keeps the code graph, so that not
// every agent's process holds a copy. This process answers itself while it leads, else it asks the
// leader.
type Code struct {
	w      *Workspace
	server *Server
	ix     *graph.Index // nil if the code is not indexed

	ask        sync.Once
	wanted     chan struct{} // closed at the first question about the code
	read       sync.Once
	indexed    chan struct{}                  // closed when this process has indexed the code
	unfollowed chan struct{}                  // closed when this process leads and can't follow the code
	progress   atomic.Pointer[graph.Progress] // of indexing
}

// index returns the code graph for questions of other processes.
func (c *Code) index() (*graph.Index, error) {
	if c.ix == nil {
		return nil, ErrNoGraph
	}
	return c.ix, nil
}

// ready waits until this process, which leads, has indexed the code. If it can't follow the code, the code is looked at
// now: what prevented it may have passed, and if not, the error says it.
func (c *Code) ready(ctx context.Context) error {
	select {
	case <-c.unfollowed:
		return c.sync(ctx)
	default:
	}
	select {
	case <-c.indexed:
		return nil
	case <-c.unfollowed:
		return c.sync(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// How a leader keeps the code graph up to date.
const (
	indexAfter = 2 * time.Second        // the agent's first calls have priority
	busyRetry  = 500 * time.Millisecond // while another process indexes
)

// keep keeps the code graph up to date while this process leads.
func (c *Code) keep(ctx context.Context) {
	if c.ix == nil {
		return
	}
	select {
	case <-time.After(indexAfter):
	case <-c.wanted:
	case <-ctx.Done():
		return
	}
	defer close(c.unfollowed) // it runs once
	if err := c.sync(ctx); err != nil {
		c.warn(ctx, "index the code", err)
		return
	}
	c.refreshAnchors(ctx)
	select {
	case <-c.wanted:
	default:
		c.ix.Release(0) // building takes much more memory than the graph, which nobody has asked for yet
	}
	err := c.ix.Watch(ctx, func(_ graph.Report, err error) {
		if !errors.Is(err, graph.ErrBusy) {
			c.warn(ctx, "follow the code", err)
		}
		c.refreshAnchors(ctx)
	})
	c.warn(ctx, "follow the code", err)
}

// warn logs an error, unless there is none or the work was cancelled.
func (c *Code) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		c.w.opener.Log.Warn(what, "root", c.w.Root(), "err", err)
	}
}

// sync indexes the code once.
func (c *Code) sync(ctx context.Context) error {
	for {
		_, err := c.ix.Sync(ctx, func(p graph.Progress) { c.progress.Store(&p) })
		c.progress.Store(nil)
		if err == nil {
			c.read.Do(func() { close(c.indexed) })
			return nil
		}
		if !errors.Is(err, graph.ErrBusy) {
			return err
		}
		select {
		case <-time.After(busyRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refreshAnchors stores the current places of the memories' code, for all processes.
func (c *Code) refreshAnchors(ctx context.Context) {
	r, err := c.w.Tracker().Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		c.w.opener.Log.Warn("look where the code of the memories is", "err", err)
	}
	for _, x := range r.Faults {
		c.w.opener.Log.Warn("an anchor was not looked for", "file", x.Path, "err", x.Err)
	}
}

// answer answers a question. If the leader has no code, or its version does not know the question,
// this process indexes the code itself.
func (c *Code) answer(ctx context.Context, method string, q codeQuestion) (codeReply, error) {
	if c.ix == nil {
		return codeReply{}, noCode(c.w.Place())
	}
	c.ask.Do(func() { close(c.wanted) })
	if c.server.leading() {
		if err := c.ready(ctx); err != nil {
			if ctx.Err() != nil {
				return codeReply{}, ctx.Err()
			}
			return codeReply{}, GraphError(err)
		}
	} else {
		r, err := c.askLeader(ctx, method, q)
		if err == nil && !r.NoCode {
			return r, r.err()
		}
		if ctx.Err() != nil {
			return codeReply{}, ctx.Err()
		}
		if err := c.sync(ctx); err != nil {
			return codeReply{}, GraphError(err)
		}
	}
	r := c.server.aboutCode(ctx, c.ix, method, q)
	if ctx.Err() != nil {
		return codeReply{}, ctx.Err()
	}
	return r, r.err()
}

// askLeader asks the leader, and repeats the question while the leader is busy.
func (c *Code) askLeader(ctx context.Context, method string, q codeQuestion) (codeReply, error) {
	defer c.progress.Store(nil)
	for {
		var r codeReply
		err := leader.Ask(ctx, c.w.Place().Socket(), method, q, &r)
		if err != nil || !r.Busy || ctx.Err() != nil {
			return r, errors.Join(err, ctx.Err())
		}
		c.progress.Store(r.Progress)
	}
}

// Describe returns the code graph's description of a place.
func (c *Code) Describe(ctx context.Context, p nearby.Place) (nearby.Code, error) {
	r, err := c.answer(ctx, methodGraph, codeQuestion{Places: []nearby.Place{p}})
	if err != nil || r.Code == nil {
		return nearby.Code{}, err
	}
	return *r.Code, nil
}

// Module returns what a folder uses and what uses it.
func (c *Code) Module(ctx context.Context, dir string) (graph.Module, error) {
	r, err := c.answer(ctx, methodModule, codeQuestion{Places: []nearby.Place{{File: dir}}})
	if err != nil || r.Module == nil {
		return graph.Module{}, err
	}
	return *r.Module, nil
}

// Impact returns what a change of some places may break.
func (c *Code) Impact(ctx context.Context, places []nearby.Place, depth int) (graph.Impact, error) {
	r, err := c.answer(ctx, methodImpact, codeQuestion{Places: places, Depth: depth})
	if err != nil || r.Impact == nil {
		return graph.Impact{}, err
	}
	return *r.Impact, nil
}

// Change returns the impact of the difference from a revision, together with that of some places,
// and the removed symbols.
func (c *Code) Change(ctx context.Context, rev string, places []nearby.Place, depth int) (graph.Impact, []graph.Deletion, error) {
	r, err := c.answer(ctx, methodChange, codeQuestion{Places: places, Rev: rev, Depth: depth})
	if err != nil || r.Impact == nil {
		return graph.Impact{}, nil, err
	}
	return *r.Impact, r.Deleted, nil
}

// Search searches the code. It returns one piece for each result.
func (c *Code) Search(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error) {
	r, err := c.answer(ctx, methodCode, codeQuestion{Search: &q})
	if err != nil || r.Found == nil {
		return search.Answer{}, nil, err
	}
	return *r.Found, r.Pieces, nil
}
