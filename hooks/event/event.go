// Package event owns the normalized agent event, and what all agents' wire formats
// share: a JSON scanner that accepts input of any size, the names of tools, and the
// paths in a tool call, a shell command or a patch. It is pure. It must not know
// memories, files on disk or one agent's format.
package event

import "time"

// Kind is the kind of an event, independent of the agent.
type Kind string

// The kinds of events.
const (
	SessionStart    Kind = "session_start"
	Prompt          Kind = "prompt"
	PreTool         Kind = "pre_tool"
	PostTool        Kind = "post_tool"
	PostToolFailure Kind = "post_tool_failure"
	PostBatch       Kind = "post_batch"
	PreCompact      Kind = "pre_compact"
	SubagentStart   Kind = "subagent_start" // of agents that then send what they ask of it as a prompt of the session
	Stop            Kind = "stop"
	SessionEnd      Kind = "session_end"
	Other           Kind = "other"
)

// Tool reports whether the event is about tool calls.
func (k Kind) Tool() bool {
	return k == PreTool || k == PostTool || k == PostToolFailure || k == PostBatch
}

// Class is the kind of a tool, independent of the agent.
type Class string

// The classes of tools.
const (
	Read       Class = "read"
	Edit       Class = "edit"
	Create     Class = "create" // writes a whole file, which may exist
	Search     Class = "search"
	Shell      Class = "shell"
	Web        Class = "web"
	OtherClass Class = "other"
)

// Source is the way a session began.
type Source string

// The sources of a session.
const (
	Startup Source = "startup"
	Resume  Source = "resume"
	Clear   Source = "clear"
	Compact Source = "compact"
	Fork    Source = "fork"
)

// Outcome is the result of a tool call, as far as the event reports it.
type Outcome int8

// The outcomes.
const (
	Unknown Outcome = iota
	Succeeded
	Failed
)

// Target is a place that a tool call refers to. Path is as the agent wrote it: absolute
// or relative to the event's CWD, with the separators of its platform.
type Target struct {
	Path string
	// Dir is set for a search: the path is a folder unless the disk says otherwise.
	Dir   bool
	Class Class
	// Spans are the lines that are read, nil for the whole file or if the call doesn't say.
	Spans []Span
	// Replaced are the texts that an edit replaces, empty if the call doesn't say. They are in no log.
	Replaced []Replacement
}

// Span is a range of lines, from 1.
type Span struct{ From, To int }

// Replacement is a text that is replaced, and what takes its place.
type Replacement struct{ Old, New string }

// Call is one tool call.
type Call struct {
	Tool    string // the agent's own name of the tool
	ID      string
	Class   Class
	Targets []Target
	Command string // of a shell call
	Query   string // of a search
	URL     string
	Outcome Outcome
	Error   string
	// Before and After are digests of the texts that an edit removes and inserts, or "" if
	// unknown. Undoing an edit swaps them.
	Before, After string
	// Put is the text that an edit inserts, or a new file's. It is in no log.
	Put string `json:"-"`
	// Line is the first line that an edit changes, from 1; 0 if the event doesn't say.
	Line int
	// Bytes is the size of the tool's result in the event, as far as it was kept; 0 if there
	// is none.
	Bytes int
	// Found is the number of files or lines that a search found; nil if unknown.
	Found *int
	// Background names the command that a shell call left running in the background: its result is not known yet. Of
	// another call it names the command that it asked after, and Ended is how that ended, Unknown if it goes on. Error
	// is then what a failed one printed.
	Background string
	Ended      Outcome
	// Page is what a browser's tool looked at: the path of a page of the project, or Elsewhere. Fault is what was
	// wrong with it, and Showed how the browser tells it; "" if nothing was.
	Page   string
	Fault  Fault
	Showed string
}

// Happened is an event that the agent's own record of a conversation shows.
type Happened struct {
	ID   string // of what shows it, unique in the conversation
	Time time.Time
	Event
}

// Event is one agent event in the form that all code above the wire formats uses.
type Event struct {
	Agent string // the agent that sent the payload
	Kind  Kind
	Name  string // the agent's own name of the event

	Session    string
	AgentID    string // id of a subagent; "" in the main conversation
	AgentType  string
	Turn       string
	CWD        string
	Roots      []string // the agent's workspace folders, if it names them
	Transcript string

	Source Source
	// Text is the agent's last message, if the event contains it.
	Text   string
	Prompt string
	// PromptFrom is the author of the prompt: "" or "user" for a person, [ByAgent] for what an agent asks of a subagent.
	PromptFrom string

	Calls []Call
	// Facts are further small facts for the log: model, reason, trigger.
	Facts map[string]string

	// Answers is set if text in the answer to this event reaches the model.
	Answers bool
}

// ByAgent is the author of a prompt that an agent wrote for a subagent.
const ByAgent = "agent"

// SubagentFact and AsksFact are facts of a call that starts a subagent: its id, and the [Digest] of what the agent asks of it.
const (
	SubagentFact = "subagent"
	AsksFact     = "asks"
)

// AskedFact is the fact of a compaction that says what the person wants its summary to keep.
const AskedFact = "asked"

// Fact records a small fact. An empty value is left out.
func (e *Event) Fact(key, value string) {
	if value == "" {
		return
	}
	if e.Facts == nil {
		e.Facts = map[string]string{}
	}
	e.Facts[key] = value
}
