// Package hooks answers one event of an agent: it reads the event from stdin, decides
// what to tell the agent, and prints the answer within a time budget, whatever
// happens. [Run] owns the clock. respond selects the parts of an answer, which have
// one file each (brief, nudge, search, warnings, drafts, overrun, remember). Agents'
// formats, the wording and the logs are in the packages below it. The package must
// not know LSP, SQL or how memories are stored.
package hooks

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// The budgets, counted from the start of the process.
const (
	toolBudget  = 100 * time.Millisecond
	otherBudget = 250 * time.Millisecond
	// rememberBudget is for "/remember": the person waits to hear that it was
	// stored, and what was typed must not be lost to a slow disk or a crowd of
	// processes. It stays below what the agents are told (hooks/install).
	rememberBudget = 8 * time.Second
	// endBudget is for the end of a session: nobody waits for an answer, and what it
	// has shown is to be kept. It stays below what Claude Code grants (1.5 s).
	endBudget = 1200 * time.Millisecond
	// catchUpBudget bounds learning, at the start of a session, from earlier ones that
	// nobody has learned from. It counts from the answer, however long that took: the
	// agent waits for the process to end.
	catchUpBudget = 120 * time.Millisecond
	// clockJump is more than any start takes: somebody has set the clock meanwhile.
	clockJump = 10 * time.Second
)

// ErrNoWorkspace is what OpenQuick and StateDir return for a folder that no
// memories belong to. It is silence, not a fault.
var ErrNoWorkspace = errors.New("no memories here")

// Memories is what a hook reads: the memories of one root, as they are on disk.
type Memories interface {
	// Root is the workspace root, absolute, with links resolved.
	Root() string
	// ForPath returns what applies to a path below the root, in recall order.
	ForPath(ctx context.Context, rel string, isDir bool) ([]memory.Hit, error)
	// Brief returns the memories for the start of a session, and how many there are in all.
	Brief(ctx context.Context) (hits []memory.Hit, total int, err error)
	// Files returns the memories of some files below the memories folder, most
	// important first.
	Files(ctx context.Context, paths []string) ([]memory.Hit, error)
	Close() error
}

// Options is what a hook takes from its process. Stdin, Stdout and OpenQuick
// are needed; the rest may be left out.
type Options struct {
	// Agents are the agents that are known; all when nil.
	Agents agent.List
	Agent  string // the positional word of the command line
	Stdin  io.Reader
	Stdout io.Writer
	Start  time.Time // of the process
	Now    func() time.Time
	Getenv func(string) string
	Random io.Reader

	// OpenQuick opens the memories of the root that a folder lies in, for reading.
	OpenQuick func(ctx context.Context, dir string) (Memories, error)
	// Remember stores what a person typed, in the root that a folder lies in.
	Remember func(ctx context.Context, dir string, d memory.Draft) (memory.Result, error)
	// Learn keeps what a session has shown; without a session, what one that
	// was never ended has. It is called when the answer is out.
	Learn func(ctx context.Context, dir, session string) error
	// HandOver has another program answer an event that takes writing memories or
	// learning from a session: input is the event as it was read, answer what the other
	// one printed. nil where this process does that itself; where it fails, what can
	// be answered without is.
	HandOver func(ctx context.Context, input []byte) (answer []byte, err error)
	// Waiting reports whether a session waits to be learned from. It is asked, at the
	// start of one, where there is HandOver.
	Waiting func(ctx context.Context, dir string) (bool, error)
	// Search finds memories that bear on a text, best first; none where nothing fits.
	Search func(ctx context.Context, dir string, q Query) ([]memory.Hit, error)
	// Failures finds what went wrong in earlier sessions with a call.
	Failures func(ctx context.Context, dir string, c event.Call) ([]Warning, error)
	// FrequentFailures finds what sessions here run into so often that it is worth
	// knowing from the start.
	FrequentFailures func(ctx context.Context, dir string) ([]Warning, error)
	// Overrun compares a request, by its events so far, with earlier ones; ok is false
	// where it has not taken more calls than usual, or too few are known.
	Overrun func(ctx context.Context, dir string, request []eventlog.Record) (over nudge.LongRequest, ok bool, err error)
	// Commits lists what people committed since the last session in the workspace of
	// a folder.
	Commits func(ctx context.Context, dir string) (digest.Changes, error)
	// Branch finds the memories of the branch that is checked out in the workspace
	// of a folder.
	Branch func(ctx context.Context, dir string) (branch.Memories, error)
	// Began notes the commit at which a session begins, for Commits in the next one.
	// It is called when the answer is out.
	Began func(dir string) error
	// Indexed tells whether the code of the workspace of a folder was indexed.
	Indexed func(dir string) bool
	// Drafts lists what waits for a person and is of one session, newest first.
	Drafts func(ctx context.Context, dir, session string) ([]*file.Memory, error)
	// EarlierDrafts lists what agents wrote in other sessions and waits for a person,
	// newest first.
	EarlierDrafts func(ctx context.Context, dir, session string) ([]*file.Memory, error)
	// Forget forgets the memory of an id, and returns its text.
	Forget func(ctx context.Context, dir, id string) (what string, err error)
	// Shown writes down which memories an answer has shown. It is called when the
	// answer is out.
	Shown func(ctx context.Context, dir string, s ledger.Showing) error
	// Prepare reads the settings: it runs under the deadline, since reading a file may
	// block. What it returns replaces the next three fields. ok is false where another
	// hook answers the event.
	Prepare func() (s Settings, ok bool)
	// TrustLevel, from 1 to 4, says how sure a memory must be to be told unasked; 0 is 1.
	TrustLevel int
	// Methodology guesses the phase of work; the usual one when nil.
	Methodology phase.Methodology
	// Flush asks an agent at the end of its work what it has learned.
	Flush bool
	// StateDir is where this machine keeps what it knows of the folder's root.
	StateDir func(dir string) (string, error)
}

// Settings are what a person has set for hooks, as in Options.
type Settings struct {
	TrustLevel  int
	Methodology phase.Methodology
	Flush       bool
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Start.IsZero() {
		o.Start = o.Now()
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Agents == nil {
		o.Agents = agent.All()
	}
	if o.Methodology == nil {
		o.Methodology = phase.Usual{}
	}
	if o.OpenQuick == nil {
		o.OpenQuick = func(context.Context, string) (Memories, error) { return nil, ErrNoWorkspace }
	}
	if o.StateDir == nil {
		o.StateDir = func(string) (string, error) { return "", ErrNoWorkspace }
	}
	return o
}

// slowEnv gives events more time where a program takes long to start: in an
// emulator, on a home folder of a network. A person may set it; nothing else does.
const slowEnv = "MANICULE_HOOK_BUDGET"

// left is what remains of a budget. A clock that was set since the start
// neither takes time away nor adds any.
func (o *Options) left(budget time.Duration) time.Duration {
	if o.Getenv != nil {
		if given, err := time.ParseDuration(o.Getenv(slowEnv)); err == nil {
			budget = max(budget, given)
		}
	}
	elapsed := o.Now().Sub(o.Start)
	if elapsed < 0 || elapsed > clockJump {
		elapsed = 0
	}
	return max(0, budget-elapsed)
}
