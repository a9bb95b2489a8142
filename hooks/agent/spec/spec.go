// Package spec defines the description of a coding agent: its hook payloads, its
// configuration files, its transcripts and its package. A description is one value
// of type [Agent], made of data and pure functions, so a list of agents costs nothing
// until one of them is used. The package must not know any agent, memories or the
// disk.
package spec

import (
	"manicule/hooks/event"
	"manicule/hooks/transcript"
)

// The names of the programs in agents' configuration files.
const (
	Server  = "manicule"      // the name of our server, and of the program
	Hook    = "manicule-hook" // the faster program for hooks alone; it takes the same arguments
	WordMCP = "mcp"           // the argument that starts the MCP server
	WordLSP = "lsp"           // the argument that starts the language server
)

// Agent describes one coding agent. Fields for missing features stay empty.
type Agent struct {
	// ID is the word of the command line (`manicule hook ID`). It never changes, because
	// configuration files and logs contain it.
	ID string
	// Home is the folder that the agent makes in the user's home folder, with slashes.
	Home string
	Wire Wire
	Env  Env
	// Hooks and Servers are the places of our hooks and servers in the agent's
	// configuration.
	Hooks   Hooks
	Servers Servers
	Rule    Rule
	Package Package
	// Transcript describes the agent's own record of a conversation.
	Transcript Transcript
	// Database is the agent's database of conversations.
	Database Database
	// Loads are the rule files that the agent loads by itself, according to the vendor's
	// documentation.
	Loads Loads
	// Clients are the names by which the agent introduces itself to MCP servers, in lower
	// case. A suffix after one of "-_/." is ignored.
	Clients []string
	// Authors are parts of the names, addresses and trailers of the agent's commits, in
	// lower case.
	Authors []string
	// Unseen means that some of the agent's tools bring in untrusted text without an event.
	Unseen bool
	// Unmarked means that a tool's name does not tell whether it belongs to an MCP server.
	Unmarked bool
	// StartOnly means that what a session is told at its start can't come later: no answer to a prompt reaches the model.
	StartOnly bool
	// EndsAtRest means that no event tells the end of a session, and that nobody waits for the one that tells the end of a turn.
	EndsAtRest bool
	// Restarts means that the session restarts with an event after a compaction.
	Restarts bool
}

// Wire is the format of an agent's hook payloads and answers. The zero Wire answers
// nothing.
type Wire struct {
	// Parse reads a payload.
	Parse func(event.Value) event.Event
	// Render writes the answer that adds text to the model's context. Without text it writes
	// an answer that the agent accepts as "nothing". It never decides a permission.
	Render func(e event.Event, text string) []byte
	// Evidence rates how surely the agent sent a payload; nil always gives [None].
	Evidence func(event.Value) Evidence
	// Probe returns a harmless event in a folder, to test an installed command line. It
	// names no session, so that no trace of it is kept.
	Probe func(dir string) map[string]any
}

// Empty is the answer without text.
func (w Wire) Empty() []byte {
	if w.Render == nil {
		return nil
	}
	return w.Render(event.Event{}, "")
}

// Evidence rates how surely one agent sent a payload. Agents run hooks that were
// installed for others, so a payload with evidence outweighs the command line.
type Evidence int

// The degrees of evidence.
const (
	None    Evidence = iota
	Weak             // a path that others may name too
	Likely           // a name or an input that others have not been seen to use
	Strong           // a set of members that no other agent sends
	Certain          // a member that only this agent has
)

// When returns a degree if a condition holds, else [None].
func When(condition bool, degree Evidence) Evidence {
	if condition {
		return degree
	}
	return None
}

// SessionStart is the probe of agents that name the event as Claude Code does.
func SessionStart(dir string) map[string]any {
	return map[string]any{"hook_event_name": "SessionStart", "source": "startup", "cwd": dir}
}

// Env names the environment variables that an agent sets.
type Env struct {
	Project string   // for hooks: the folder of the session
	Shell   []string // in the shells that it runs commands in: one of them is set
	Session string   // in its shells and for its servers: the id of the session
	// ServerProject is for MCP servers: the folder of the session.
	ServerProject string
}

// Transcript says how to find and read the record of a conversation.
type Transcript struct {
	Format transcript.Format // the zero Format is unreadable
	// Path returns the record of a session for agents whose hooks don't name it; nil for
	// others.
	Path func(home, session string) string
	// Subagents is a pattern for the records of subagents, in the folder named like the
	// conversation's own record without ".jsonl". The star is the subagent.
	Subagents string
}

// Database describes an agent's SQLite database of conversations, of agents whose hooks don't report
// what a person asked, how calls ended, and when a summary took the place of the context.
type Database struct {
	// File is its path in the folder of the session or the nearest one above that has it, with
	// slashes; "" if there is none.
	File string
	// Messages is a query for the latest messages of a session, oldest first. Its parameter is the id
	// of the session, its columns are the fields of a [Message].
	Messages string
	// Events reads the messages. It skips what it doesn't understand.
	Events func([]Message) []event.Happened
}

// Message is one message of a conversation.
type Message struct {
	ID, Role, Parts string // Parts is the agent's own JSON
	Summary         bool   // it took the place of the messages before it
	Seconds         int64  // when it was made, Unix time
}
