// Package lsp is the language server: it shows memories where the code is, and lets a
// person write and review them from the editor. It holds the wiring, the lifecycle,
// the capabilities, and one thin method for each request, which calls package
// feature, action or panel.
//
// A request takes its snapshot in wire order and then runs concurrently with others.
// A notification is handled completely before the next message is read (package rpc).
// The package must not know agents, SQL or how memories are stored: it sees them
// through [Memories].
package lsp

import (
	"context"
	"log/slog"
	"time"

	"manicule/lsp/client"
	"manicule/lsp/folder"
)

// What the server needs from a workspace. Package folder documents each type.
type (
	Memories = folder.Memories
	Ledger   = folder.Ledger
	Tracker  = folder.Tracker
	Code     = folder.Code
	Files    = folder.Files
	Threads  = folder.Threads
	Trust    = folder.Trust

	CoverageFunc = folder.CoverageFunc

	Sessions       = folder.Sessions
	SessionEntry   = folder.SessionEntry
	SessionSummary = folder.SessionSummary
	SessionEvent   = folder.SessionEvent
)

// The kinds of a SessionEntry.
const (
	EntryShown   = folder.EntryShown
	EntryLearned = folder.EntryLearned
	EntryWritten = folder.EntryWritten
	EntryEnded   = folder.EntryEnded
)

// The kinds of a SessionEvent.
const (
	SessionEnded     = folder.SessionEnded
	SessionCompacted = folder.SessionCompacted
	StateChanged     = folder.StateChanged
)

// Options of a server. Open is required; everything else has a default.
type Options struct {
	Version string
	// Open opens the memories of the workspace that dir belongs to.
	Open func(ctx context.Context, dir string) (Memories, error)
	// Graph returns the code graph of the workspace at root, or an error that says why
	// there is none and what to do. nil: there is none.
	Graph func(root string) (Code, error)
	// Track returns the tracker of a workspace. nil: anchors are where their records
	// say.
	Track func(Memories) (Tracker, error)
	// Sessions returns the sessions of agents in a workspace, nil for none. nil: there
	// are none.
	Sessions func(Memories) Sessions
	// Threads returns what sessions left for the next in a workspace. nil: there is
	// nothing.
	Threads func(Memories) Threads
	// Trust returns the trust level of a workspace. nil: there is none.
	Trust func(Memories) Trust
	// Files returns the files of a workspace, for matching scopes. nil: scopes match
	// nothing.
	Files func(Memories) Files
	// OnEmbed calls f while code of a workspace gets vectors in the background; done is total at the
	// end. It may be nil.
	OnEmbed func(m Memories, f func(done, total int))
	// Ledger returns the ledger of a workspace, nil for none. The server closes it.
	Ledger func(Memories) Ledger
	// Coverage tells what changes in a workspace and has no memory, nil without a history. nil: that is not told.
	Coverage func(Memories) CoverageFunc
	// Commit resolves a revision to a commit id in the repository of a workspace's
	// root. nil: old versions show no memories.
	Commit func(ctx context.Context, root, rev string) (string, error)
	// RefreshAfter is the debounce of file changes before anchors are resolved again.
	RefreshAfter time.Duration
	// ResolveWait is how long a request waits for the anchors of a document that was
	// just opened. After that it shows less.
	ResolveWait time.Duration
	// Now is the clock for ages.
	Now func() time.Time
	// Log receives errors, besides the client's own log. It must not write to standard
	// output, which is the connection.
	Log *slog.Logger
	// Settings returns the settings that the client's configuration overlays. dir is
	// the client's first folder, "" for none.
	Settings func(dir string) *Settings
	// Override changes settings after the client's configuration: environment variables
	// win. It may be nil.
	Override func(*Settings)
	// SuggestKey returns the known key that an unknown one was probably meant to be, or
	// "".
	SuggestKey func(key string, known []string) string
	// Hint returns what a person can do about an error, or "".
	Hint func(err error) string
	// Alive reports whether a process runs. The server ends when its editor does not.
	Alive func(pid int) bool
	// PollInterval is the time between two checks of the editor's process.
	PollInterval time.Duration
	// Watch calls changed after each change in the memory folders of root, until ctx
	// ends. It is used if the client can't watch files.
	Watch func(ctx context.Context, root string, changed func()) error
	// ProgressAfter is how long the first sync may take before its progress is shown.
	ProgressAfter time.Duration
	// Idle is called when the server has been idle for a moment, to free memory. It may
	// be nil.
	Idle func()
	// IndexAfter is how long indexing waits after a folder was opened, unless a request
	// needs the graph.
	IndexAfter time.Duration
	// CacheTTL is how long the code graph and git's objects stay in memory unused.
	// Reading them again takes a fraction of a second.
	CacheTTL time.Duration
	// NotifyAfter is how long changes are collected before a client with extensions is
	// notified.
	NotifyAfter time.Duration
	// DebounceDelay is how long typing must pause before diagnostics are computed.
	DebounceDelay time.Duration
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Settings == nil {
		o.Settings = func(string) *Settings { return DefaultSettings() }
	}
	if o.Override == nil {
		o.Override = func(*Settings) {}
	}
	if o.SuggestKey == nil {
		o.SuggestKey = func(string, []string) string { return "" }
	}
	if o.Hint == nil {
		o.Hint = func(error) string { return "" }
	}
	if o.Alive == nil {
		o.Alive = client.ProcessAlive
	}
	if o.PollInterval == 0 {
		o.PollInterval = 3 * time.Second
	}
	if o.ProgressAfter == 0 {
		o.ProgressAfter = 200 * time.Millisecond
	}
	if o.NotifyAfter == 0 {
		o.NotifyAfter = defaultNotifyAfter
	}
	if o.DebounceDelay == 0 {
		o.DebounceDelay = 150 * time.Millisecond
	}
	return o
}
