// Package folder owns the open workspace folders: the memories of each, and its
// background work, which is watching files, following anchors, indexing code and
// watching agents' sessions. It must not know the client, the protocol's requests or
// how anything is shown.
package folder

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/memory"
)

// Folder is a workspace folder and its memories, which open in the background.
// The exported fields are set once opening has ended and never change.
type Folder struct {
	Dir      string   // as it was named
	Root     string   // of the memories, spelled as the client spells Dir
	Memories Memories // nil when they could not be opened
	Err      error    // why
	Tracker  Tracker  // nil where anchors are not followed
	Code     Code     // nil where there is no code graph
	NoCode   error    // why, and what to do
	Ledger   Ledger   // nil where there is none
	Sessions Sessions // nil where nothing is known of them

	opts        *Options
	nested      bool          // found by the server: the client did not name it
	ready       chan struct{} // closed when opening has ended
	stop        func()        // ends what runs beside it
	unsubscribe func()
	sync        chan struct{} // holds a value while a sync is due

	untrack   func()                 // ends the subscription to the tracker
	refresh   chan struct{}          // holds a value while a refresh of the anchors is due
	places    atomic.Uint64          // version of the anchors' places
	revision  atomic.Uint64          // of the memories that the tracker last refreshed for
	gitBusy   atomic.Bool            // git is in the middle of something
	dismissed atomic.Pointer[byUUID] // surfaces on which a person dismissed memories
	pending   string                 // the candidates seen last; used by one call at a time
	scopes    scopeCache

	indexed  chan struct{} // closed when the code graph is up to the files
	wanted   chan struct{} // has a value when a request waits for the graph
	overlays sync.Mutex    // held from putting buffers over the graph to the answer
	indexing indexing
}

type byUUID = map[string][]string

// ClientPath spells the path of a memory file as the client spells the root.
func (f *Folder) ClientPath(path string) string {
	if rel, ok := convert.RelFrom(f.Memories.Root(), path); ok {
		return f.Abs(rel)
	}
	return path
}

// Abs returns the path of a file named relative to the root.
func (f *Folder) Abs(rel string) string { return filepath.Join(f.Root, filepath.FromSlash(rel)) }

// URI is that of a memory file, given by its path.
func (f *Folder) URI(path string) uri.URI { return convert.URIFrom(f.ClientPath(path)) }

// RelURI is that of a file named relative to the root.
func (f *Folder) RelURI(rel string) uri.URI { return convert.URIFrom(f.Abs(rel)) }

// MemoryAt returns the memory whose file has a path, as the client spells it.
func (f *Folder) MemoryAt(path string) (memory.Hit, bool) {
	for _, h := range f.Memories.View().All() {
		if f.ClientPath(h.Path) == path {
			return h, true
		}
	}
	return memory.Hit{}, false
}

// opened reports whether opening has ended, well or not.
func (f *Folder) opened() bool {
	select {
	case <-f.ready:
		return true
	default:
		return false
	}
}

// close closes what the folder holds, after everything that uses it has ended.
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
