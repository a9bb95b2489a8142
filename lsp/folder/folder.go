// Package folder owns the open workspace folders: the memories of each, and its
// background work, which is watching files, following anchors, indexing code and
// watching agents' sessions. It must not know the client, the protocol's requests or
// how anything is shown.
package folder

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"go.lsp.dev/uri"

	"manicule/indexer/workspace"
	"manicule/lsp/convert"
	"manicule/memory"
)

// Folder is a workspace folder and its memories, which open in the background. The
// exported fields are set before the memories are read and never change.
type Folder struct {
	Dir      string   // as the client named it
	Root     string   // of the memories, spelled as the client spells Dir
	Memories Memories // nil if they could not be opened
	Err      error    // why Memories is nil
	Tracker  Tracker  // nil if anchors are not followed
	Code     Code     // nil if there is no code graph
	NoCode   error    // why Code is nil, and what to do
	Ledger   Ledger   // nil for none
	Sessions Sessions // nil for none
	Threads  Threads  // set with Memories

	// Coverage tells what changes in the folder and has no memory; nil without a history.
	Coverage CoverageFunc

	opts        *Options
	nested      bool          // found by the server, not named by the client
	located     chan struct{} // closed when the root is known, before the memories are read
	ready       chan struct{} // closed when opening has ended
	stop        func()        // ends the background work
	unsubscribe func()
	sync        chan struct{} // has a value while a sync is due

	// What is made of the services. They can be asked from the start.
	Anchors     Anchors
	Index       CodeIndex
	Scopes      Scopes
	OpenThreads OpenThreads
	Dismissed   Dismissed
	Waiting     Waiting
}

// ClientPath returns the path of a memory file with the root as the client spells it.
func (f *Folder) ClientPath(path string) string {
	if rel, ok := convert.RelFrom(f.Memories.Root(), path); ok {
		return f.Abs(rel)
	}
	return path
}

// Abs returns the path of a file given relative to the root.
func (f *Folder) Abs(rel string) string { return abs(f.Root, rel) }

func abs(root, rel string) string { return filepath.Join(root, filepath.FromSlash(rel)) }

// RealRel returns the path, relative to the root, of the file that a path leads to by links inside the workspace: memories are about
// files by their own names. A link that leads elsewhere, or into a workspace inside this one, is a file of its own.
func (f *Folder) RealRel(rel string) string {
	named := f.Abs(rel)
	path := workspace.RealPath(named)
	if path == named {
		return rel
	}
	root := workspace.RealPath(f.Root)
	inside, ok := convert.RelFrom(root, path)
	if !ok {
		return rel
	}
	for dir := filepath.Dir(path); dir != root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, workspace.Folder)); err == nil {
			return rel
		}
	}
	return inside
}

// URI returns the URI of a memory file, given by its path.
func (f *Folder) URI(path string) uri.URI { return convert.URIFrom(f.ClientPath(path)) }

// RelURI returns the URI of a file given relative to the root.
func (f *Folder) RelURI(rel string) uri.URI { return convert.URIFrom(f.Abs(rel)) }

// MemoryAt returns the memory with a file, whose path is as the client spells it.
func (f *Folder) MemoryAt(path string) (memory.Hit, bool) {
	for _, h := range f.Memories.View().All() {
		if f.ClientPath(h.Path) == path {
			return h, true
		}
	}
	return memory.Hit{}, false
}

// EarlyView returns a view of the memories of a file, given relative to the root. It waits
// until all memories are read only if that is needed.
func (f *Folder) EarlyView(ctx context.Context, rel string) (*memory.View, error) {
	if v, ok := f.Memories.Views().Early(ctx, filepath.ToSlash(rel)); ok {
		return v, nil
	}
	select {
	case <-f.ready:
		return f.Memories.View(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// opened reports whether opening has ended, successfully or not.
func (f *Folder) opened() bool {
	select {
	case <-f.ready:
		return true
	default:
		return false
	}
}

// close closes the services. Nothing may use them any more.
func (f *Folder) close() {
	if f.Ledger != nil {
		if err := f.Ledger.Close(); err != nil {
			f.opts.LocalLog.Warn("close the ledger", "dir", f.Dir, "err", err)
		}
	}
	if err := f.Memories.Close(); err != nil {
		f.opts.LocalLog.Warn("close memories", "dir", f.Dir, "err", err)
	}
}

// spawn runs a task until ctx ends.
func (f *Folder) spawn(ctx context.Context, task func(context.Context)) {
	f.opts.Spawn(func(context.Context) { task(ctx) })
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
