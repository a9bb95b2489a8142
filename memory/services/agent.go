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

// Agent is a workspace that is open for a coding agent, whose process follows the
// memory files and the code by itself. An editor's process has its language server
// for that.
type Agent struct {
	*Server
	Code *Code

	stop context.CancelFunc
	work sync.WaitGroup

	slowUntil atomic.Pointer[time.Time] // until when Look leaves places as they are
	watching  atomic.Bool               // the memory files are watched
	syncing   sync.Mutex                // one look at the memory files at a time
}

// ServeAgent competes for the leadership of the workspace for an agent. Close of the
// agent closes it.
func (w *Workspace) ServeAgent(ctx context.Context, role string) *Agent {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	a := &Agent{stop: stop}
	project := w.Place().IsProject()
	a.Code = &Code{wanted: make(chan struct{}), indexed: make(chan struct{})}
	if project && w.Config.Bool("index.enabled") {
		a.Code.ix = w.Graph()
	}
	w.Tracker() // opened before what uses it in the background
	a.Code.w = w
	a.Server = w.Serve(ctx, ServeOptions{Role: role, Graph: a.Code.index, OnLead: a.Code.keep})
	a.Code.server = a.Server
	if project {
		a.work.Go(func() { a.watchMemories(ctx) })
	}
	a.work.Go(func() { a.releaseIdle(ctx) })
	return a
}

// Find searches: in this process where it leads, else by the leader, which has
// the model warm. Where the leader does not answer, this process searches.
func (a *Agent) Find(ctx context.Context, q search.Question) (search.Answer, error) {
	if !a.Leading() && !q.Lexical {
		if out, err := search.Ask(ctx, a.Place().Socket(), q); err == nil || ctx.Err() != nil {
			return out, err
		}
	}
	return a.Server.Find(ctx, q)
}

// How long a call may look for where the code of its memories is, and for how
// long later calls don't try after one that came to no end: memories whose code
// is gone are looked for in the whole tree.
const (
	lookTimeout = 30 * time.Millisecond
	lookBackoff = 30 * time.Second
)

// Locate finds where the code of memories is now. Where that takes long, it is where
// the last look of the leader has found it.
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

// unwatchedFor is how long the memory files are taken for what they were when
// nobody watches them.
const unwatchedFor = time.Second

// Fresh brings the view up to the memory files: their folders are looked at each
// time, the files where they are not watched.
func (a *Agent) Fresh(ctx context.Context) error {
	age := unwatchedFor
	if a.watching.Load() {
		age = watchedFor
	}
	a.syncing.Lock()
	defer a.syncing.Unlock()
	_, err := a.SyncWithin(ctx, age)
	return err
}

// watchMemories follows the memory files. Each process does, so that all answer
// alike.
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
	changed() // what happened before anyone watched
	a.watching.Store(true)
	<-ctx.Done()
	if err := w.Close(); err != nil {
		log.Warn("stop to watch the memories", "err", err)
	}
}

// idleAfter is how long idle data stays in memory: the code graph, git's
// files.
const idleAfter = 40 * time.Second

// releaseIdle releases what has been idle for a while.
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

// Indexing says how far a reading of the code has come, false when none is under
// way.
func (a *Agent) Indexing() (graph.Progress, bool) {
	for _, p := range []*graph.Progress{a.Code.progress.Load(), a.reader.progress.Load()} {
		if p != nil {
			return *p, true
		}
	}
	return graph.Progress{}, false
}

// Index is the state of what answers are made from.
type Index struct {
	Leader  string // "this process", "lsp 4711", "none"
	Graph   string // "built", "building", or why there is none
	Files   int
	Symbols int
	Model   string // which makes vectors, "" for words alone
}

// Index says which process leads the workspace, and how large the code graph is.
func (a *Agent) Index(ctx context.Context) Index {
	out := Index{Leader: "none", Graph: "none"}
	var hello leader.Hello
	switch {
	case a.Leading():
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
		c, _ := a.opener.Settings(a.Place()) // a person may have chosen another model meanwhile
		out.Model = a.opener.embeddings(a.Place(), c).Expect().Model
	}
	return out
}

// Close steps back and closes what is open.
func (a *Agent) Close() error {
	a.stop()
	a.work.Wait()
	return a.Server.Close()
}
