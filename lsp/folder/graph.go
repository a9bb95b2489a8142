package folder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.lsp.dev/uri"

	"manicule/indexer/graph"
	"manicule/lsp/convert"
	"manicule/lsp/session"
)

// Code is what the server needs of a workspace's code graph. It is safe for
// concurrent use.
type Code interface {
	Sync(ctx context.Context, progress func(graph.Progress), first ...string) (graph.Report, error)
	Watch(ctx context.Context, done func(graph.Report, error)) error
	Update(ctx context.Context, paths []string) (graph.Report, error)
	Overlay(ctx context.Context, sources map[string]graph.Source) error
	Graph(ctx context.Context) (*graph.Graph, error)
	Possible(ctx context.Context, of []*graph.Symbol) ([]graph.Relation, error)
	Release(unusedFor time.Duration)
	Close() error
}

// errNoCode is the reason for no code graph where Options has none.
var errNoCode = errors.New("this server keeps no code graph")

// indexing is how far the code graph is.
type indexing struct {
	done, total atomic.Int64
	failed      atomic.Bool
}

// The states of a code graph.
const (
	IndexReady   = "ready"
	IndexRunning = "indexing"
	IndexOff     = "off"
)

// Indexing returns the state of the code graph, and how many of the files are
// read.
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

// Indexed reports whether the code graph is up to the files.
func (f *Folder) Indexed() bool {
	select {
	case <-f.indexed:
		return true
	default:
		return false
	}
}

// WaitIndexed waits until the code graph is up to the files, which it now hurries
// to be.
func (f *Folder) WaitIndexed(ctx context.Context) error {
	select {
	case f.wanted <- struct{}{}:
	default: // another request waits already
	}
	select {
	case <-f.indexed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// indexRetry is how long to wait for another process that indexes.
const indexRetry = 2 * time.Second

// followCode keeps the code graph up to the files: what the person has open first,
// then the rest, then what changes.
func (f *Folder) followCode(ctx context.Context) {
	defer func() {
		if err := f.Code.Close(); err != nil {
			f.opts.LocalLog.Warn("close the code graph", "root", f.Root, "err", err)
		}
	}()
	select { // what an editor asks right after it has opened a folder comes first
	case <-time.After(f.opts.IndexAfter):
	case <-f.wanted:
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
			f.opts.Events.ListsChanged()
			return
		}
		select {
		case <-time.After(indexRetry):
		case <-ctx.Done():
			return
		}
	}
	close(f.indexed)
	f.opts.Events.ListsChanged()
	f.Code.Release(0) // building takes much more memory than loading again
	err := f.Code.Watch(ctx, func(_ graph.Report, err error) {
		f.RefreshSoon() // the code changed, whoever did it
		if err != nil && ctx.Err() == nil {
			f.opts.Log.Warn("follow the code", "root", f.Root, "err", err)
		}
	})
	if err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("follow the code", "root", f.Root, "err", err)
	}
}

// releaseIdle releases what has been idle for a while: the code graph, and git's
// objects.
func (f *Folder) releaseIdle(ctx context.Context) {
	tick := time.NewTicker(f.opts.Keep / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if f.Code != nil {
			f.Code.Release(f.opts.Keep)
		}
		if f.Tracker == nil {
			continue
		}
		if err := f.Tracker.ReleaseIdle(f.opts.Keep); err != nil {
			f.opts.LocalLog.Warn("close git's files", "root", f.Root, "err", err)
		}
	}
}

// index brings the graph up to the files.
func (f *Folder) index(ctx context.Context) error {
	var first []string
	for _, d := range f.opts.Documents().Documents() {
		if rel, ok := convert.RelFrom(f.Root, d.Path); ok && d.Open {
			first = append(first, filepath.ToSlash(rel))
		}
	}
	progress, end := f.opts.Events.Indexing(ctx, f)
	defer end()
	_, err := f.Code.Sync(ctx, func(p graph.Progress) {
		f.indexing.done.Store(int64(p.Done))
		f.indexing.total.Store(int64(p.Total))
		f.opts.Events.ListsChanged()
		progress(p)
	}, first...)
	return err
}

// SavedCode has a saved file indexed at once: the watcher gathers events first.
func (f *Folder) SavedCode(ctx context.Context, rel string) {
	if f.Code == nil || !f.Indexed() {
		return
	}
	_, err := f.Code.Update(ctx, []string{filepath.ToSlash(rel)})
	if err != nil && !errors.Is(err, graph.ErrBusy) && ctx.Err() == nil {
		f.opts.Log.Warn("index a saved file", "path", f.Abs(rel), "err", err)
	}
}

// WithGraph calls use with the code graph under an overlay of the unsaved buffers
// of a snapshot, except one of them. The overlay stays until use returns.
func (f *Folder) WithGraph(ctx context.Context, snap *session.Snapshot, except uri.URI, use func(*graph.Graph) error) error {
	f.overlays.Lock()
	defer f.overlays.Unlock()
	unsaved := map[string]graph.Source{}
	for _, d := range snap.Documents() {
		if in, ok := convert.RelFrom(f.Root, d.Path); ok && d.Open && d.Base() != d && d.URI != except {
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
