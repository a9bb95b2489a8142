package graph

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/background"
	"manicule/indexer/sqlfile"
	"manicule/indexer/watch"
)

// Options configures an index.
type Options struct {
	Root    string // absolute, links resolved
	Dir     string // cache folder of the worktree
	Now     func() time.Time
	Log     *slog.Logger
	Workers int           // number of parsers; 0 is the number of processors
	Commit  func() string // current commit, for the state of the index
}

// Progress reports how far indexing has come.
type Progress struct {
	Phase string // "read", "resolve"
	Done  int
	Total int
	First bool // the workspace was never indexed completely
}

// Report summarizes a synchronization.
type Report struct {
	Files    int           `json:"files"`    // in the index
	Parsed   int           `json:"parsed"`   // parsed again
	Resolved int           `json:"resolved"` // resolved again
	Removed  int           `json:"removed"`
	Skipped  int           `json:"skipped"` // parsed but without data
	Cold     bool          `json:"cold"`
	Took     time.Duration `json:"-"`
	Reached  int           `json:"-"` // of how many files the declarations were read because the changed ones lead there; 0 if all were
}

// Index maintains the graph of one worktree. Its methods may be called from any
// goroutine; only one synchronization runs at a time.
type Index struct {
	mu   sync.Mutex // guards what follows
	held *held

	watching func(*watch.Options) // adjusts the watcher, for tests

	begins func(context.Context) (progress func(Progress), end func()) // of OnRebuild

	synced atomic.Bool // a Sync of this process has completed
}

// Open returns the index of a workspace. It reads nothing yet.
func Open(o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Commit == nil {
		o.Commit = func() string { return "" }
	}
	s := &store{dir: o.Dir, now: o.Now, id: rand.Text()}
	return &Index{held: &held{o: o, s: s, tree: &tree{root: o.Root, log: o.Log, s: s, faults: &faultLog{log: o.Log}}}}
}

// Close releases the database.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.held.s.close()
}

// Sync updates the index to the files. It reads the first paths first. If cancelled it
// keeps its progress, and the next Sync continues from there.
func (ix *Index) Sync(ctx context.Context, progress func(Progress), first ...string) (r Report, err error) {
	background.Run(func() { r, err = ix.syncOnce(ctx, progress, first) })
	return r, err
}

// OnRebuild sets what is told of a graph that is built as a whole where nobody asked for its progress: in place of one that was
// deleted or damaged, when a file changes. Questions wait for it. begin is called when it begins, and what it returns until end.
func (ix *Index) OnRebuild(begin func(context.Context) (progress func(Progress), end func())) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.begins = begin
}

// untold returns the progress for work of which nobody asked for it.
func (ix *Index) untold(ctx context.Context) (progress func(Progress), end func()) {
	var tell func(Progress)
	over := func() {}
	return func(p Progress) {
		if !p.First || ix.begins == nil {
			return
		}
		if tell == nil {
			tell, over = ix.begins(ctx)
		}
		tell(p)
	}, func() { over() }
}

// syncOnce is Sync on its caller's thread.
func (ix *Index) syncOnce(ctx context.Context, progress func(Progress), first []string) (Report, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	h := ix.held
	start := h.o.Now()
	if progress == nil {
		var end func()
		progress, end = ix.untold(ctx)
		defer end()
	}
	unlock, err := h.s.lock()
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	for attempt := 0; ; attempt++ {
		var r Report
		err := h.catchUp(ctx)
		if err == nil {
			err = h.withoutOverlays(ctx, func() (err error) {
				r, err = h.updateAll(ctx, progress, first)
				return err
			})
		}
		r.Took = h.o.Now().Sub(start)
		if err == nil || attempt > 0 || !damaged(err) {
			if err == nil && !ix.synced.Swap(true) {
				sqlfile.RemoveEarlier(h.s.dir, "graph", schema, h.o.Now())
			}
			return r, err
		}
		h.o.Log.Warn("the graph is damaged and is built again", "err", err)
		h.forget()
		if err := h.s.beginGeneration(ctx); err != nil {
			return r, err
		}
	}
}

// Built reports whether a synchronization of any process has ever completed. It reads nothing else, so that what a process
// that is at it has not written yet is not remembered, and begins no graph: that process may be about to.
func (ix *Index) Built(ctx context.Context) (bool, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	s := ix.held.s
	if s.db == nil && !Exists(s.dir) {
		return false, nil
	}
	if err := s.open(ctx); err != nil {
		return false, err
	}
	at, err := s.meta(ctx, metaIndexed)
	return at != "", err
}

// Synced reports whether a Sync of this process has completed. Before, the graph may be empty or of long ago.
func (ix *Index) Synced() bool { return ix.synced.Load() }

// Update updates some files, as a watcher or a save reports them. Paths are relative
// to the root, with slashes. A file that is gone is removed.
func (ix *Index) Update(ctx context.Context, paths []string) (Report, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	h := ix.held
	start := h.o.Now()
	if h.tree.ignored == nil {
		return Report{}, errors.New("query the index: it is not synchronized yet; try: synchronize it first")
	}
	unlock, err := h.s.lock()
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if err := h.catchUp(ctx); err != nil {
		return Report{}, err
	}
	if err := h.tree.readRows(ctx); err != nil {
		return Report{}, err
	}
	indexed, err := h.s.meta(ctx, metaIndexed)
	if err != nil {
		return Report{}, err
	}
	var r Report
	err = h.withoutOverlays(ctx, func() (err error) {
		if indexed == "" { // another process has begun a new graph and left it: these files are not all that it lacks
			progress, end := ix.untold(ctx)
			defer end()
			r, err = h.updateAll(ctx, progress, nil)
			return err
		}
		r, err = h.updateSome(ctx, paths, start.UnixNano())
		return err
	})
	r.Took = h.o.Now().Sub(start)
	return r, err
}

// Discard begins a new, empty graph.
func (ix *Index) Discard(ctx context.Context) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	unlock, err := ix.held.s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	ix.held.forget()
	return ix.held.s.beginGeneration(ctx)
}

// Graph returns the graph as of the last synchronization. A process that has not
// synchronized loads it from the database.
func (ix *Index) Graph(ctx context.Context) (*Graph, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.held.graph(ctx)
}

// Loaded reports whether the whole graph is in memory.
func (ix *Index) Loaded() bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.held.g != nil
}

// Release frees the memory of the graph unless it was used recently. The next query,
// or a change of a file, loads it again, with its unsaved buffers.
func (ix *Index) Release(unusedFor time.Duration) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.held.release(unusedFor)
}
