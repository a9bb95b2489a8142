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

// The program as agents' configuration files name it.
const (
	Server  = "manicule"      // the name of our server, and of the program
	Hook    = "manicule-hook" // the program that answers hooks and starts faster; it takes the same words
	WordMCP = "mcp"           // the argument that makes it an MCP server
	WordLSP = "lsp"           // the argument that makes it a language server
)

// Agent describes one coding agent. What an agent does not have stays empty.
type Agent struct {
	// ID is the word of the command line (`manicule hook ID`). Configuration
	// files and logs hold it: it never changes.
	ID   string
	Wire Wire
	Env  Env
	// Hooks and Servers are where the agent's configuration names our hooks and
	// our servers.
	Hooks   Hooks
	Servers Servers
	Rule    Rule
	Package Package
	// Transcript is the record that the agent keeps of a conversation.
	Transcript Transcript
	// Loads are the rule files that the agent gives to its model without being
	// asked, by the vendor's documentation.
	Loads Loads
	// Clients are the names by which the agent introduces itself to MCP servers,
	// in lower case. What follows a name after one of "-_/." does not count.
	Clients []string
	// Authors are parts of the names, addresses and trailers of the agent's
	// commits, in lower case.
	Authors []string
	// Unseen says that some of the agent's tools bring in text of strangers
	// without an event.
	Unseen bool
	// Unmarked says that the name of a tool does not tell whether it is an MCP
	// server's.
	Unmarked bool
	// Restarts says that the session starts anew after a compaction, with an event.
	Restarts bool
}

// Wire is the format of an agent's hook payloads and answers. The zero Wire
// answers nothing.
type Wire struct {
	// Parse reads a payload.
	Parse func(event.Value) event.Event
	// Render writes the answer that puts text before the model. Without text, it
	// writes what the agent takes for "nothing". It never decides a permission.
	Render func(e event.Event, text string) []byte
	// Evidence says how surely a payload is this agent's; nil is [None] for all.
	Evidence func(event.Value) Evidence
	// Probe is a harmless event in a folder, for trying an installed command line.
	// It names no session, so that nothing is kept of it.
	Probe func(dir string) map[string]any
}

// Empty is the answer that says nothing.
func (w Wire) Empty() []byte {
	if w.Render == nil {
		return nil
	}
	return w.Render(event.Event{}, "")
}

// Evidence says how surely a payload is one agent's. Agents run hooks that were
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

// When is a degree where a condition holds, else [None].
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
	Project string // for hooks: the folder that the session is about
	Shell   string // in the shells that it runs commands in
	Session string // in its shells and for its servers: the id of the session
	// ServerProject is for MCP servers: the folder that the session is about.
	ServerProject string
}

// Transcript says how the record of a conversation is found and read.
type Transcript struct {
	Format transcript.Format // the zero Format can't be read
	// Path is where the record of a session is, for agents whose hooks don't
	// name it; nil for others.
	Path func(home, session string) string
	// Subagents is a pattern of the records of subagents, in the folder that is
	// named as the conversation's own record without ".jsonl". The star is the
	// subagent.
	Subagents string
}
