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

// What the server needs of a workspace; package folder says what each is for.
type (
	Memories = folder.Memories
	Ledger   = folder.Ledger
	Tracker  = folder.Tracker
	Code     = folder.Code
	Files    = folder.Files
	Trust    = folder.Trust

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

// Options of a server. Open is needed; everything else has a default.
type Options struct {
	Version string
	// Open opens the memories of the workspace that dir belongs to.
	Open func(ctx context.Context, dir string) (Memories, error)
	// Graph returns the code graph of the workspace at root, or an error that
	// says why there is none and what to do. Without it there is none.
	Graph func(root string) (Code, error)
	// Track returns what knows where the anchors of a workspace are. Without it an
	// anchor is where its record says.
	Track func(Memories) (Tracker, error)
	// Sessions tells of agents' sessions in a workspace. Without it, or where it is
	// nil for a workspace, nothing is known of them.
	Sessions func(Memories) Sessions
	// Trust is the trust level of a workspace. Without it there is none to show.
	Trust func(Memories) Trust
	// Files lists the files of a workspace, for what a scope matches. Without it
	// those of the code graph count.
	Files func(Memories) Files
	// Ledger returns the account of where a workspace's memories were shown, nil for
	// none. The server closes it.
	Ledger func(Memories) Ledger
	// Commit returns the id of the commit that a revision names in the repository
	// of a workspace's root. Without it no old versions are shown.
	Commit func(ctx context.Context, root, rev string) (string, error)
	// FollowAfter is how long files must rest before anchors are looked for again.
	FollowAfter time.Duration
	// ResolveWait is how long an answer waits for the anchors of a document that
	// was just opened, rather than showing less.
	ResolveWait time.Duration
	// Now is the clock that ages are counted from.
	Now func() time.Time
	// Log gets what goes wrong, beside the client's own log. It must not write
	// to standard output, which is the connection.
	Log *slog.Logger
	// Settings returns what the client's configuration is laid over, for a
	// client whose first folder is dir ("" where it has none).
	Settings func(dir string) *Settings
	// Override changes settings after the client has spoken: what the process's
	// environment says wins. It may be nil.
	Override func(*Settings)
	// Nearest returns the known key that an unknown one was probably meant to
	// be, or "" (memory/config has it).
	Nearest func(key string, known []string) string
	// Hint returns what a person can do about an error, or "".
	Hint func(err error) string
	// Alive reports whether a process runs. The server ends when its editor
	// does not.
	Alive func(pid int) bool
	// Poll is the time between two looks at the editor's process.
	Poll time.Duration
	// Watch calls changed after something in the memory folders of root did,
	// until ctx ends. It is used where the client can't watch files.
	Watch func(ctx context.Context, root string, changed func()) error
	// ProgressAfter is how long the first sync may take before it is shown.
	ProgressAfter time.Duration
	// Idle is called when the server has had nothing to answer for a moment: to
	// give memory back. It may be nil.
	Idle func()
	// IndexAfter is how long the code graph waits after a folder was opened, unless a
	// request waits for it.
	IndexAfter time.Duration
	// Keep is how long the code graph, and what git said, stay in memory unused. To
	// read them again takes a fraction of a second.
	Keep time.Duration
	// ChangedAfter is how long changes must rest before a client with extensions is
	// told of them.
	ChangedAfter time.Duration
	// Settle is the debounce of typing, before diagnostics are sent again.
	Settle time.Duration
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
	if o.Nearest == nil {
		o.Nearest = func(string, []string) string { return "" }
	}
	if o.Hint == nil {
		o.Hint = func(error) string { return "" }
	}
	if o.Alive == nil {
		o.Alive = client.ProcessAlive
	}
	if o.Poll == 0 {
		o.Poll = 3 * time.Second
	}
	if o.ProgressAfter == 0 {
		o.ProgressAfter = 200 * time.Millisecond
	}
	if o.ChangedAfter == 0 {
		o.ChangedAfter = changedAfter
	}
	if o.Settle == 0 {
		o.Settle = 150 * time.Millisecond
	}
	return o
}
