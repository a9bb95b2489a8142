package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"manicule/indexer/graph"
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
	election *leader.Election
	searcher *search.Searcher
	model    *embed.Service // nil where there is none
	code     bool           // whether code gets vectors too
	stop     context.CancelFunc
	work     sync.WaitGroup
	changed  chan struct{} // has a value when memories changed
	unsub    func()
}

// lead offers to lead a workspace that is open for an editor or an agent.
func (a *app) lead(ctx context.Context, w *memory.Workspace, c *config.Config) *led {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &led{Workspace: w, app: a, stop: stop, changed: make(chan struct{}, 1)}
	o := search.Options{Workspace: w, Graph: l.graph, Index: lateGraph{l}}
	p := a.embeddings(c, w.Place().ModelsDir())
	name := c.String("embedding.provider")
	// A server would get all the code: nobody has wanted that by the default.
	l.code = c.Bool("embedding.code") && (name == provider.Local || c.From("embedding.code") != config.Default)
	if o.Expect = p.Expect(); name != provider.Off {
		l.model = p.Service(embed.System())
		o.Model = l.model
	}
	l.searcher = search.New(o)
	l.unsub = w.Subscribe(func() {
		select {
		case l.changed <- struct{}{}:
		default: // it will look anyway
		}
	})
	l.election = leader.Stand(ctx, w.Place().LockFile(), w.Place().Socket(), leader.Hello{Version: version, Role: "lsp", Root: w.Root()}, l.answer, func() {
		if l.model != nil {
			l.work.Go(func() { l.embed(ctx) })
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
	if method != askSearch {
		return nil, fmt.Errorf("unknown method %q", method)
	}
	var q search.Question
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, fmt.Errorf("understand the question: %w", err)
	}
	answer, err := l.searcher.Memories(ctx, q)
	answer.Index.By = "lsp"
	return answer, err
}

// errNoGraph says that the server has no code graph of the workspace.
var errNoGraph = errors.New("the server keeps no code graph here")

// index is the code graph that the server keeps of the workspace.
func (l *led) index() (*graph.Index, error) {
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

// When a leader makes vectors.
const (
	// embedAfter is how long a folder must have been open: what an editor asks at
	// once comes first.
	embedAfter = 20 * time.Second
	// embedRest is how long memories must rest, codeRest after how long the code
	// is looked through again.
	embedRest = 2 * time.Second
	codeRest  = 5 * time.Minute
)

// embed makes the vectors of memories, and of code where the settings want it,
// while this process leads.
func (l *led) embed(ctx context.Context) {
	wait := time.NewTimer(embedAfter)
	defer wait.Stop()
	var code <-chan time.Time
	if l.code {
		t := time.NewTicker(codeRest)
		defer t.Stop()
		code = t.C
	}
	whole := l.code
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.changed:
			wait.Reset(embedRest)
			continue
		case <-code:
			whole = true
		case <-wait.C:
		}
		if _, err := l.searcher.EmbedMemories(ctx, nil); l.failed(ctx, "embed memories", err) {
			return
		}
		if !whole {
			continue
		}
		whole = false
		if err := l.searcher.SyncCode(ctx, nil); l.failed(ctx, "read the code for search", err) {
			return
		}
		if _, err := l.searcher.EmbedCode(ctx, nil); l.failed(ctx, "embed code", err) {
			return
		}
	}
}

// failed logs what went wrong; it is true when there is no point in going on.
func (l *led) failed(ctx context.Context, what string, err error) bool {
	switch {
	case ctx.Err() != nil:
		return true
	case err == nil, errors.Is(err, errNoGraph), errors.Is(err, embed.ErrNone): // a model may come yet
		return false
	}
	l.app.logger().Warn(what, "root", l.Root(), "err", err)
	return false
}

// Close steps back and closes the workspace.
func (l *led) Close() error {
	l.stop()
	l.election.Close()
	l.unsub()
	l.work.Wait()
	err := l.searcher.Close()
	if l.model != nil {
		err = errors.Join(err, l.model.Close())
	}
	return errors.Join(err, l.Workspace.Close())
}
