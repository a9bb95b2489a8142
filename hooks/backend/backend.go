// Package backend implements what a hook needs from the workspace: the read-only
// databases, the session's files and the leader, subject to the switches in the
// settings. It receives anything that is expensive to link or to open as a function.
// It must not know models, or how a workspace is opened for writing.
package backend

import (
	"context"
	"time"

	"manicule/hooks"
	"manicule/hooks/phase"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/search"
)

// Options are the functions by which a backend reaches what it must not know.
type Options struct {
	Getenv   func(string) string
	Now      func() time.Time
	Discover func(dir string) (*workspace.Workspace, error)
	Settings func(*workspace.Workspace) (*config.Config, []config.Warning)
	// Open opens the memories for writing.
	Open func(dir string) (*memory.Workspace, *config.Config, error)
	// HandOver passes an event to another program, as in [hooks.Options]; nil if Open
	// suffices.
	HandOver func(ctx context.Context, input []byte) (answer []byte, err error)
	// Ask queries the leader that listens on a socket.
	Ask func(ctx context.Context, socket string, q search.Question) (search.Answer, error)
}

// Backend answers one event, and is closed then where the process goes on.
type Backend struct {
	options  Options
	places   *places
	states   *states
	tree     tree
	sessions *sessions
	reader   reader
	writer   writer
}

// New returns a backend. It opens nothing.
func New(o Options) *Backend {
	places, states := &places{discover: o.Discover, settings: o.Settings}, &states{}
	tree := tree{places: places, getenv: o.Getenv, now: o.Now}
	return &Backend{
		options: o, places: places, states: states, tree: tree,
		sessions: &sessions{places: places, states: states, tree: tree, getenv: o.Getenv, now: o.Now},
		reader:   reader{places: places, getenv: o.Getenv, now: o.Now, ask: o.Ask},
		writer:   writer{places: places, states: states, getenv: o.Getenv, now: o.Now, openMemories: o.Open, passOn: o.HandOver},
	}
}

// Answer connects the options of a hook to the backend.
func (b *Backend) Answer(o *hooks.Options) {
	o.OpenReadOnly, o.Search = b.reader.open, b.reader.search
	o.StateDir, o.Indexed, o.Author, o.Checkout = b.tree.stateDir, b.tree.indexed, b.tree.author, b.tree.checkout
	o.Unusable = b.tree.unusable
	o.Commits, o.RecordStart, o.Branch, o.LastBranch = b.tree.news, b.tree.advance, b.tree.branch, b.tree.lastBranch
	o.Core, o.Build, o.Work = b.tree.core, b.tree.build, b.tree.work
	o.Waiting, o.Unfinished, o.BranchFiles, o.Wake = b.sessions.waiting, b.sessions.unfinished, b.sessions.branchFiles, b.sessions.wake
	o.Failures, o.Reminders, o.FrequentFailures, o.Overrun = b.sessions.failures, b.sessions.reminders, b.sessions.recurring, b.sessions.overrun
	o.Drafts, o.EarlierDrafts, o.Identity = b.sessions.drafts, b.sessions.earlierDrafts, b.sessions.identity
	o.Remember, o.Forget, o.Learn, o.Shown = b.writer.remember, b.writer.forget, b.writer.learn, b.writer.shown
	if b.options.HandOver != nil {
		o.HandOver = b.writer.handOver
	}
}

// Personal returns the settings that apply to a person in all folders. A repository can't
// set them.
func (b *Backend) Personal() hooks.Settings {
	p, c, err := b.places.at(".")
	if err != nil {
		c = config.Defaults()
		if p != nil {
			c, _ = config.Load(config.Files{User: p.UserConfigFile(), Local: p.LocalConfigFile()}, b.options.Getenv) // doctor shows the warnings
		}
	}
	return hooks.Settings{TrustLevel: c.Int("hooks.trust_level"), Flush: c.Bool("hooks.flush"), Arms: c.Bool("hooks.arms"), HoldOut: c.Bool("hooks.hold_out"),
		Methodology: phase.Handing(phase.Named(c.String("hooks.methodology")), c.String("work.hand_on"), c.String("work.hand_to_review"))}
}

// Close closes what answering an event opened.
func (b *Backend) Close() error { return b.states.close() }
