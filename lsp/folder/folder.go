// Package folder owns the open workspace folders: the memories of each, and its
// background work, which is watching files, following anchors, indexing code and
// watching agents' sessions. It must not know the client, the protocol's requests or
// how anything is shown.
package folder

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"manicule/indexer/workspace"
	"manicule/lsp/convert"
	"manicule/memory"
	"manicule/memory/thread"
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

	unsubscribeTracker func()        // ends the subscription to the tracker
	refresh            chan struct{} // has a value while a refresh of the anchors is due
	hurry              chan struct{} // has a value when a request waits for that refresh
	following          following
	places             atomic.Uint64                   // version of the anchors' places
	revision           atomic.Uint64                   // of the memories at the tracker's last refresh
	gitBusy            atomic.Bool                     // a merge, rebase or similar is in progress
	dismissed          atomic.Pointer[byUUID]          // surfaces on which a person dismissed memories
	loadThreads        sync.Mutex                      // of two who read, the later has the newer files
	threads            atomic.Pointer[[]thread.Thread] // the open ones, as last read
	undecided          atomic.Pointer[[]thread.Thread] // those with several versions, as last read
	pending            string                          // the last seen candidates; used by one call at a time
	scopes             scopeCache

	indexed   chan struct{} // closed when the code graph is up to date
	requested chan struct{} // has a value when a request waits for the graph
	overlays  sync.Mutex    // held while buffers overlay the graph
	indexing  indexing
}

type byUUID = map[string][]string

// ClientPath returns the path of a memory file with the root as the client spells it.
func (f *Folder) ClientPath(path string) string {
	if rel, ok := convert.RelFrom(f.Memories.Root(), path); ok {
		return f.Abs(rel)
	}
	return path
}

// Abs returns the path of a file given relative to the root.
func (f *Folder) Abs(rel string) string { return filepath.Join(f.Root, filepath.FromSlash(rel)) }

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
