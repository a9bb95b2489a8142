// Package hooks answers one event of an agent: it reads the event from stdin, decides
// what to tell the agent, and prints the answer within a time budget, whatever
// happens. [Run] owns the time. A responder selects the parts of an answer, which are a
// small type each: brief, nudger, searcher, failures, earlierWork, ownWork, compaction,
// commands. Each embeds answering, which has the event and what was told so far. Agents'
// formats, the wording and the logs are in the packages below it. The package must
// not know LSP, SQL or how memories are stored.
package hooks

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/builds"
	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/record"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// The budgets, counted from the start of the process.
const (
	toolBudget  = 100 * time.Millisecond
	otherBudget = 250 * time.Millisecond
	// rememberBudget is for "/remember". The person waits for the confirmation, and the text
	// must not be lost to a slow disk or many processes. It stays below the agents' timeouts
	// (hooks/install).
	rememberBudget = 8 * time.Second
	// endBudget is for the end of a session, whose results are to be stored while nobody
	// waits. It stays below Claude Code's limit (1.5 s).
	endBudget = 1200 * time.Millisecond
	// restBudget is the same for an agent whose sessions are learned from at the end of each turn. It has no limit of its own.
	restBudget = 8 * time.Second
	// startBudget is for the start of a session. It comes once, with cold files and while the agent itself starts, which takes
	// seconds.
	startBudget = 500 * time.Millisecond
	// onlyStartBudget is the same for an agent that can't be told later. OpenCode waits for it with the first request to the model,
	// for at most 5 s, of which a busy machine takes most.
	onlyStartBudget = 900 * time.Millisecond
	// catchUpBudget bounds learning from earlier sessions before the answer at the start of one.
	// It costs the agent nothing more than learning afterwards: it waits for the process to exit.
	catchUpBudget = 120 * time.Millisecond
	// longCatchUpBudget is the same where the start can't be told later.
	longCatchUpBudget = 600 * time.Millisecond
	// answerReserve is the time that an answer needs on a slow machine.
	answerReserve = 100 * time.Millisecond
	// clockJump is longer than any start takes, so the clock was set meanwhile.
	clockJump = 10 * time.Second
)

// ErrNoWorkspace is returned by OpenReadOnly and StateDir for a folder without memories. It
// means silence, not a fault.
var ErrNoWorkspace = errors.New("no memories here")

// Memories is read access to the memories of one root, as they are on disk.
type Memories interface {
	// Root returns the absolute workspace root with links resolved.
	Root() string
	// ForPath returns what applies to a path below the root, in recall order.
	ForPath(ctx context.Context, q memory.PathQuery) ([]memory.Hit, error)
	// Brief returns the memories for the start of a session, and the total number.
	Brief(ctx context.Context) (hits []memory.Hit, total int, err error)
	// Files returns the memories in some files below the memories folder, most important
	// first.
	Files(ctx context.Context, paths []string) ([]memory.Hit, error)
	Close() error
}

// Options are the inputs of a hook. Stdin, Stdout and OpenReadOnly are required.
type Options struct {
	// Agents are the supported agents; all when nil.
	Agents agent.List
	Agent  string // the positional word of the command line
	Stdin  io.Reader
	Stdout io.Writer
	Start  time.Time // of the process
	Now    func() time.Time
	After  func(time.Duration) <-chan time.Time // tells that a time is up
	Getenv func(string) string
	Random io.Reader

	// OpenReadOnly opens the memories of a folder's root for reading.
	OpenReadOnly func(ctx context.Context, dir string) (Memories, error)
	// Remember stores the text of a person in a folder's root.
	Remember func(ctx context.Context, dir string, d memory.Draft) (memory.Result, error)
	// Learn learns from a session; without a session, from one that never reported its end.
	// It is called after the answer.
	Learn func(ctx context.Context, dir, session string) error
	// HandOver passes an event to another program if it needs writing memories or learning:
	// input is the event as read, answer is the output of the other program. It is nil if
	// this process writes itself. If it fails, the event is answered without writing.
	HandOver func(ctx context.Context, input []byte) (answer []byte, err error)
	// Waiting reports whether an earlier session waits to be learned from. It is called at
	// the start of a session, and with the first prompts of one whose start had no time to learn.
	Waiting func(ctx context.Context, dir string) (bool, error)
	// Search finds memories relevant to a text, best first; none if nothing fits.
	Search func(ctx context.Context, dir string, q Query) ([]memory.Hit, error)
	// Failures finds earlier failures of a call.
	Failures func(ctx context.Context, dir string, c event.Call) ([]Warning, error)
	// Reminders finds what became, in earlier sessions, of the error that a call has just met.
	Reminders func(ctx context.Context, dir string, c eventlog.Call) ([]Warning, error)
	// FrequentFailures finds the failures that sessions here meet so often that they are
	// worth knowing from the start.
	FrequentFailures func(ctx context.Context, dir string) ([]Warning, error)
	// Overrun compares a request, by its events so far, with earlier ones. ok is false if
	// its number of calls is usual, or too few requests are known.
	Overrun func(ctx context.Context, dir string, request []eventlog.Record) (over nudge.LongRequest, ok bool, err error)
	// Commits lists the commits of people since the last session in the workspace of a
	// folder.
	Commits func(ctx context.Context, dir string) (digest.Changes, error)
	// Core reads the core document of an agent, or that of all for "", in the workspace of a folder.
	Core func(dir, agent string) (core.Document, error)
	// Build sums up the build that is worked on in the workspace of a folder; ok is false for none.
	Build func(dir string) (s builds.Summary, ok bool, err error)
	// Work sums up the unit of work under way in the workspace of a folder; ok is false if none was begun.
	Work func(dir string) (s work.Summary, ok bool, err error)
	// Identity reads what is kept of an agent in the workspace of a folder.
	Identity func(ctx context.Context, dir, agent string) ([]record.Record, error)
	// Branch finds the memories of the checked-out branch in the workspace of a folder.
	Branch func(ctx context.Context, dir string) (branch.Memories, error)
	// LastBranch returns what Branch found last, at once: a start that can't wait for git tells that, marked.
	LastBranch func(ctx context.Context, dir string) (branch.Memories, error)
	// RecordStart records the commit at which a session begins, for Commits in the next one. It is
	// called after the answer.
	RecordStart func(dir string) error
	// Unusable counts the memory files of a folder's workspace that can't be used.
	Unusable func(dir string) int
	// Indexed reports whether the code of a folder's workspace is indexed.
	Indexed func(dir string) bool
	// Drafts lists the pending drafts of one session, newest first.
	Drafts func(ctx context.Context, dir, session string) ([]*file.Memory, error)
	// EarlierDrafts lists the pending drafts that agents wrote in other sessions, newest
	// first.
	EarlierDrafts func(ctx context.Context, dir, session string) ([]*file.Memory, error)
	// Unfinished finds what the last session on the checked-out branch left to do. ok is false
	// if it left nothing, or is too long ago.
	Unfinished func(ctx context.Context, dir, session string) (w nudge.Work, ok bool, err error)
	// BranchFiles returns the files that the last two sessions on the checked-out branch both changed; none on the default branch.
	BranchFiles func(ctx context.Context, dir, session string) ([]string, error)
	// Checkout names the checked-out branch of a folder, or "".
	Checkout func(dir string) string
	// Author names the person of a folder's repository, as memories do, or "".
	Author func(dir string) string
	// Wake returns what earlier sessions have left open for one that starts.
	Wake func(ctx context.Context, dir, session, agent string) (thread.Bundle, error)
	// Forget forgets a memory by id and returns its text.
	Forget func(ctx context.Context, dir, id string) (what string, err error)
	// Shown records the memories that an answer has shown. It is called after the answer.
	Shown func(ctx context.Context, dir string, s ledger.Showing) error
	// Prepare reads the settings under the deadline, because reading a file may block. Its
	// result replaces the next five fields. ok is false if another hook answers the event.
	Prepare func() (s Settings, ok bool)
	// TrustLevel, from 1 to 4, is how sure a memory must be to be shown unasked; 0 is 1.
	TrustLevel int
	// Methodology guesses the phase of work; the usual one when nil.
	Methodology phase.Methodology
	// Flush asks an agent at the end of its work for lessons.
	Flush bool
	// Arms assigns sessions to arms, to compare sessions with and without memories.
	Arms bool
	// HoldOut holds single memories out in sessions of the full arm, to compare sessions with and without each.
	HoldOut bool
	// StateDir returns the state folder of a folder's root.
	StateDir func(dir string) (string, error)
}

// Settings are a person's settings for hooks, as in Options.
type Settings struct {
	TrustLevel  int
	Methodology phase.Methodology
	Flush       bool
	Arms        bool
	HoldOut     bool
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Start.IsZero() {
		o.Start = o.Now()
	}
	if o.Getenv == nil {
		o.Getenv = workspace.Getenv
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Agents == nil {
		o.Agents = agent.All()
	}
	if o.Methodology == nil {
		o.Methodology = phase.Native{}
	}
	if o.OpenReadOnly == nil {
		o.OpenReadOnly = func(context.Context, string) (Memories, error) { return nil, ErrNoWorkspace }
	}
	if o.StateDir == nil {
		o.StateDir = func(string) (string, error) { return "", ErrNoWorkspace }
	}
	return o
}

// slowEnv gives events more time where a program takes long to start: in an
// emulator, on a home folder of a network. A person may set it; nothing else does.
const slowEnv = "MANICULE_HOOK_BUDGET"

// given returns the time that a person gives events; 0 for the usual one.
func given(getenv func(string) string) time.Duration {
	if getenv == nil {
		return 0
	}
	d, err := time.ParseDuration(getenv(slowEnv))
	if err != nil {
		return 0
	}
	return d
}

// Slowness returns how many times longer than usual the parts of an event may take: a person
// who gives events more time gives it to their parts, too.
func Slowness(getenv func(string) string) float64 {
	return max(1, given(getenv).Seconds()/otherBudget.Seconds())
}

// part returns the time for a part of an event that usually has so much.
func (o *Options) part(usual time.Duration) time.Duration {
	return time.Duration(float64(usual) * Slowness(o.Getenv))
}

// remaining returns the rest of a budget. A clock that was set since the start changes
// nothing.
func (o *Options) remaining(budget time.Duration) time.Duration {
	budget = max(budget, given(o.Getenv))
	elapsed := o.Now().Sub(o.Start)
	if elapsed < 0 || elapsed > clockJump {
		elapsed = 0
	}
	return max(0, budget-elapsed)
}
