package services

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/memory/embed"
	"manicule/memory/leader"
	"manicule/memory/search"
)

// ServeOptions configure a workspace in a long-lived process.
type ServeOptions struct {
	Role string // lsp or mcp
	// Graph returns the code graph that the process keeps. It is called each time, because a graph
	// may come later. An error says why there is none.
	Graph func() (*graph.Index, error)
	// OnLead, which may be nil, runs while this process leads. Its context ends with the
	// leadership.
	OnLead func(context.Context)
}

// Server is a workspace that a long-lived process has open, for an editor or an agent. The process
// competes for leadership. While it leads, it answers searches of other processes and makes missing
// vectors.
type Server struct {
	*Workspace
	o        ServeOptions
	election *leader.Election
	searcher *search.Searcher
	reader   wordReader
	changed  chan struct{} // has a value after memories changed
	embedded atomic.Pointer[CodeProgress]
	onEmbed  atomic.Pointer[func(done, total int)]
	unsub    func()
	stop     context.CancelFunc
	work     sync.WaitGroup
}

// ErrNoGraph says that the server keeps no code graph of the workspace.
var ErrNoGraph = errors.New("the server keeps no code graph here")

// Serve competes for the leadership of the workspace. The server owns the workspace from then on
// and closes it.
func (w *Workspace) Serve(ctx context.Context, o ServeOptions) *Server {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{Workspace: w, o: o, stop: stop, changed: make(chan struct{}, 1)}
	s.searcher = s.openSearcher()
	s.reader = wordReader{ctx: ctx, searcher: s.searcher}
	s.unsub = w.Views().Subscribe(func() {
		select {
		case s.changed <- struct{}{}:
		default: // a change is pending already
		}
	})
	hello := leader.Hello{Version: w.opener.Version, Role: o.Role, Root: w.Root()}
	s.election = leader.Campaign(ctx, w.Place().LockFile(), w.Place().Socket(), hello, s.reply, func() {
		s.work.Go(func() { s.prepareWhileLeading(ctx) })
		if o.OnLead != nil {
			s.work.Go(func() { o.OnLead(ctx) })
		}
	})
	return s
}

// openSearcher opens the search that stays in memory. A model and a code graph may come later.
func (s *Server) openSearcher() *search.Searcher {
	o := search.Options{
		Workspace: s.Workspace.Workspace, Expect: s.Embeddings().Expect, Model: s.Embedder(), Graph: graphSource(s.o.Graph).Ask, Index: graphSource(s.o.Graph),
		// The server watches the memory files, so a search need not check each.
		Trust:     watchedFor,
		CodeModel: func() (*embed.Service, embed.Info) { return codeModel(s.Workspace) },
	}
	if past := s.GitHistory(); past != nil {
		o.History = past
	}
	addModelStages(s.Workspace, &o)
	return s.Workspace.openSearcher(o)
}

// Find runs the whole pipeline in this process.
func (s *Server) Find(ctx context.Context, q search.Question) (search.Answer, error) {
	return s.searcher.Memories(ctx, q)
}

// leading reports whether this process leads the workspace.
func (s *Server) leading() bool { return s.election.Leading() }

// Close gives up the leadership and closes the workspace.
func (s *Server) Close() error {
	s.stop()
	s.reader.refuse()
	s.election.Close()
	s.unsub()
	s.work.Wait()
	s.reader.work.Wait()
	return s.Workspace.Close()
}

// reply answers a question of another process.
func (s *Server) reply(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method == search.Method || method == search.MethodSelect {
		var q search.Question
		if err := json.Unmarshal(params, &q); err != nil {
			return nil, fmt.Errorf("understand the question: %w", err)
		}
		answer, err := s.searcher.Memories(ctx, q)
		answer.Index.By = s.o.Role
		return answer, err
	}
	if method == methodEmbedded {
		return s.embedded.Load(), nil
	}
	if !isCodeMethod(method) {
		return nil, fmt.Errorf("unknown method %q", method)
	}
	var q codeQuestion
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, fmt.Errorf("understand the question: %w", err)
	}
	return s.replyAboutCode(ctx, method, q), nil
}

// graphSource is the code graph that a server may get later.
type graphSource func() (*graph.Index, error)

// Files lists the files of the graph.
func (g graphSource) Files(ctx context.Context) ([]graph.File, error) {
	ix, err := g()
	if err != nil {
		return nil, err
	}
	return ix.Files(ctx)
}

// Chunks lists the chunks of a file.
func (g graphSource) Chunks(ctx context.Context, file string) ([]graph.Chunk, error) {
	ix, err := g()
	if err != nil {
		return nil, err
	}
	return ix.Chunks(ctx, file)
}

// Ask calls f with what it needs of the graph.
func (g graphSource) Ask(ctx context.Context, f func(*graph.Graph)) error {
	ix, err := g()
	if err != nil {
		return err
	}
	return ix.Ask(ctx, f)
}

// wordReader updates the keyword index over the code from the code graph. One update runs at a
// time; other callers wait for it.
type wordReader struct {
	ctx      context.Context //nolint:containedctx // an update outlives the caller that started it
	searcher *search.Searcher
	progress atomic.Pointer[graph.Progress] // of the reading under way

	mu      sync.Mutex // guards what follows
	reading *reading   // nil while there is none
	closed  bool
	work    sync.WaitGroup
}

// reading is one update.
type reading struct {
	done chan struct{}
	err  error // valid once done is closed
}

// search searches the code. It updates the keyword index first, which takes a while the first time.
func (r *wordReader) search(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error) {
	run := r.join()
	if run == nil {
		return search.Answer{}, nil, context.Canceled
	}
	select {
	case <-run.done:
	case <-ctx.Done():
		return search.Answer{}, nil, ctx.Err()
	}
	if run.err != nil {
		return search.Answer{}, nil, fmt.Errorf("read the words of the code: %w", run.err)
	}
	return r.searcher.Code(ctx, q)
}

// join starts an update or joins the running one. It returns nil after refuse.
func (r *wordReader) join() *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading != nil || r.closed {
		return r.reading
	}
	run := &reading{done: make(chan struct{})}
	r.reading = run
	r.work.Go(func() {
		run.err = r.searcher.SyncCode(r.ctx, func(done, total int) { r.progress.Store(&graph.Progress{Phase: "words", Done: done, Total: total}) })
		r.progress.Store(nil)
		r.mu.Lock()
		r.reading = nil
		r.mu.Unlock()
		close(run.done)
	})
	return run
}

// refuse prevents further updates. The running one ends with its context.
func (r *wordReader) refuse() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
}
