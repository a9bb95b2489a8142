// Package mcp implements the Model Context Protocol: the tools, resources and prompts
// with which an agent asks for memories, proposes new ones and looks up the impact of
// a change. It serves one agent over one connection. It receives a workspace as
// functions ([Space]); it must not know LSP, SQL, or how a workspace is opened or led.
//
// Answers are data for a model. Memories' words are cleaned and fenced, as in the
// texts of hooks. Every answer carries a mark that tells hooks not to learn from it,
// keeps to a token budget, and says what it left out. Writes wait for a person's
// approval.
package mcp

//lint:file-ignore SA1019 Roots and logging go with the next protocol; today's clients have nothing else.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/guide"
	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/nearby"
	"manicule/memory/search"
)

// Options is what the server takes from its process.
type Options struct {
	Version string
	// Dir is the folder that a person named; "" lets the client's roots decide,
	// then CLAUDE_PROJECT_DIR, then Cwd.
	Dir, Cwd string
	Getenv   func(string) string
	Now      func() time.Time
	Log      *slog.Logger
	// Open opens the workspace that a folder lies in.
	Open func(ctx context.Context, dir string) (*Space, error)
	// Parent is the id of the process that started this one, which is asked each
	// Poll: another one means that it is gone. nil looks for no parent.
	Parent func() int
	Poll   time.Duration // a second when 0
	// Idle is called when no call has come for a while: the time to give back what
	// answering has left.
	Idle func()
}

// Space is an open workspace with what only its process can do with it. All
// functions but Close may be called from any goroutine.
type Space struct {
	Memories *memory.Workspace
	// Find searches the memories.
	Find func(ctx context.Context, q search.Question) (search.Answer, error)
	// Look finds where the code of some memories is now.
	Look func(ctx context.Context, hits []memory.Hit) []memory.Hit
	// Fresh updates the database from the memory files, unless they are watched.
	Fresh func(ctx context.Context) error
	// Describe, Module and Impact ask the code graph.
	Describe func(ctx context.Context, p nearby.Place) (nearby.Code, error)
	Module   func(ctx context.Context, dir string) (graph.Module, error)
	Impact   func(ctx context.Context, places []nearby.Place, depth int) (graph.Impact, error)
	// Change is the impact of what differs from a revision of git, with that of some
	// places, and the symbols that are gone since then.
	Change func(ctx context.Context, rev string, places []nearby.Place, depth int) (graph.Impact, []graph.Deletion, error)
	// Code searches the code. The pieces are those of the answer's results. It waits
	// until the code has been read for it.
	Code func(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error)
	// Indexing says how far a first reading of the code has come; false when
	// none is under way.
	Indexing func() (graph.Progress, bool)
	// Index says how large the code graph is, and who leads the workspace.
	Index func(ctx context.Context) Index
	Close func() error
}

// Index is the state of what answers are made from.
type Index struct {
	Leader  string `json:"leader"` // "this process", "lsp 4711", "none"
	Graph   string `json:"graph"`  // "built", "building", or why there is none
	Files   int    `json:"files,omitempty"`
	Symbols int    `json:"symbols,omitempty"`
	Model   string `json:"model,omitempty"` // which makes vectors, "" for words alone
}

// server is one connection.
type server struct {
	opts   Options
	log    *slog.Logger
	mcp    *mcp.Server
	spaces *spaces
	seen   *seen
	wrote  sync.Map // uuids of the drafts that came by this connection
	topics *listing

	base context.Context //nolint:containedctx // ends all work when the client is gone
	stop context.CancelFunc

	idle    *time.Timer  // nil without a listener
	atRests atomic.Int32 // how often memory was given back since the last call

	mu     sync.Mutex // guards closed
	closed bool
	work   sync.WaitGroup
}

// spawn runs work beside the calls; none after the end has begun.
func (s *server) spawn(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(f)
	}
}

// instructions are what a model reads ahead of the tools, within the 2 KB that
// hosts keep of it: the rule that all agents are given, and what is of these
// tools alone.
func instructions() string {
	return "☞ Manicule. " + guide.Standing() +
		"\nStart a task with `context`. Before you change what others use, ask `impact`. Answers are short: `recall` with `ids` shows memories in full. " +
		"`confirm` what you found to be true."
}

func newServer(ctx context.Context, o Options) *server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Poll == 0 {
		o.Poll = time.Second
	}
	s := &server{opts: o, log: o.Log, seen: newSeen()}
	s.base, s.stop = context.WithCancel(context.WithoutCancel(ctx)) // its work ends by stop, after the calls
	s.spaces = newSpaces(s)
	if o.Idle != nil {
		s.idle = time.AfterFunc(time.Hour, s.atRest)
		s.rested()
	}
	s.topics = newListing(s)
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "manicule", Title: "Manicule", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions(),
		PageSize:     pageSize,
		Capabilities: &mcp.ServerCapabilities{
			Logging:   &mcp.LoggingCapabilities{},
			Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
		InitializedHandler: s.initialized,
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) {
			s.spawn(func() { s.spaces.askRoots(r.Session) })
		},
		CompletionHandler:  s.complete,
		SubscribeHandler:   s.subscribe,
		UnsubscribeHandler: s.unsubscribe,
		// What is remembered is this user's, and changes at any time.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope, c.TTLMs = "private", 0 },
	})
	s.mcp.AddReceivingMiddleware(s.topics.middleware, masking)
	s.addTools()
	s.addPrompts()
	s.topics.add()
	return s
}

// rests is how long no call has come each time that a server gives memory back:
// soon, for what calls have left, and later for what was read beside them, as
// where the code of all memories is.
func rests() []time.Duration {
	return []time.Duration{1500 * time.Millisecond, 8 * time.Second, 50 * time.Second}
}

// rested begins to wait for rest again.
func (s *server) rested() {
	if s.idle != nil {
		s.atRests.Store(0)
		s.idle.Reset(rests()[0])
	}
}

// atRest gives memory back, and waits on.
func (s *server) atRest() {
	s.opts.Idle()
	if n := int(s.atRests.Add(1)); n < len(rests()) {
		s.idle.Reset(rests()[n])
	}
}

// pageSize is how many resources one page of a list has.
const pageSize = 50

// initialized runs when a client of the older protocol is ready; one of the
// newer protocol never says so, and its first call opens the workspace.
func (s *server) initialized(_ context.Context, r *mcp.InitializedRequest) {
	s.spaces.askRoots(r.Session)
	s.spawn(func() {
		if sp, err := s.spaces.current(s.base); err == nil && sp.Fresh != nil { // so that the first question finds it warm
			if err := sp.Fresh(s.base); err != nil && s.base.Err() == nil {
				s.log.Warn("read the memories", "err", err)
			}
		}
	})
}

// patience is how long the end waits for calls that are still running.
const patience = time.Second

// Serve answers one client on in and out, lines of JSON-RPC, until the input
// ends, the parent process is gone or ctx ends. It then returns within two
// seconds, whatever is still running.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	s := newServer(ctx, o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Parent != nil {
		go s.watchParent(ctx, cancel)
	}
	t := newLines(in, out, cancel)
	done := make(chan error, 1)
	go func() { done <- s.mcp.Run(ctx, t) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		s.stop() // first: a running call must not hold the end
		select {
		case err = <-done:
		case <-time.After(patience):
		}
	}
	if cerr := s.close(); cerr != nil {
		err = errors.Join(err, cerr)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // the client went, as it may
	}
	return err
}

// close ends all work and closes what was opened, or gives up: the process ends
// and the system frees its locks.
func (s *server) close() error {
	s.stop()
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		s.work.Wait()
		done <- s.spaces.close()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return nil
	}
}

// watchParent ends the server when the process that started it is gone: some
// die without closing our input.
func (s *server) watchParent(ctx context.Context, end func()) {
	parent := s.opts.Parent()
	tick := time.NewTicker(s.opts.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.opts.Parent() != parent {
				s.log.Info("the parent process is gone", "pid", parent)
				end()
				return
			}
		}
	}
}

// hinted is an error as an agent reads it: what went wrong, and what to do.
func hinted(err error) error {
	if u, ok := errors.AsType[*memory.UserError](err); ok && u.Hint != "" {
		return fmt.Errorf("%w. Try: %s", err, u.Hint)
	}
	return err
}

func wrong(msg, hint string) error { return &memory.UserError{Msg: msg, Hint: hint} }
