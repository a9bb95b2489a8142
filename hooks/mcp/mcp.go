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
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/guide"
	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/nearby"
	"manicule/memory/search"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// Options are the inputs of the server.
type Options struct {
	Version string
	// Dir is the folder that a person named. If it is "", the client's roots decide, then
	// CLAUDE_PROJECT_DIR, then Cwd.
	Dir, Cwd string
	Getenv   func(string) string
	Now      func() time.Time
	Log      *slog.Logger
	// Open opens the workspace of a folder.
	Open func(ctx context.Context, dir string) (*Space, error)
	// Parent returns the id of the parent process and is called at each Poll. A changed id
	// means that the parent is gone. nil disables the check.
	Parent func() int
	Poll   time.Duration // three seconds when 0
	// Structured adds the answer as data, with its schema. It says the same as the text in no
	// more tokens, and most hosts give a model the data where there are any.
	Structured bool
	// Idle is called after a period without calls, to return the memory that answers have
	// left.
	Idle func()
}

// Opening is what a session that starts is told beside the list of memories.
type Opening struct {
	Text     string
	Threads  []thread.Thread // that the text tells
	Memories []string        // uuids of those that it quotes
}

// Space is an open workspace with the services of its process. All functions except Close
// are safe for concurrent use.
type Space struct {
	Memories *memory.Workspace
	// Find searches the memories.
	Find func(ctx context.Context, q search.Question) (search.Answer, error)
	// Look resolves the anchors of some memories.
	Look func(ctx context.Context, hits []memory.Hit) []memory.Hit
	// Fresh updates the database from the memory files, unless they are watched.
	Fresh func(ctx context.Context) error
	// Opening composes what a session that starts is told beside the list of memories.
	Opening func(ctx context.Context, agent, session, purpose string) (Opening, error)
	// Describe, Module and Impact ask the code graph.
	Describe func(ctx context.Context, p nearby.Place) (nearby.Code, error)
	Module   func(ctx context.Context, dir string) (graph.Module, error)
	Impact   func(ctx context.Context, places []nearby.Place, depth int) (graph.Impact, error)
	// Change is the impact of the difference from a git revision, together with that of some
	// places, and the symbols deleted since then.
	Change func(ctx context.Context, rev string, places []nearby.Place, depth int) (graph.Impact, []graph.Deletion, error)
	// Code searches the code. The pieces are those of the answer's results. It waits until
	// the code is indexed for it.
	Code func(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error)
	// Indexing returns the progress of a first indexing; false if none is running.
	Indexing func() (graph.Progress, bool)
	// Readiness returns the size of the code graph and the leader of the workspace.
	Readiness func(ctx context.Context) search.Readiness
	Close     func() error
}

// server is one connection.
type server struct {
	opts     Options
	log      *slog.Logger
	mcp      *mcp.Server
	spaces   *spaces
	sessions *sessions
	tools    toolbox
	prompts  *prompts
	topics   *listing
	inputs   map[string]object // the schemas of the tools' arguments, by name; read only once all are added
	writes   map[string]bool   // the tools that change something; likewise

	*background
	idle *idleTimer // nil without a listener
}

// instructions are what a model reads before the tools, within the 2 KB that hosts keep:
// the rule for all agents, and advice on the tools.
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
		o.Poll = 3 * time.Second
	}
	s := &server{opts: o, log: o.Log, inputs: map[string]object{}, writes: map[string]bool{}, background: newBackground(ctx)}
	s.spaces = newSpaces(s)
	s.sessions = &sessions{background: s.background, spaces: s.spaces, getenv: o.Getenv, now: o.Now, log: o.Log, seen: newShownMemories()}
	s.tools = newToolbox(&toolkit{spaces: s.spaces, sessions: s.sessions, now: o.Now, log: o.Log})
	s.prompts = &prompts{tools: s.tools, spaces: s.spaces}
	if o.Idle != nil {
		s.idle = newIdleTimer(o.Idle)
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
		CompletionHandler:  s.prompts.complete,
		SubscribeHandler:   s.topics.subscribe,
		UnsubscribeHandler: s.topics.unsubscribe,
		// Memories belong to this user and change at any time.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope, c.TTLMs = "private", 0 },
	})
	s.mcp.AddReceivingMiddleware(coding, s.topics.middleware, masking, s.reading, s.hideIdle, s.checkArguments)
	s.addTools()
	s.addBuildTool()
	s.addWorkTool()
	s.addPrompts()
	s.topics.add()
	return s
}

// pageSize is the number of resources on one page of a list.
const pageSize = 50

// initialized runs when a client of the older protocol is ready. A client of the newer
// protocol never says so, and its first call opens the workspace.
func (s *server) initialized(_ context.Context, r *mcp.InitializedRequest) {
	s.spaces.askRoots(r.Session)
	s.spawn(func() {
		if sp, err := s.spaces.current(s.base); err == nil && sp.Fresh != nil { // warms the workspace up for the first question
			if err := sp.Fresh(s.base); err != nil && s.base.Err() == nil {
				s.log.Warn("read the memories", "err", err)
			}
		}
	})
}

// Serve answers one client on in and out, lines of JSON-RPC, until the input ends, the
// parent process is gone or ctx ends. It then returns within two seconds, whatever is
// still running.
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
		s.stop() // first, so that a running call can't delay the end
		select {
		case err = <-done:
		case <-time.After(closeTimeout):
		}
	}
	if cerr := s.close(); cerr != nil {
		err = errors.Join(err, cerr)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil // the client left, which is normal
	}
	return err
}

// close ends all work and closes the workspaces, or gives up: the process ends and the
// system releases its locks.
func (s *server) close() error {
	s.stop()
	s.idle.stop()
	return s.finish(s.spaces.close)
}

// watchParent ends the server when its parent process is gone, because some die without
// closing our input.
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

// withHint formats an error with its hint for an agent.
func withHint(err error) error {
	if u, ok := errors.AsType[*memory.UserError](err); ok && u.Hint != "" {
		return fmt.Errorf("%w. Try: %s", err, inTools(u.Hint))
	}
	if errors.Is(err, store.ErrNewer) {
		return fmt.Errorf("%w. Try: Tell the person that Manicule was updated while this server ran: it has to be started again, with the agent. `recall` and `search` still answer", err)
	}
	return err
}

// inTools rewrites a hint about flags of the command line as one about a tool's arguments.
func inTools(hint string) string {
	return strings.NewReplacer("--scope ", "scope ", "--at ", "at ", "`manicule list` shows the ids", "`recall` and `search` tell the ids", ", or use --root.", ".").Replace(hint)
}

func userError(msg, hint string) error { return &memory.UserError{Msg: msg, Hint: hint} }
