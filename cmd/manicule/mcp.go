package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"manicule/hooks/mcp"
	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/watch"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/around"
	"manicule/memory/config"
	"manicule/memory/embed/provider"
	"manicule/memory/follow"
	"manicule/memory/leader"
	"manicule/memory/search"
)

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve an agent by the Model Context Protocol on standard input and output",
		Long: "Serve an agent by the Model Context Protocol on standard input and output: it asks for\n" +
			"memories, proposes new ones and looks at what a change may break. The workspace is that of\n" +
			"the client's roots, of --root, or of the current folder. It ends with its agent.",
		Example: "  claude mcp add manicule -- manicule mcp\n  manicule mcp --root path/to/repository",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cwd, err := os.Getwd()
			if err != nil {
				return &memory.UserError{Msg: "the current folder is gone: " + err.Error(), Err: err, Hint: "Change to a folder, or use --root."}
			}
			dir := a.root
			if dir != "" && !filepath.IsAbs(dir) {
				dir = filepath.Join(cwd, dir)
			}
			in, out := a.files()
			return mcp.Serve(cmd.Context(), in, out, mcp.Options{
				Version: version, Dir: dir, Cwd: cwd, Getenv: a.getenv, Now: a.now, Log: a.logger(), Parent: os.Getppid, Idle: settle,
				Open: a.agentSpace,
			})
		},
	}
}

// agentSpace opens a workspace for an agent, and offers to lead it.
func (a *app) agentSpace(ctx context.Context, dir string) (*mcp.Space, error) {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil, &memory.UserError{Msg: dir + " is no folder", Hint: "Name a folder of the workspace, as a root of the client or by --root."}
	}
	w, err := memory.Open(memory.Options{Dir: dir, Env: workspace.Env{Getenv: a.getenv, Random: a.random}, Now: a.now, Random: a.random, Log: a.logger()})
	if err != nil {
		return nil, err
	}
	c, warnings := config.Load(w.Place().ConfigFile(), w.Place().UserConfigFile(), a.getenv)
	for _, x := range warnings {
		a.logger().Warn(x.String())
	}
	w.SetDefaults(c.String("user.name"), visibility(c))
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &agentSpace{app: a, w: w, track: follow.Open(w), stop: stop, wanted: make(chan struct{}), indexed: make(chan struct{})}
	project := w.Place().IsProject()
	if project && c.Bool("index.enabled") {
		s.ix = a.graphIndex(w.Place())
	}
	s.meaning = c.String("embedding.provider") != provider.Off
	s.led = a.lead(ctx, w, c, "mcp", s.ix, s.keepCode)
	if project {
		s.work.Go(func() { s.watchMemories(ctx) })
	}
	s.work.Go(func() { s.releaseIdle(ctx) })
	if project && c.Bool("observer.enabled") {
		s.work.Go(func() { a.catchUp(ctx, w, c) })
	}
	return &mcp.Space{
		Memories: w, Find: s.find, Look: s.look, Fresh: s.fresh, Describe: s.describe, Module: s.module, Impact: s.impact, Change: s.change, Code: s.code,
		Indexing: s.indexing, Index: s.index, Close: s.close,
	}, nil
}

// agentSpace is a workspace that is open for an agent.
type agentSpace struct {
	app     *app
	w       *memory.Workspace
	led     *led
	ix      *graph.Index // nil where no code is read
	track   *follow.Tracker
	meaning bool
	stop    context.CancelFunc
	work    sync.WaitGroup

	slow     atomic.Pointer[time.Time] // until when nobody looks for code
	watching atomic.Bool               // the memory files are watched
	looked   sync.Mutex                // one look at the memory files at a time

	want    sync.Once
	wanted  chan struct{} // closed when a call asks for the code graph
	once    sync.Once
	indexed chan struct{}                  // closed when this process has read the code to its end
	far     atomic.Pointer[graph.Progress] // of a reading under way
}

// find searches: in this process where it leads, else by the leader, which has
// the model warm; where that does not answer, in this process all the same.
func (s *agentSpace) find(ctx context.Context, q search.Question) (out search.Answer, err error) {
	if !s.led.election.Leading() && !q.Lexical {
		if leader.Ask(ctx, s.w.Place().Socket(), askSearch, q, &out) == nil {
			return out, nil
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	return s.led.Find(ctx, q)
}

// How long a call may look for where the code of its memories is, and for how
// long no other tries after one that came to no end: memories whose code is gone
// are looked for in the whole tree.
const (
	lookFor   = 30 * time.Millisecond
	lookAgain = 30 * time.Second
)

// look finds where the code of memories is now; where that takes long, it is
// where the last look of the leader has found it.
func (s *agentSpace) look(ctx context.Context, hits []memory.Hit) []memory.Hit {
	now := s.app.now()
	if until := s.slow.Load(); until != nil && now.Before(*until) {
		return hits
	}
	short, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	out, err := s.track.Look(short, hits)
	switch {
	case err == nil:
		return out
	case short.Err() != nil && ctx.Err() == nil:
		until := now.Add(lookAgain)
		s.slow.Store(&until)
	case ctx.Err() == nil:
		s.app.logger().Warn("look where the code of the memories is", "err", err)
	}
	return hits
}

// freshFor is how long the memory files are taken for what they were when nobody
// watches them.
const freshFor = time.Second

// fresh brings the view up to the memory files: their folders are looked at each
// time, the files where nobody watches them.
func (s *agentSpace) fresh(ctx context.Context) error {
	age := freshFor
	if s.watching.Load() {
		age = watched
	}
	s.looked.Lock()
	defer s.looked.Unlock()
	_, err := s.w.SyncWithin(ctx, age)
	return err
}

// watchMemories follows the memory files: each process does, so that all answer
// alike.
func (s *agentSpace) watchMemories(ctx context.Context) {
	changed := func() {
		if _, err := s.w.Sync(ctx); err != nil && ctx.Err() == nil {
			s.app.logger().Warn("read the memories", "root", s.w.Root(), "err", err)
		}
	}
	w, err := watch.Open([]string{filepath.Join(s.w.Root(), workspace.Folder)}, watch.Options{
		Changed: func([]string) { changed() },
		Rescan:  func(error) { changed() },
	})
	if err != nil {
		s.app.logger().Warn("watch the memories", "root", s.w.Root(), "err", err)
		return
	}
	changed() // what happened before anyone watched
	s.watching.Store(true)
	<-ctx.Done()
	if err := w.Close(); err != nil {
		s.app.logger().Warn("stop to watch the memories", "err", err)
	}
}

// How a leader keeps the code graph.
const (
	indexAfter = 2 * time.Second        // what an agent asks at once comes first
	indexAgain = 500 * time.Millisecond // while another process indexes
	keep       = 40 * time.Second       // how long what nobody uses stays in memory: the code graph, what git said
)

// keepCode keeps the code graph up to the files while this process leads.
func (s *agentSpace) keepCode(ctx context.Context) {
	if s.ix == nil {
		return
	}
	select {
	case <-time.After(indexAfter):
	case <-s.wanted:
	case <-ctx.Done():
		return
	}
	if err := s.readCode(ctx); err != nil {
		if ctx.Err() == nil {
			s.app.logger().Warn("index the code", "root", s.w.Root(), "err", err)
		}
		return
	}
	s.refreshAnchors(ctx)
	select {
	case <-s.wanted:
	default:
		s.ix.Release(0) // building takes much more than keeping what nobody has asked for yet
	}
	err := s.ix.Watch(ctx, func(_ graph.Report, err error) {
		if err != nil && !errors.Is(err, graph.ErrBusy) && ctx.Err() == nil {
			s.app.logger().Warn("follow the code", "root", s.w.Root(), "err", err)
		}
		s.refreshAnchors(ctx)
	})
	if err != nil && ctx.Err() == nil {
		s.app.logger().Warn("follow the code", "root", s.w.Root(), "err", err)
	}
}

// readCode reads the code to its end, once.
func (s *agentSpace) readCode(ctx context.Context) error {
	for {
		_, err := s.ix.Sync(ctx, func(p graph.Progress) { s.far.Store(&p) })
		s.far.Store(nil)
		if err == nil {
			s.once.Do(func() { close(s.indexed) })
			return nil
		}
		if !errors.Is(err, graph.ErrBusy) {
			return err
		}
		select {
		case <-time.After(indexAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refreshAnchors notes where the code of the memories is now, for all processes.
func (s *agentSpace) refreshAnchors(ctx context.Context) {
	r, err := s.track.Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		s.app.logger().Warn("look where the code of the memories is", "err", err)
	}
	for _, x := range r.Faults {
		s.app.logger().Warn("an anchor was not looked for", "file", x.Path, "err", x.Err)
	}
}

// releaseIdle gives back what nobody has used for a while.
func (s *agentSpace) releaseIdle(ctx context.Context) {
	tick := time.NewTicker(keep / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if s.ix != nil {
				s.ix.Release(keep)
			}
			if err := s.track.Rest(keep); err != nil {
				s.app.logger().Warn("close git's files", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (s *agentSpace) indexing() (graph.Progress, bool) {
	for _, far := range []*atomic.Pointer[graph.Progress]{&s.far, &s.led.far} {
		if p := far.Load(); p != nil {
			return *p, true
		}
	}
	return graph.Progress{}, false
}

// codeQuestion is a question to the code graph, as a leader is asked it. A leader
// of an older version does not know a member that it lacks, and answers as if it
// were not there: what changes the answer needs a method of its own.
type codeQuestion struct {
	Places []around.Place   `json:"places"`
	Depth  int              `json:"depth,omitzero"`
	Rev    string           `json:"rev,omitzero"`    // of askChange
	Search *search.Question `json:"search,omitzero"` // of askCode
}

// codeReply is its answer. A fault is part of it: over the socket an error would
// lose its kind and its hint.
type codeReply struct {
	Code    *around.Code     `json:"code,omitzero"`
	Module  *graph.Module    `json:"module,omitzero"`
	Impact  *graph.Impact    `json:"impact,omitzero"`
	Deleted []graph.Deletion `json:"deleted,omitzero"`
	Found   *search.Answer   `json:"found,omitzero"`
	Pieces  []code.Piece     `json:"pieces,omitzero"`
	Fault   string           `json:"fault,omitzero"`
	Hint    string           `json:"hint,omitzero"`
	None    bool             `json:"none,omitzero"` // the fault is that there is no such thing
	NoCode  bool             `json:"no_code,omitzero"`
	Busy    bool             `json:"busy,omitzero"` // it is being read: ask again
	Far     *graph.Progress  `json:"far,omitzero"`
}

// fault is a reply that says what is wrong.
func fault(err error) codeReply {
	return codeReply{Fault: err.Error(), Hint: hint(err), None: errors.Is(err, memory.ErrNotFound)}
}

// err is the fault as an error.
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

// leaderTries is how long a leader works at one question before it says that it
// is at it: shorter than who asks waits for any answer ([leader.Exchange]).
const leaderTries = 2 * time.Second

// code answers a question about the code that this process keeps, for another
// one.
func (l *led) code(ctx context.Context, method string, q codeQuestion) codeReply {
	ix, err := l.index()
	if err != nil {
		return codeReply{Fault: err.Error(), NoCode: true}
	}
	if method != askCode && method != askChange {
		return l.askCode(ctx, ix, method, q)
	}
	short, cancel := context.WithTimeout(ctx, leaderTries)
	defer cancel()
	r := l.askCode(short, ix, method, q)
	if short.Err() != nil && ctx.Err() == nil {
		if method == askChange { // it would begin anew each time: who asks does it, and nothing runs on here
			return codeReply{Fault: "the change is too large to look at here", NoCode: true}
		}
		return codeReply{Busy: true, Far: l.far.Load()}
	}
	if r.Found != nil {
		r.Found.Index.By = l.role
	}
	return r
}

// askCode answers a question about the code.
func (l *led) askCode(ctx context.Context, ix *graph.Index, method string, q codeQuestion) codeReply {
	switch method {
	case askCode:
		if q.Search == nil {
			return fault(errors.New("nothing says what to search"))
		}
		found, pieces, err := l.findCode(ctx, *q.Search)
		if err != nil {
			return fault(err)
		}
		return codeReply{Found: &found, Pieces: pieces}
	case askChange: // its lines are those of the files as they are
		if _, err := ix.Sync(ctx, nil); err != nil && !errors.Is(err, graph.ErrBusy) {
			return fault(graphFault(err))
		}
	}
	g, err := ix.Graph(ctx)
	if err != nil {
		return codeReply{Fault: err.Error(), NoCode: true}
	}
	if method == askModule {
		for _, p := range q.Places {
			if m, ok := g.Module(p.File); ok {
				return codeReply{Module: &m}
			}
		}
		return codeReply{Fault: "there is no such folder in the code graph", None: true}
	}
	var all []*graph.Symbol
	for _, p := range q.Places {
		syms, err := around.Symbols(g, p)
		if err != nil {
			return fault(err)
		}
		all = append(all, syms...)
	}
	var deleted []graph.Deletion
	switch method {
	case askGraph:
		c := around.Describe(g, q.Places[0], all)
		return codeReply{Code: &c}
	case askChange:
		commit, err := commitNamed(ctx, l.Workspace, q.Rev)
		if err != nil {
			return fault(err)
		}
		changes, gone, err := l.app.changes(ctx, l.Workspace, ix, commit)
		if err != nil {
			return fault(err)
		}
		deleted = gone
		all = unique(append(all, changes.symbols(g, gone)...))
	}
	im := g.Impact(all, q.Depth)
	return codeReply{Impact: &im, Deleted: deleted}
}

// ask asks about the code: what this process keeps where it leads, else the
// leader, so that not each agent's process keeps all of it. Where the leader has
// none, or is of a version that does not know the question, this process reads
// the code itself.
func (s *agentSpace) ask(ctx context.Context, method string, q codeQuestion) (codeReply, error) {
	if s.ix == nil {
		return codeReply{}, noCode(s.w.Place())
	}
	s.want.Do(func() { close(s.wanted) })
	if !s.led.election.Leading() {
		r, err := s.askLeader(ctx, method, q)
		if err == nil && !r.NoCode {
			return r, r.err()
		}
		if ctx.Err() != nil {
			return codeReply{}, ctx.Err()
		}
		if err := s.readCode(ctx); err != nil {
			return codeReply{}, graphFault(err)
		}
	} else {
		select {
		case <-s.indexed:
		case <-ctx.Done():
			return codeReply{}, ctx.Err()
		}
	}
	r := s.led.askCode(ctx, s.ix, method, q)
	if ctx.Err() != nil {
		return codeReply{}, ctx.Err()
	}
	return r, r.err()
}

// askLeader asks the leader, again as long as it says that it is at it.
func (s *agentSpace) askLeader(ctx context.Context, method string, q codeQuestion) (codeReply, error) {
	defer s.far.Store(nil)
	for {
		var r codeReply
		err := leader.Ask(ctx, s.w.Place().Socket(), method, q, &r)
		if err != nil || !r.Busy || ctx.Err() != nil {
			return r, errors.Join(err, ctx.Err())
		}
		s.far.Store(r.Far)
	}
}

func noCode(p *workspace.Workspace) error {
	if !p.IsProject() {
		return &memory.UserError{Msg: p.Root + " is no project: its code is not read", Hint: "Start the agent in a git repository, or in a folder where `manicule init` ran."}
	}
	return &memory.UserError{Msg: "the code graph is turned off", Hint: "Set index.enabled to true in the settings and start the server again."}
}

func (s *agentSpace) describe(ctx context.Context, p around.Place) (around.Code, error) {
	r, err := s.ask(ctx, askGraph, codeQuestion{Places: []around.Place{p}})
	if err != nil || r.Code == nil {
		return around.Code{}, err
	}
	return *r.Code, nil
}

func (s *agentSpace) module(ctx context.Context, dir string) (graph.Module, error) {
	r, err := s.ask(ctx, askModule, codeQuestion{Places: []around.Place{{File: dir}}})
	if err != nil || r.Module == nil {
		return graph.Module{}, err
	}
	return *r.Module, nil
}

func (s *agentSpace) impact(ctx context.Context, places []around.Place, depth int) (graph.Impact, error) {
	r, err := s.ask(ctx, askImpact, codeQuestion{Places: places, Depth: depth})
	if err != nil || r.Impact == nil {
		return graph.Impact{}, err
	}
	return *r.Impact, nil
}

func (s *agentSpace) change(ctx context.Context, rev string, places []around.Place, depth int) (graph.Impact, []graph.Deletion, error) {
	r, err := s.ask(ctx, askChange, codeQuestion{Places: places, Rev: rev, Depth: depth})
	if err != nil || r.Impact == nil {
		return graph.Impact{}, nil, err
	}
	return *r.Impact, r.Deleted, nil
}

func (s *agentSpace) code(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error) {
	r, err := s.ask(ctx, askCode, codeQuestion{Search: &q})
	if err != nil || r.Found == nil {
		return search.Answer{}, nil, err
	}
	return *r.Found, r.Pieces, nil
}

// index is the state of what answers are made from.
func (s *agentSpace) index(ctx context.Context) mcp.Index {
	out := mcp.Index{Leader: "none", Graph: "none"}
	var hello leader.Hello
	switch {
	case s.led.election.Leading():
		out.Leader = "this process"
	case leader.Ask(ctx, s.w.Place().Socket(), "hello", nil, &hello) == nil:
		out.Leader = fmt.Sprintf("%s %d", hello.Role, hello.PID)
	}
	switch {
	case s.ix == nil:
		out.Graph = noCode(s.w.Place()).Error()
	case s.far.Load() != nil:
		out.Graph = "building"
	case graph.Exists(s.w.Place().CacheDir()):
		st, err := s.ix.State(ctx)
		if err != nil {
			out.Graph = err.Error()
			break
		}
		out.Graph, out.Files, out.Symbols = "built", st.Files, st.Symbols
		if st.Indexed.IsZero() {
			out.Graph = "building"
		}
	}
	if s.meaning {
		c, _ := config.Load(s.w.Place().ConfigFile(), s.w.Place().UserConfigFile(), s.app.getenv)
		out.Model = s.app.embeddings(c, s.w.Place().ModelsDir()).Expect().Model
	}
	return out
}

// close steps back and closes what is open.
func (s *agentSpace) close() error {
	s.stop()
	s.work.Wait()
	err := errors.Join(s.track.Close(), s.led.Close())
	if s.ix != nil {
		s.app.graphs.Delete(s.w.Root())
		err = errors.Join(err, s.ix.Close())
	}
	return err
}
