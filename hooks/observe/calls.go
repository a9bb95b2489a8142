package observe

import (
	"slices"

	"manicule/hooks/event"
)

// Call is one tool call of a session, for judging what came of a memory that the agent
// was shown.
type Call struct {
	N        int   // number of its first event in the log, from 1
	At       int64 // Unix milliseconds
	Took     int64 // milliseconds, 0 if unknown
	Agent    string
	Tool     string
	Class    event.Class
	Paths    []string // below the root, with forward slashes
	Command  string
	Keys     []string // see [Keys]
	Key      string   // of a failed chain: that of the command that failed, "" if unknown
	Done     bool     // its result is known
	OK       bool
	Kind     FailKind // of a failure
	Line     string   // line of its error
	Bytes    int      // size of its result
	Repeated bool     // its agent has read the file before
}

// Failed reports a failure that knowledge of the project could have prevented.
func (c Call) Failed() bool { return c.Done && !c.OK && c.Kind.specific() }

// Calls lists the tool calls of the session in the order of their start.
func (f *folded) Calls() []Call {
	out := make([]Call, 0, len(f.steps))
	read := map[[2]string]bool{}
	for _, s := range f.steps {
		c := Call{N: s.n, At: s.at, Took: s.took, Agent: s.agent, Tool: s.tool, Class: s.class, Paths: s.paths, Command: s.command, Keys: s.keys, Key: s.key,
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

// Turn is a message of a person.
type Turn struct {
	N    int // number of its event
	At   int64
	Text string
}

// Turns lists the messages of people.
func (f *folded) Turns() []Turn {
	out := make([]Turn, 0, len(f.turns))
	for _, t := range f.turns {
		out = append(out, Turn{t.n, t.at, t.text})
	}
	return out
}

// Corrections returns the sentences by which a person corrected the agent, as rules for
// later.
func (f *folded) Corrections() []Turn {
	var out []Turn
	for _, s := range corrections(f) {
		for _, t := range f.turns {
			if rule, ok := s.Detail.(Instruction); ok && slices.Contains(s.Evidence, t.n) {
				out = append(out, Turn{t.n, t.at, rule.Text})
			}
		}
	}
	return out
}

// Passed reports whether the command of a key passed in a call that has it: in a chain that failed, all
// but the one that failed did.
func (c Call) Passed(key string) bool { return c.OK || c.Key != key && c.Key != "" }
