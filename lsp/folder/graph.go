package folder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/uri"

	"manicule/indexer/graph"
	"manicule/lsp/convert"
	"manicule/lsp/session"
)

// Code is the code graph of a workspace, as far as the server uses it. It is safe for
// concurrent use.
type Code interface {
	Sync(ctx context.Context, progress func(graph.Progress), first ...string) (graph.Report, error)
	OnRebuild(begin func(context.Context) (progress func(graph.Progress), end func()))
	Watch(ctx context.Context, done func(graph.Report, error)) error
	Update(ctx context.Context, paths []string) (graph.Report, error)
	Overlay(ctx context.Context, sources map[string]graph.Source) error
	Graph(ctx context.Context) (*graph.Graph, error)
	Ask(ctx context.Context, f func(*graph.Graph)) error
	Possible(ctx context.Context, of []*graph.Symbol) ([]graph.Relation, error)
	Release(unusedFor time.Duration)
	Close() error
}

// errNoCode is the reason if Options has no code graph.
var errNoCode = errors.New("this server has no code graph")

// CodeIndex keeps the code graph of a folder up to date.
type CodeIndex struct {
	opts    *Options
	show    func(context.Context) (progress func(graph.Progress), end func()) // shows the client that it is being built
	changed func()                                                            // called after the code has changed
	code    Code                                                              // nil if there is none
	root    string

	ready     chan struct{} // closed when the graph is up to date
	requested chan struct{} // has a value when a request waits for the graph
	overlays  sync.Mutex    // held while buffers overlay the graph
	indexing  indexing
}

// indexing is the progress of the code graph.
type indexing struct {
	done, total atomic.Int64
	failed      atomic.Bool // the last attempt; the next may succeed

	mu      sync.Mutex
	err     error         // of the last attempt that failed; guarded by mu
	failure chan struct{} // closed when the next attempt fails; nil while nobody waits; guarded by mu
	over    bool          // there is no further attempt; guarded by mu
}

// wait returns a channel that is closed when an attempt fails.
func (i *indexing) wait() <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.failure == nil {
		i.failure = make(chan struct{})
		if i.over {
			close(i.failure)
		}
	}
	return i.failure
}

// fail tells those who wait why an attempt failed. over says that there is no other.
func (i *indexing) fail(err error, over bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.err, i.over = err, over
	if i.failure != nil {
		close(i.failure)
		i.failure = nil
	}
}

func (i *indexing) why() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.err
}

// The states of a code graph.
const (
	indexReady   = "ready"
	indexRunning = "indexing"
	indexOff     = "off"
)

// State returns the state of the code graph, and how many files have been read.
func (x *CodeIndex) State() (state string, done, total int64) {
	switch {
	case x.code == nil || x.indexing.failed.Load():
		return indexOff, 0, 0
	case x.Ready():
		state = indexReady
	default:
		state = indexRunning
	}
	return state, x.indexing.done.Load(), x.indexing.total.Load()
}

// Ready reports whether the code graph is up to date.
func (x *CodeIndex) Ready() bool {
	select {
	case <-x.ready:
		return true
	default:
		return false
	}
}

// Wait waits until the code graph is up to date, or until it can't be made. Indexing starts at once if it
// was to start later, and again if it failed before.
func (x *CodeIndex) Wait(ctx context.Context) error {
	if x.Ready() {
		return nil
	}
	failed := x.indexing.wait()
	select {
	case x.requested <- struct{}{}:
	default: // another request has asked already
	}
	select {
	case <-x.ready:
		return nil
	case <-failed:
		return x.indexing.why()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errClosed is told who waits for the code graph of a folder that is closed meanwhile.
var errClosed = errors.New("the folder was closed")

// indexRetry is how long to wait while another process indexes.
const indexRetry = 2 * time.Second

// follow indexes: open documents first, then the rest, then
// what changes.
func (x *CodeIndex) follow(ctx context.Context) {
	defer func() {
		x.indexing.fail(errClosed, true)
		if err := x.code.Close(); err != nil {
			x.opts.LocalLog.Warn("close the code graph", "root", x.root, "err", err)
		}
	}()
	select { // leave the CPU to the first requests of the editor
	case <-time.After(x.opts.IndexAfter):
	case <-x.requested:
	case <-ctx.Done():
		return
	}
	for {
		err := x.sync(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, graph.ErrBusy) {
			x.opts.Log.Warn("index the code", "root", x.root, "err", err)
			x.indexing.failed.Store(true)
			x.indexing.fail(fmt.Errorf("index the code: %w", err), false)
			x.opts.Events.ListsChanged()
			select { // a full disk, say, may have room by then
			case <-x.requested:
				x.indexing.failed.Store(false)
				continue
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-time.After(indexRetry):
		case <-ctx.Done():
			return
		}
	}
	close(x.ready)
	x.opts.Events.ListsChanged()
	x.code.OnRebuild(x.showProgress)
	x.code.Release(0) // building used much more memory than loading does
	err := x.code.Watch(ctx, func(_ graph.Report, err error) {
		x.changed()
		if err != nil && ctx.Err() == nil {
			x.opts.Log.Warn("follow the code", "root", x.root, "err", err)
		}
	})
	if err != nil && ctx.Err() == nil {
		x.opts.Log.Warn("follow the code", "root", x.root, "err", err)
	}
}

// sync brings the graph up to date.
func (x *CodeIndex) sync(ctx context.Context) error {
	var first []string
	for _, d := range x.opts.Documents().Documents() {
		if rel, ok := convert.RelFrom(x.root, d.Path); ok && d.Open {
			first = append(first, filepath.ToSlash(rel))
		}
	}
	progress, end := x.showProgress(ctx)
	defer end()
	_, err := x.code.Sync(ctx, progress, first...)
	return err
}

// showProgress shows the progress of building the graph.
func (x *CodeIndex) showProgress(ctx context.Context) (progress func(graph.Progress), end func()) {
	show, end := x.show(ctx)
	return func(p graph.Progress) {
		x.indexing.done.Store(int64(p.Done))
		x.indexing.total.Store(int64(p.Total))
		x.opts.Events.ListsChanged()
		show(p)
	}, end
}

// Saved indexes a saved file at once, because the watcher collects events first.
func (x *CodeIndex) Saved(ctx context.Context, rel string) {
	if x.code == nil || !x.Ready() {
		return
	}
	_, err := x.code.Update(ctx, []string{filepath.ToSlash(rel)})
	if err != nil && !errors.Is(err, graph.ErrBusy) && ctx.Err() == nil {
		x.opts.Log.Warn("index a saved file", "path", abs(x.root, rel), "err", err)
	}
}

// Ask calls use with what it needs of the code graph, under an overlay of a snapshot's unsaved
// buffers. It may call use again, and then only the last call counts.
func (x *CodeIndex) Ask(ctx context.Context, snap *session.Snapshot, use func(*graph.Graph) error) error {
	x.overlays.Lock()
	defer x.overlays.Unlock()
	if err := x.overlay(ctx, snap, ""); err != nil {
		return err
	}
	var answer error
	if err := x.code.Ask(ctx, func(g *graph.Graph) { answer = use(g) }); err != nil {
		return fmt.Errorf("read the code graph: %w", err)
	}
	return answer
}

// overlay puts a snapshot's unsaved buffers over the code graph, except for one document.
func (x *CodeIndex) overlay(ctx context.Context, snap *session.Snapshot, except uri.URI) error {
	unsaved := map[string]graph.Source{}
	for _, d := range snap.Unsaved() {
		if in, ok := convert.RelFrom(x.root, d.Path); ok && d.URI != except {
			unsaved[filepath.ToSlash(in)] = d
		}
	}
	if err := x.code.Overlay(ctx, unsaved); err != nil {
		return fmt.Errorf("put unsaved text over the code graph: %w", err)
	}
	return nil
}

// WithGraph calls use with the code graph under an overlay of a snapshot's unsaved
// buffers, except for one document. The overlay stays until use returns.
func (x *CodeIndex) WithGraph(ctx context.Context, snap *session.Snapshot, except uri.URI, use func(*graph.Graph) error) error {
	x.overlays.Lock()
	defer x.overlays.Unlock()
	if err := x.overlay(ctx, snap, except); err != nil {
		return err
	}
	g, err := x.code.Graph(ctx)
	if err != nil {
		return fmt.Errorf("load the code graph: %w", err)
	}
	return use(g)
}
