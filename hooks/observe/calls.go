package observe

import (
	"slices"

	"manicule/hooks/event"
)

// Call is one tool call of a session, for who judges what came of something
// that the agent was told.
type Call struct {
	N        int   // number of its first event in the log, from 1
	At       int64 // Unix milliseconds
	Took     int64 // milliseconds, 0 where it is not known
	Agent    string
	Tool     string
	Class    event.Class
	Paths    []string // below the root, with forward slashes
	Command  string
	Keys     []string // see [Keys]
	Done     bool     // its result is known
	OK       bool
	Kind     FailKind // of a failure
	Line     string   // of its error
	Bytes    int      // of its result
	Repeated bool     // a read of a file that its agent has read before
}

// Failed reports a call that failed in a way that knowing the project could
// have prevented.
func (c Call) Failed() bool { return c.Done && !c.OK && c.Kind.specific() }

// Calls lists the tool calls of the session, in the order of their beginning.
func (f *Fold) Calls() []Call {
	out := make([]Call, 0, len(f.steps))
	read := map[[2]string]bool{}
	for _, s := range f.steps {
		c := Call{N: s.n, At: s.at, Took: s.took, Agent: s.agent, Tool: s.tool, Class: s.class, Paths: s.paths, Command: s.command, Keys: s.keys,
			Done: s.done, OK: s.ok, Kind: s.kind, Line: s.line, Bytes: s.bytes}
		if s.class == event.Read && (!s.done || s.ok) {
			for _, p := range s.paths {
				c.Repeated = c.Repeated || read[[2]string{s.agent, p}]
				read[[2]string{s.agent, p}] = true
			}
		}
		out = append(out, c)
	}
	return out
}

// Turn is something that a person said.
type Turn struct {
	N    int // number of its event
	At   int64
	Text string
}

// Turns lists what a person said.
func (f *Fold) Turns() []Turn {
	out := make([]Turn, 0, len(f.turns))
	for _, t := range f.turns {
		out = append(out, Turn{t.n, t.at, t.text})
	}
	return out
}

// Corrections are the sentences by which a person set the agent right, as rules
// for later.
func (f *Fold) Corrections() []Turn {
	var out []Turn
	for _, s := range f.corrections() {
		for _, t := range f.turns {
			if slices.Contains(s.Evidence, t.n) {
				out = append(out, Turn{t.n, t.at, s.A})
			}
		}
	}
	return out
}
