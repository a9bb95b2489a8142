package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/history"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
	"manicule/memory/leader"
	"manicule/memory/search"
)

// led is a workspace for which this process offers to lead. While it leads, it
// answers searches of other processes, and makes vectors of what has none.
type led struct {
	*memory.Workspace
	app      *app
	config   *config.Config
	role     string // lsp or mcp
	ix       *graph.Index
	election *leader.Election
	searcher *search.Searcher
	model    *embed.Service   // nil where there is none; other workspaces may have the same
	give     func() error     // says that this one needs it no longer
	stages   func() error     // frees the other models, and git's files
	past     *history.History // nil outside of git
	embeds   bool             // whether code gets vectors too
	stop     context.CancelFunc
	work     sync.WaitGroup
	changed  chan struct{} // has a value when memories changed
	unsub    func()

	ctx     context.Context //nolint:containedctx // ends with Close: what is read goes on when who asked has gone
	far     atomic.Pointer[graph.Progress]
	mu      sync.Mutex // guards what follows
	reading *reading   // nil when the words of the code are not being read
	closed  bool
}

// reading is a run that brings the words of the code up to it.
type reading struct {
	done chan struct{}
	err  error // once done is closed
}

// lead offers to lead a workspace that is open for an editor or an agent; role
// is which. onLead, which may be nil, is called when it does lead, and has to
// end with its context. ix is the code graph that who opens the workspace keeps of
// it; nil for the one that the app keeps, if any.
func (a *app) lead(ctx context.Context, w *memory.Workspace, c *config.Config, role string, ix *graph.Index, onLead func(context.Context)) *led {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &led{Workspace: w, app: a, config: c, role: role, ix: ix, ctx: ctx, stop: stop, changed: make(chan struct{}, 1)}
	// The server has the memory files watched, so a question need not look at each.
	o := search.Options{Workspace: w, Graph: l.graph, Index: lateGraph{l}, Trust: watched}
	past, closeGit := a.history(w.Place())
	if past != nil {
		o.History, l.past = past, past
	}
	p := a.embeddings(c, w.Place().ModelsDir())
	name := c.String("embedding.provider")
	// A server would get all the code: nobody has wanted that by the default.
	l.embeds = c.Bool("embedding.code") && (name == provider.Local || c.From("embedding.code") != config.Default)
	if o.Expect = p.Expect; name != provider.Off {
		dir := w.Place().ModelsDir()
		l.model, l.give = a.loaded.take(modelKey{a.embedding(c), dir}, func() *embed.Service { return p.Service(embed.System()) })
		o.Model = l.model
	}
	closeStages := a.stages(&o, c)
	l.stages = func() error { return errors.Join(closeStages(), closeGit()) }
	l.searcher = search.New(o)
	l.unsub = w.Subscribe(func() {
		select {
		case l.changed <- struct{}{}:
		default: // it will look anyway
		}
	})
	l.election = leader.Stand(ctx, w.Place().LockFile(), w.Place().Socket(), leader.Hello{Version: version, Role: role, Root: w.Root()}, l.answer, func() {
		l.work.Go(func() { l.keep(ctx) })
		if onLead != nil {
			l.work.Go(func() { onLead(ctx) })
		}
	})
	return l
}

// Find answers by the whole pipeline; Search of the workspace is by words alone.
func (l *led) Find(ctx context.Context, q search.Question) (search.Answer, error) {
	return l.searcher.Memories(ctx, q)
}

// answer is what the leader says to other processes.
func (l *led) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case askSearch:
		var q search.Question
		if err := json.Unmarshal(params, &q); err != nil {
			return nil, fmt.Errorf("understand the question: %w", err)
		}
		answer, err := l.searcher.Memories(ctx, q)
		answer.Index.By = l.role
		return answer, err
	case askGraph, askImpact, askModule, askChange, askCode:
		var q codeQuestion
		if err := json.Unmarshal(params, &q); err != nil {
			return nil, fmt.Errorf("understand the question: %w", err)
		}
		return l.code(ctx, method, q), nil
	}
	return nil, fmt.Errorf("unknown method %q", method)
}

// findCode searches the code. Its words are brought up to the code graph first,
// which takes a while the first time.
func (l *led) findCode(ctx context.Context, q search.Question) (search.Answer, []code.Piece, error) {
	r := l.readWords()
	if r == nil {
		return search.Answer{}, nil, context.Canceled
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return search.Answer{}, nil, ctx.Err()
	}
	if r.err != nil {
		return search.Answer{}, nil, fmt.Errorf("read the words of the code: %w", r.err)
	}
	return l.searcher.Code(ctx, q)
}

// readWords begins to read the words of the code, or joins whoever does. It is
// nil after the end has begun.
func (l *led) readWords() *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reading != nil || l.closed {
		return l.reading
	}
	r := &reading{done: make(chan struct{})}
	l.reading = r
	l.work.Go(func() {
		r.err = l.searcher.SyncCode(l.ctx, func(done, total int) { l.far.Store(&graph.Progress{Phase: "words", Done: done, Total: total}) })
		l.far.Store(nil)
		l.mu.Lock()
		l.reading = nil
		l.mu.Unlock()
		close(r.done)
	})
	return r
}

// errNoGraph says that the server has no code graph of the workspace.
var errNoGraph = errors.New("the server keeps no code graph here")

// index is the code graph that the server keeps of the workspace.
func (l *led) index() (*graph.Index, error) {
	if l.ix != nil {
		return l.ix, nil
	}
	if v, ok := l.app.graphs.Load(l.Root()); ok {
		if ix, ok := v.(*graph.Index); ok {
			return ix, nil
		}
	}
	return nil, errNoGraph
}

func (l *led) graph(ctx context.Context) (*graph.Graph, error) {
	ix, err := l.index()
	if err != nil {
		return nil, err
	}
	return ix.Graph(ctx)
}

// lateGraph is the code graph that the server may come to have.
type lateGraph struct{ l *led }

// Files lists the files of the graph.
func (g lateGraph) Files(ctx context.Context) ([]graph.File, error) {
	ix, err := g.l.index()
	if err != nil {
		return nil, err
	}
	return ix.Files(ctx)
}

// Chunks lists the pieces of a file.
func (g lateGraph) Chunks(ctx context.Context, file string) ([]graph.Chunk, error) {
	ix, err := g.l.index()
	if err != nil {
		return nil, err
	}
	return ix.Chunks(ctx, file)
}

// Graph loads the graph.
func (g lateGraph) Graph(ctx context.Context) (*graph.Graph, error) { return g.l.graph(ctx) }

// When a leader makes vectors, and how long it relies on what watches the files.
const (
	watched = time.Minute
	// keepAfter is how long a folder must have been open: what an editor asks at
	// once comes first.
	keepAfter = 20 * time.Second
	// memoryRest is how long memories must rest, codeRest after how long the code
	// and its history are looked through again.
	memoryRest = 2 * time.Second
	codeRest   = 5 * time.Minute
)

// keep keeps ready what searches need while this process leads: the vectors of
// memories, those of code where the settings want them, and the history.
func (l *led) keep(ctx context.Context) {
	wait, again := time.NewTimer(keepAfter), time.NewTicker(codeRest)
	defer wait.Stop()
	defer again.Stop()
	begun, whole := false, true
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.changed:
			if begun { // opening a folder is a change too
				wait.Reset(memoryRest)
			}
			continue
		case <-again.C:
			whole = true
		case <-wait.C:
		}
		l.prepare(ctx, whole)
		begun, whole = true, false
	}
}

// prepare does it once; whole is for the code too.
func (l *led) prepare(ctx context.Context, whole bool) {
	steps := []struct {
		what   string
		wanted bool
		do     func() error
	}{
		{"read the history", whole && l.past != nil, func() error {
			return readHistory(ctx, l.Place(), l.past)
		}},
		{"embed memories", l.model != nil && l.ready(), func() error {
			_, err := l.searcher.EmbedMemories(ctx, nil)
			return err
		}},
		{"read the code for search", whole && l.model != nil && l.embeds && l.ready(), func() error { return l.searcher.SyncCode(ctx, nil) }},
		{"embed code", whole && l.model != nil && l.embeds && l.ready(), func() error {
			_, err := l.searcher.EmbedCode(ctx, nil)
			return err
		}},
	}
	for _, s := range steps {
		if !s.wanted {
			continue
		}
		err := s.do()
		if errors.Is(err, embed.ErrNone) || errors.Is(err, errNoGraph) || ctx.Err() != nil {
			return // a model may come yet
		}
		if err != nil {
			l.app.logger().Warn(s.what, "root", l.Root(), "err", err)
		}
	}
}

// ready reports whether there is a model at all: to write the texts of all
// memories for none would only take memory.
func (l *led) ready() bool {
	c, _ := config.Load(l.Place().ConfigFile(), l.Place().UserConfigFile(), l.app.getenv) // Open logs the warnings
	return c.String("embedding.provider") != provider.Local || l.app.embeddings(c, l.Place().ModelsDir()).Expect().Model != ""
}

// Close steps back and closes the workspace.
func (l *led) Close() error {
	l.stop()
	l.mu.Lock()
	l.closed = true // whoever began to read words before is in l.work
	l.mu.Unlock()
	l.election.Close()
	l.unsub()
	l.work.Wait()
	err := errors.Join(l.searcher.Close(), l.stages())
	if l.model != nil {
		err = errors.Join(err, l.give())
	}
	return errors.Join(err, l.Workspace.Close())
}
