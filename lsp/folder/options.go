package folder

import (
	"context"
	"log/slog"
	"time"

	"manicule/indexer/graph"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/coverage"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// Memories are the memories of a workspace, as far as the server uses them. It is safe
// for concurrent use.
type Memories interface {
	Root() string
	Git() *memory.Git
	View() *memory.View
	Views() *memory.Views
	Recaller() *memory.Recaller
	Remember(ctx context.Context, d memory.Draft) (memory.Result, error)
	Edits() *memory.Edits
	Forgotten() *memory.Forgotten
	Drafts() *memory.Drafts
	Decisions() *memory.Decisions
	Quarantine() *memory.Quarantine
	History() *memory.History
	Dismissals() store.Dismissals
	Sync(ctx context.Context) (changed bool, err error)
	Close() error
}

// Threads are what sessions left for the next in a workspace. It is safe for concurrent use.
type Threads interface {
	All(ctx context.Context) ([]thread.Thread, error)
	OpenAndUndecided(ctx context.Context) (open, several []thread.Thread, err error)
	Get(ctx context.Context, id string) (thread.Thread, error)
	Add(ctx context.Context, d threads.Draft) (threads.Result, error)
	Change(ctx context.Context, id string, c threads.Change) (threads.Result, error)
	UndecidedOf(uuid string) (thread.Thread, bool)
	Resolve(ctx context.Context, t thread.Thread, version int) error
	From(dir string) thread.From
}

// CoverageFunc tells which part of the changes of the last months was in files with memories of their own. ok is false without a
// history. It is safe for concurrent use.
type CoverageFunc func(context.Context) (r coverage.Report, ok bool, err error)

// Ledger records where memories were shown, and with what result. Its methods are
// called during requests and must not block.
type Ledger interface {
	// Sentence summarizes the results of a memory, "" for none.
	Sentence(uuid string) string
	// Shown records that memories were shown for a file, relative to the root.
	Shown(path string, uuids []string)
	Close() error
}

// Options are what a Set needs from its caller. Open is required. The other functions
// that open a service may be nil, and then the service is missing.
type Options struct {
	Open     func(ctx context.Context, dir string) (Memories, error)
	Code     func(root string) (Code, error)
	Track    func(Memories) (Tracker, error)
	Sessions func(Memories) Sessions
	Threads  func(Memories) Threads
	Trust    func(Memories) Trust
	Files    func(Memories) Files
	Ledger   func(Memories) Ledger
	Coverage func(Memories) CoverageFunc
	// Watch calls changed after each change in the memory folders of root, until ctx
	// ends.
	Watch func(ctx context.Context, root string, changed func()) error
	// ClientWatches reports whether the client watches the files of the folders that it
	// named.
	ClientWatches func() bool
	// Documents returns the client's open documents as they are now.
	Documents func() *session.Snapshot

	// Spawn runs a task outside of the message loop.
	Spawn    func(task func(context.Context))
	Log      *slog.Logger // also sent to the client
	LocalLog *slog.Logger
	Now      func() time.Time
	Events   Events

	// RefreshAfter is the debounce of file changes before anchors are resolved again.
	RefreshAfter time.Duration
	// IndexAfter is how long indexing waits after a folder was opened, unless a request
	// needs the graph.
	IndexAfter time.Duration
	// CacheTTL is how long the code graph and git's objects stay in memory unused.
	CacheTTL time.Duration
}

// Events are a folder's callbacks. They are called from any goroutine and must not
// block. Each may be nil.
type Events struct {
	// OpenFailed: the memories of a folder could not be opened.
	OpenFailed func(*Folder)
	// Changed: documents may show outdated memories.
	Changed func()
	// ListsChanged: panels may show outdated lists, but documents don't.
	ListsChanged func()
	// FilesListed: the files of a folder were listed for the first time.
	FilesListed func()
	// Session: there is an event of an agent's session.
	Session func(*Folder, SessionEvent)
	// Indexing: the code graph is being built. progress is called until end is.
	Indexing func(ctx context.Context, f *Folder) (progress func(graph.Progress), end func())
}

func (o Options) withDefaults() Options {
	if o.Watch == nil {
		o.Watch = watchMemories
	}
	if o.ClientWatches == nil {
		o.ClientWatches = func() bool { return false }
	}
	if o.Documents == nil {
		o.Documents = session.New().Snapshot
	}
	if o.Spawn == nil {
		o.Spawn = func(task func(context.Context)) { go task(context.Background()) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.LocalLog == nil {
		o.LocalLog = o.Log
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RefreshAfter == 0 {
		o.RefreshAfter = 200 * time.Millisecond // files change in groups
	}
	if o.IndexAfter == 0 {
		o.IndexAfter = 3 * time.Second
	}
	if o.CacheTTL == 0 {
		o.CacheTTL = 40 * time.Second
	}
	o.Events = o.Events.withDefaults()
	return o
}

func (e Events) withDefaults() Events {
	if e.OpenFailed == nil {
		e.OpenFailed = func(*Folder) {}
	}
	if e.Changed == nil {
		e.Changed = func() {}
	}
	if e.ListsChanged == nil {
		e.ListsChanged = func() {}
	}
	if e.FilesListed == nil {
		e.FilesListed = func() {}
	}
	if e.Session == nil {
		e.Session = func(*Folder, SessionEvent) {}
	}
	if e.Indexing == nil {
		e.Indexing = func(context.Context, *Folder) (func(graph.Progress), func()) {
			return func(graph.Progress) {}, func() {}
		}
	}
	return e
}
