package hooks

import (
	"sync"

	"manicule/hooks/agent/spec"
	"manicule/hooks/eventlog"
)

// process is the run of one hook: its options, and what the goroutine that answers and the one that watches the time
// both know of the event.
type process struct {
	opt Options

	mu        sync.Mutex
	unlogged  eventlog.Record // the event as it came, for when the time is up
	agent     spec.Agent
	name      string // of the event
	stateDir  string
	outcome   string
	expired   bool   // the deadline has passed: later faults of the worker are not logged
	late      bool   // it passed without an answer
	committed bool   // the answer is about to be recorded as shown
	fallback  []byte // the answer at the deadline; nil for the agent's empty answer

	// faults is what failed, for one who asks and waits; nil in a hook, which logs it.
	faults *[]error
}

// inputRead reports whether the event was read.
func (p *process) inputRead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name != "" || p.fallback != nil
}

// commit reports whether there is still time to answer. From then on Run waits a little
// longer for the answer, because it is about to be recorded as shown.
func (p *process) commit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.committed = !p.expired
	return p.committed
}

func (p *process) setOutcome(o string) {
	p.mu.Lock()
	p.outcome = o
	p.mu.Unlock()
}

// isOver reports whether the deadline has passed.
func (p *process) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expired
}
