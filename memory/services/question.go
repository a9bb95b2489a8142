package services

import (
	"context"
	"errors"
	"slices"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/change"
	"manicule/memory/nearby"
	"manicule/memory/search"
)

// The questions that a leader answers on its socket (package leader).
const (
	methodGraph  = "graph"
	methodModule = "module"
	methodImpact = "impact"
	methodChange = "change" // the impact of the difference from a revision
	methodCode   = "code"   // a search in the code
)

func isCodeMethod(method string) bool {
	return slices.Contains([]string{methodGraph, methodModule, methodImpact, methodChange, methodCode}, method)
}

// codeQuestion is a question about the code on the leader's socket. A leader of an older version
// ignores members that it does not know. A member that changes the answer therefore needs a new
// method.
type codeQuestion struct {
	Places []nearby.Place   `json:"places"`
	Depth  int              `json:"depth,omitzero"`
	Rev    string           `json:"rev,omitzero"`    // of methodChange
	Search *search.Question `json:"search,omitzero"` // of methodCode
}

// codeReply is the answer. It includes a fault, because an error would lose its kind and its hint
// on the socket.
type codeReply struct {
	Code     *nearby.Code     `json:"code,omitzero"`
	Module   *graph.Module    `json:"module,omitzero"`
	Impact   *graph.Impact    `json:"impact,omitzero"`
	Deleted  []graph.Deletion `json:"deleted,omitzero"`
	Found    *search.Answer   `json:"found,omitzero"`
	Pieces   []code.Piece     `json:"pieces,omitzero"`
	Fault    string           `json:"fault,omitzero"`
	Hint     string           `json:"hint,omitzero"`
	None     bool             `json:"none,omitzero"` // the fault is that the thing does not exist
	NoCode   bool             `json:"no_code,omitzero"`
	Busy     bool             `json:"busy,omitzero"` // the code is being indexed: ask again
	Progress *graph.Progress  `json:"far,omitzero"`
}

// faultReply returns a reply with a fault.
func faultReply(err error) codeReply {
	return codeReply{Fault: err.Error(), Hint: Hint(err), None: errors.Is(err, memory.ErrNotFound)}
}

// err returns the fault as an error.
func (r codeReply) err() error {
	if r.Fault == "" {
		return nil
	}
	e := &memory.UserError{Msg: r.Fault, Hint: r.Hint}
	if r.None {
		e.Err = memory.ErrNotFound
	}
	return e
}

// replyTimeout is how long a leader works on a question before it replies that it is busy. It is
// shorter than the timeout of package leader for its callers.
const replyTimeout = 2 * time.Second

// replyAboutCode answers another process's question about the code.
func (s *Server) replyAboutCode(ctx context.Context, method string, q codeQuestion) codeReply {
	ix, err := s.o.Graph()
	if err == nil && !ix.Synced() {
		err = errNotIndexed
	}
	if err != nil { // the caller reads the code itself, or waits for who does
		return codeReply{Fault: err.Error(), NoCode: true}
	}
	if method != methodCode && method != methodChange {
		return s.aboutCode(ctx, ix, method, q)
	}
	short, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	r := s.aboutCode(short, ix, method, q)
	if short.Err() != nil && ctx.Err() == nil {
		if method == methodChange { // it would start over each time, so the caller computes it
			return codeReply{Fault: "the change is too large to look at here", NoCode: true}
		}
		return codeReply{Busy: true, Progress: s.reader.progress.Load()}
	}
	if r.Found != nil {
		r.Found.Index.By = s.o.Role
	}
	return r
}

// errNotIndexed says that a leader has not read the code yet: what it does not know may be there.
var errNotIndexed = errors.New("the code is not indexed yet")

// aboutCode answers a question from a code graph.
func (s *Server) aboutCode(ctx context.Context, ix *graph.Index, method string, q codeQuestion) codeReply {
	switch method {
	case methodCode:
		if q.Search == nil {
			return faultReply(errors.New("nothing says what to search"))
		}
		found, pieces, err := s.reader.search(ctx, *q.Search)
		if err != nil {
			return faultReply(err)
		}
		return codeReply{Found: &found, Pieces: pieces}
	case methodChange: // its lines are those of the current files
		if _, err := ix.Sync(ctx, nil); err != nil && !errors.Is(err, graph.ErrBusy) {
			return faultReply(GraphError(err))
		}
	}
	changed, deleted, err := s.changeOf(ctx, ix, method, q)
	if err != nil {
		if unread := ix.Ask(ctx, func(*graph.Graph) {}); unread != nil {
			return codeReply{Fault: unread.Error(), NoCode: true}
		}
		return faultReply(err)
	}
	var reply codeReply
	err = ix.Ask(ctx, func(g *graph.Graph) {
		if method == methodModule {
			reply = aboutFolder(g, q)
		} else {
			reply = aboutSymbols(g, method, q, changed, deleted)
		}
	})
	if err != nil {
		return codeReply{Fault: err.Error(), NoCode: true}
	}
	return reply
}

// changeOf returns the difference that a question is about, with the removed symbols; nil if it is about none.
func (s *Server) changeOf(ctx context.Context, ix *graph.Index, method string, q codeQuestion) (*change.Change, []graph.Deletion, error) {
	if method != methodChange {
		return nil, nil, nil
	}
	commit, err := change.ResolveCommit(ctx, s.Place(), q.Rev)
	if err != nil {
		return nil, nil, err
	}
	return changeSince(ctx, ix, s.Root(), commit)
}

// aboutFolder answers a question about a folder.
func aboutFolder(g *graph.Graph, q codeQuestion) codeReply {
	for _, p := range q.Places {
		if m, ok := g.Module(p.File); ok {
			return codeReply{Module: &m}
		}
	}
	return codeReply{Fault: "there is no such folder in the code graph", None: true}
}

// aboutSymbols answers a question about the symbols at some places.
func aboutSymbols(g *graph.Graph, method string, q codeQuestion, changed *change.Change, deleted []graph.Deletion) codeReply {
	var all []*graph.Symbol
	for _, p := range q.Places {
		syms, err := nearby.Symbols(g, p)
		if err != nil {
			return faultReply(err)
		}
		all = append(all, syms...)
	}
	if method == methodGraph {
		c := nearby.Describe(g, q.Places[0], all)
		return codeReply{Code: &c}
	}
	if changed == nil {
		im := g.Impact(all, q.Depth)
		return codeReply{Impact: &im}
	}
	symbols := changed.Symbols(g, deleted)
	im := g.Impact(change.Unique(slices.Concat(all, symbols)), q.Depth)
	changed.Count(&im, symbols, deleted)
	return codeReply{Impact: &im, Deleted: deleted}
}

// changeSince returns the difference from a commit, with the removed symbols.
func changeSince(ctx context.Context, ix *graph.Index, root, commit string) (*change.Change, []graph.Deletion, error) {
	c, err := change.Since(ctx, root, commit)
	if err != nil {
		return nil, nil, err
	}
	deleted, err := DeletedBy(ctx, ix, root, c)
	return c, deleted, err
}

// DeletedBy compares the files of a change, and returns the symbols that it removed.
func DeletedBy(ctx context.Context, ix *graph.Index, root string, c *change.Change) ([]graph.Deletion, error) {
	old, err := c.Old(ctx, root)
	if err != nil {
		return nil, err
	}
	if err := c.Compare(ctx, root, old); err != nil {
		return nil, err
	}
	deleted, err := ix.Deleted(ctx, old)
	if err != nil {
		return nil, GraphError(err)
	}
	return deleted, nil
}
