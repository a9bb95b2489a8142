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
	Possible(ctx context.Context, of []*graph.Symbol) ([]graph.Relation, error)
	Release(unusedFor time.Duration)
	Close() error
}

// errNoCode is the reason if Options has no code graph.
var errNoCode = errors.New("this server has no code graph")

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
	IndexReady   = "ready"
	IndexRunning = "indexing"
	IndexOff     = "off"
)

// Indexing returns the state of the code graph, and how many files have been read.
func (f *Folder) Indexing() (state string, done, total int64) {
	switch {
	case f.Code == nil || f.indexing.failed.Load():
		return IndexOff, 0, 0
	case f.Indexed():
		state = IndexReady
	default:
		state = IndexRunning
	}
	return state, f.indexing.done.Load(), f.indexing.total.Load()
}

// Indexed reports whether the code graph is up to date.
func (f *Folder) Indexed() bool {
	select {
	case <-f.indexed:
		return true
	default:
		return false
	}
}

// WaitIndexed waits until the code graph is up to date, or until it can't be made. Indexing starts at once if it
// was to start later, and again if it failed before.
func (f *Folder) WaitIndexed(ctx context.Context) error {
	if f.Indexed() {
		return nil
	}
	failed := f.indexing.wait()
	select {
	case f.requested <- struct{}{}:
	default: // another request has asked already
	}
	select {
	case <-f.indexed:
		return nil
	case <-failed:
		return f.indexing.why()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errClosed is told who waits for the code graph of a folder that is closed meanwhile.
var errClosed = errors.New("the folder was closed")

// indexRetry is how long to wait while another process indexes.
const indexRetry = 2 * time.Second

// followCode keeps the code graph up to date: open documents first, then the rest, then
// what changes.
func (f *Folder) followCode(ctx context.Context) {
	defer func() {
		f.indexing.fail(errClosed, true)
		if err := f.Code.Close(); err != nil {
			f.opts.LocalLog.Warn("close the code graph", "root", f.Root, "err", err)
		}
	}()
	select { // leave the CPU to the first requests of the editor
	case <-time.After(f.opts.IndexAfter):
	case <-f.requested:
	case <-ctx.Done():
		return
	}
	for {
		err := f.index(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, graph.ErrBusy) {
			f.opts.Log.Warn("index the code", "root", f.Root, "err", err)
			f.indexing.failed.Store(true)
			f.indexing.fail(fmt.Errorf("index the code: %w", err), false)
			f.opts.Events.ListsChanged()
			select { // a full disk, say, may have room by then
			case <-f.requested:
				f.indexing.failed.Store(false)
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
	close(f.indexed)
	f.opts.Events.ListsChanged()
	f.Code.OnRebuild(f.showIndexing)
	f.Code.Release(0) // building used much more memory than loading does
	err := f.Code.Watch(ctx, func(_ graph.Report, err error) {
		f.RefreshSoon() // the code changed
		if err != nil && ctx.Err() == nil {
			f.opts.Log.Warn("follow the code", "root", f.Root, "err", err)
		}
	})
	if err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("follow the code", "root", f.Root, "err", err)
	}
}

// releaseIdle frees what was not used for a while: the code graph, and git's objects.
func (f *Folder) releaseIdle(ctx context.Context) {
	tick := time.NewTicker(f.opts.CacheTTL / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if f.Code != nil {
			f.Code.Release(f.opts.CacheTTL)
		}
		if f.Tracker == nil {
			continue
		}
		if err := f.Tracker.ReleaseIdle(f.opts.CacheTTL); err != nil {
			f.opts.LocalLog.Warn("close git's files", "root", f.Root, "err", err)
		}
	}
}

// index brings the graph up to date.
func (f *Folder) index(ctx context.Context) error {
	var first []string
	for _, d := range f.opts.Documents().Documents() {
		if rel, ok := convert.RelFrom(f.Root, d.Path); ok && d.Open {
			first = append(first, filepath.ToSlash(rel))
		}
	}
	progress, end := f.showIndexing(ctx)
	defer end()
	_, err := f.Code.Sync(ctx, progress, first...)
	return err
}

// showIndexing shows the progress of building the graph.
func (f *Folder) showIndexing(ctx context.Context) (progress func(graph.Progress), end func()) {
	show, end := f.opts.Events.Indexing(ctx, f)
	return func(p graph.Progress) {
		f.indexing.done.Store(int64(p.Done))
		f.indexing.total.Store(int64(p.Total))
		f.opts.Events.ListsChanged()
		show(p)
	}, end
}

// SavedCode indexes a saved file at once, because the watcher collects events first.
func (f *Folder) SavedCode(ctx context.Context, rel string) {
	if f.Code == nil || !f.Indexed() {
		return
	}
	_, err := f.Code.Update(ctx, []string{filepath.ToSlash(rel)})
	if err != nil && !errors.Is(err, graph.ErrBusy) && ctx.Err() == nil {
		f.opts.Log.Warn("index a saved file", "path", f.Abs(rel), "err", err)
	}
}

// WithGraph calls use with the code graph under an overlay of a snapshot's unsaved
// buffers, except for one document. The overlay stays until use returns.
func (f *Folder) WithGraph(ctx context.Context, snap *session.Snapshot, except uri.URI, use func(*graph.Graph) error) error {
	f.overlays.Lock()
	defer f.overlays.Unlock()
	unsaved := map[string]graph.Source{}
	for _, d := range snap.Unsaved() {
		if in, ok := convert.RelFrom(f.Root, d.Path); ok && d.URI != except {
			unsaved[filepath.ToSlash(in)] = d
		}
	}
	if err := f.Code.Overlay(ctx, unsaved); err != nil {
		return fmt.Errorf("put unsaved text over the code graph: %w", err)
	}
	g, err := f.Code.Graph(ctx)
	if err != nil {
		return fmt.Errorf("load the code graph: %w", err)
	}
	return use(g)
}
