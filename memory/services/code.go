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

// Code answers an agent's questions about the code: from the code graph that this
// process keeps while it leads, else by the leader, so that not each agent's
// process keeps all of it.
type Code struct {
	w      *Workspace
	server *Server
	ix     *graph.Index // nil where no code is read

	ask      sync.Once
	wanted   chan struct{} // closed when a call asks about the code
	read     sync.Once
	indexed  chan struct{}                  // closed when this process has read the code to its end
	progress atomic.Pointer[graph.Progress] // of a reading under way
}

// index is the code graph, for other processes.
func (c *Code) index() (*graph.Index, error) {
	if c.ix == nil {
		return nil, ErrNoGraph
	}
	return c.ix, nil
}

// How a leader keeps the code graph.
const (
	indexAfter = 2 * time.Second        // what an agent asks at once comes first
	busyRetry  = 500 * time.Millisecond // while another process indexes
)

// keep keeps the code graph up to the files while this process leads.
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
	if err := c.sync(ctx); err != nil {
		c.warn(ctx, "index the code", err)
		return
	}
	c.refreshAnchors(ctx)
	select {
	case <-c.wanted:
	default:
		c.ix.Release(0) // building takes much more than keeping what nobody has asked for yet
	}
	err := c.ix.Watch(ctx, func(_ graph.Report, err error) {
		if !errors.Is(err, graph.ErrBusy) {
			c.warn(ctx, "follow the code", err)
		}
		c.refreshAnchors(ctx)
	})
	c.warn(ctx, "follow the code", err)
}

// warn logs an error, unless there is none or the work was called off.
func (c *Code) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		c.w.opener.Log.Warn(what, "root", c.w.Root(), "err", err)
	}
}

// sync reads the code to its end, once.
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

// refreshAnchors notes where the code of the memories is now, for all processes.
func (c *Code) refreshAnchors(ctx context.Context) {
	r, err := c.w.Tracker().Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		c.w.opener.Log.Warn("look where the code of the memories is", "err", err)
	}
	for _, x := range r.Faults {
		c.w.opener.Log.Warn("an anchor was not looked for", "file", x.Path, "err", x.Err)
	}
}

// answer answers a question. Where the leader has no code, or is of a version that
// does not know the question, this process reads the code itself.
func (c *Code) answer(ctx context.Context, method string, q codeQuestion) (codeReply, error) {
	if c.ix == nil {
		return codeReply{}, noCode(c.w.Place())
	}
	c.ask.Do(func() { close(c.wanted) })
	if c.server.Leading() {
		select {
		case <-c.indexed:
		case <-ctx.Done():
			return codeReply{}, ctx.Err()
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

// askLeader asks the leader, again as long as it says that it is busy.
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

// Describe is what the code graph says of a place.
func (c *Code) Describe(ctx context.Context, p nearby.Place) (nearby.Code, error) {
	r, err := c.answer(ctx, methodGraph, codeQuestion{Places: []nearby.Place{p}})
	if err != nil || r.Code == nil {
		return nearby.Code{}, err
	}
	return *r.Code, nil
}

// Module is what a folder uses and is used by.
func (c *Code) Module(ctx context.Context, dir string) (graph.Module, error) {
	r, err := c.answer(ctx, methodModule, codeQuestion{Places: []nearby.Place{{File: dir}}})
	if err != nil || r.Module == nil {
		return graph.Module{}, err
	}
	return *r.Module, nil
}

// Impact is what a change of some places may break.
func (c *Code) Impact(ctx context.Context, places []nearby.Place, depth int) (graph.Impact, error) {
	r, err := c.answer(ctx, methodImpact, codeQuestion{Places: places, Depth: depth})
	if err != nil || r.Impact == nil {
		return graph.Impact{}, err
	}
	return *r.Impact, nil
}

// Change is the impact of what differs from a revision, with that of some places,
// and the symbols that are gone.
func (c *Code) Change(ctx context.Context, rev string, places []nearby.Place, depth int) (graph.Impact, []graph.Deletion, error) {
	r, err := c.answer(ctx, methodChange, codeQuestion{Places: places, Rev: rev, Depth: depth})
	if err != nil || r.Impact == nil {
		return graph.Impact{}, nil, err
	}
	return *r.Impact, r.Deleted, nil
}

// Search searches the code. The pieces are those of the answer's results.
func (c *Code) Search(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error) {
	r, err := c.answer(ctx, methodCode, codeQuestion{Search: &q})
	if err != nil || r.Found == nil {
		return search.Answer{}, nil, err
	}
	return *r.Found, r.Pieces, nil
}
