package fold

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
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
	Keys     []string // see [cmdline.Keys]
	Key      string   // of a failed chain: that of the command that failed, "" if unknown
	Done     bool     // its result is known
	OK       bool
	Kind     FailKind // of a failure
	Line     string   // line of its error
	Bytes    int      // size of its result
	Repeated bool     // its agent has read the file before
}

// Failed reports a failure that knowledge of the project could have prevented.
func (c Call) Failed() bool { return c.Done && !c.OK && c.Kind.Specific() }

// Calls lists the tool calls of the session in the order of their start.
func (ses *Session) Calls() []Call {
	out := make([]Call, 0, len(ses.Steps))
	read := map[[2]string]bool{}
	for _, s := range ses.Steps {
		c := Call{N: s.N, At: s.At, Took: s.Took, Agent: s.Agent, Tool: s.Tool, Class: s.Class, Paths: s.Paths, Command: s.Command, Keys: s.Keys, Key: s.Key,
			Done: s.Done, OK: s.OK, Kind: s.Kind, Line: s.Line, Bytes: s.Bytes}
		if s.Class == event.Read && (!s.Done || s.OK) {
			for _, p := range s.Paths {
				c.Repeated = c.Repeated || read[[2]string{s.Agent, p}]
				read[[2]string{s.Agent, p}] = true
			}
		}
		out = append(out, c)
	}
	return out
}

// Passed reports whether the command of a key passed in a call that has it: in a chain that failed, all
// but the one that failed did.
func (c Call) Passed(key string) bool { return c.OK || c.Key != key && c.Key != "" }

// Pieces lists the calls that ended a piece of work, in the order of their start: a check that passed, or a commit that
// worked, after something was edited since the one before.
func (ses *Session) Pieces() []Call {
	var out []Call
	edited := false
	for i, c := range ses.Calls() {
		switch {
		case c.Class == event.Edit || c.Class == event.Create:
			edited = edited || !c.Done || c.OK
		case edited && c.Done && c.OK && !InProgress(ses.Steps[i]) && slices.ContainsFunc(c.Keys, cmdline.EndsPiece):
			out, edited = append(out, c), false
		}
	}
	return out
}
