package services

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/graph"
	"manicule/indexer/watch"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/leader"
	"manicule/memory/search"
)

// Agent is a workspace opened for a coding agent. Its process watches the memory files and the code
// itself; in an editor's process the language server does that.
type Agent struct {
	*Server
	Code *Code

	stop context.CancelFunc
	work sync.WaitGroup

	slowUntil atomic.Pointer[time.Time] // until then, Locate uses known places
	watching  atomic.Bool               // whether the memory files are watched
}

// ServeAgent competes for the leadership of the workspace on behalf of an agent. Closing the agent
// closes the workspace.
func (w *Workspace) ServeAgent(ctx context.Context, role string) *Agent {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	a := &Agent{stop: stop}
	project := w.Place().IsProject()
	a.Code = &Code{wanted: make(chan struct{}), indexed: make(chan struct{}), unfollowed: make(chan struct{})}
	if project && w.Config.Bool("index.enabled") {
		a.Code.ix = w.Graph()
		a.Code.ix.OnRebuild(func(context.Context) (func(graph.Progress), func()) {
			return func(p graph.Progress) { a.Code.progress.Store(&p) }, func() { a.Code.progress.Store(nil) }
		})
	}
	w.Tracker() // opened before background work uses it
	a.Code.w = w
	a.Server = w.Serve(ctx, ServeOptions{Role: role, Graph: a.Code.index, OnLead: a.Code.keep})
	a.Code.server = a.Server
	if project {
		a.work.Go(func() { a.watchMemories(ctx) })
	}
	a.work.Go(func() { a.releaseIdle(ctx) })
	return a
}

// Find searches in the leader, which keeps the model loaded. If no other process leads, or the
// leader doesn't answer, it searches in this process.
func (a *Agent) Find(ctx context.Context, q search.Question) (search.Answer, error) {
	if !a.leading() && !q.Lexical {
		if out, err := search.Ask(ctx, a.Place().Socket(), q); err == nil || ctx.Err() != nil {
			return out, err
		}
	}
	return a.Server.Find(ctx, q)
}

// lookTimeout is how long a call may locate the code of its memories. After a timeout, calls don't
// try again within lookBackoff, because code that is gone is searched in the whole tree.
const (
	lookTimeout = 30 * time.Millisecond
	lookBackoff = 30 * time.Second
)

// Locate resolves the current places of the memories' code. After a timeout it returns the last
// known places.
func (a *Agent) Locate(ctx context.Context, hits []memory.Hit) []memory.Hit {
	now := a.opener.Now()
	if until := a.slowUntil.Load(); until != nil && now.Before(*until) {
		return hits
	}
	short, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	out, err := a.Tracker().LocateFast(short, hits)
	switch {
	case err == nil:
		return out
	case short.Err() != nil && ctx.Err() == nil:
		until := now.Add(lookBackoff)
		a.slowUntil.Store(&until)
	case ctx.Err() == nil:
		a.opener.Log.Warn("look where the code of the memories is", "err", err)
	}
	return hits
}

// unwatchedFor is how long unwatched memory files count as unchanged.
const unwatchedFor = time.Second

// Fresh updates the view from the memory files. It checks their folders each time, and the files if
// they are not watched.
func (a *Agent) Fresh(ctx context.Context) error {
	age := unwatchedFor
	if a.watching.Load() {
		age = watchedFor
	}
	_, err := a.SyncWithin(ctx, age)
	return err
}

// watchMemories follows the memory files. Every process does, so that all give the same answers.
func (a *Agent) watchMemories(ctx context.Context) {
	log := a.opener.Log
	changed := func() {
		if _, err := a.Sync(ctx); err != nil && ctx.Err() == nil {
			log.Warn("read the memories", "root", a.Root(), "err", err)
		}
	}
	w, err := watch.Open([]string{filepath.Join(a.Root(), workspace.Folder)}, watch.Options{
		Changed: func([]string) { changed() },
		Rescan:  func(error) { changed() },
	})
	if err != nil {
		log.Warn("watch the memories", "root", a.Root(), "err", err)
		return
	}
	changed() // catch changes from before the watch began
	a.watching.Store(true)
	<-ctx.Done()
	if err := w.Close(); err != nil {
		log.Warn("stop to watch the memories", "err", err)
	}
}

// idleAfter is how long idle data stays in memory: the code graph, git's files.
const idleAfter = 40 * time.Second

// releaseIdle periodically releases idle data.
func (a *Agent) releaseIdle(ctx context.Context) {
	tick := time.NewTicker(idleAfter / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if a.Code.ix != nil {
				a.Code.ix.Release(idleAfter)
			}
			if err := a.Tracker().ReleaseIdle(idleAfter); err != nil {
				a.opener.Log.Warn("close git's files", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Indexing returns the progress of indexing. It returns false if none is running.
func (a *Agent) Indexing() (graph.Progress, bool) {
	for _, p := range []*graph.Progress{a.Code.progress.Load(), a.reader.progress.Load()} {
		if p != nil {
			return *p, true
		}
	}
	return graph.Progress{}, false
}

// Readiness reports which process leads the workspace, and the size of the code graph.
func (a *Agent) Readiness(ctx context.Context) search.Readiness {
	out := search.Readiness{Leader: "none", Graph: "none"}
	var hello leader.Hello
	switch {
	case a.leading():
		out.Leader = "this process"
	case leader.Ask(ctx, a.Place().Socket(), "hello", nil, &hello) == nil:
		out.Leader = fmt.Sprintf("%s %d", hello.Role, hello.PID)
	}
	switch {
	case a.Code.ix == nil:
		out.Graph = noCode(a.Place()).Error()
	case a.Code.progress.Load() != nil:
		out.Graph = "building"
	case graph.Exists(a.Place().CacheDir()):
		st, err := a.Code.ix.State(ctx)
		if err != nil {
			out.Graph = err.Error()
			break
		}
		out.Graph, out.Files, out.Symbols = "built", st.Files, st.Symbols
		if st.Indexed.IsZero() {
			out.Graph = "building"
		}
	}
	if a.Embedder() != nil {
		c, _ := a.opener.Settings(a.Place()) // a person may have selected another model meanwhile
		out.Model = a.opener.embeddings(a.Place(), c).Expect().Model
	}
	return out
}

// Close gives up the leadership and closes the workspace.
func (a *Agent) Close() error {
	a.stop()
	a.work.Wait()
	return a.Server.Close()
}
