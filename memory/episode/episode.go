// Package episode describes what one session of an agent did (its task, its steps, how it ended) and
// finds the procedures that several sessions had in common. It computes on values alone: it must
// not know logs, agents, databases or memories.
package episode

// Outcome is how a session ended.
type Outcome string

// The outcomes of a session.
const (
	Success Outcome = "success"
	Partial Outcome = "partial"
	Failure Outcome = "failure"
)

// Act is what a step did.
type Act string

// The acts of steps.
const (
	Look   Act = "look" // reads and searches
	Edit   Act = "edit"
	Create Act = "create"
	Run    Act = "run"
	Fetch  Act = "fetch" // from the web
)

// Step is one or several equal acts in a row.
type Step struct {
	Act Act `json:"act"`
	// What is a path below the root, or a command without what processes its output.
	What  string `json:"what"`
	Key   string `json:"key,omitzero"`  // of a command: what it has in common with its other uses
	Line  int    `json:"line,omitzero"` // of an edit: where it first changed the file, 0 if unknown
	Times int    `json:"times"`
	Fails int    `json:"fails,omitzero"`
	// Check is set for commands that check the code: tests, linters, builds.
	Check   bool `json:"check,omitzero"`
	Tainted bool `json:"tainted,omitzero"` // it followed untrusted text
}

// Problem is a failure with what then worked.
type Problem struct {
	What string `json:"what"`         // the command or path
	Line string `json:"line"`         // of its error
	Fix  string `json:"fix,omitzero"` // the command that then worked
}

// Mend is how a check that failed passed again in the same session.
type Mend struct {
	Check  string   `json:"check"`
	Files  []string `json:"files"`           // changed between
	Commit string   `json:"commit,omitzero"` // first line of the message of a fix's commit that followed
}

// Part is what a subagent did for a session.
type Part struct {
	Agent  string   `json:"agent"`         // its id within the session
	Type   string   `json:"type,omitzero"` // as its agent names it
	Calls  int      `json:"calls"`
	Edited []string `json:"edited,omitempty"`
	Failed []string `json:"failed,omitempty"` // checks whose last run in it failed
}

// Call is how a tool of an MCP server did in a session.
type Call struct {
	Tool  string `json:"tool"`
	Calls int    `json:"calls"`
	Fails int    `json:"fails,omitzero"`
	Line  string `json:"line,omitzero"` // of the last failure
}

// Episode is the record of one session.
type Episode struct {
	Session    string    `json:"session"`
	Agent      string    `json:"agent"`
	Kind       string    `json:"kind"`              // purpose of the session
	Task       string    `json:"task"`              // the person's words
	Further    []string  `json:"further,omitempty"` // what the person asked for later
	Outcome    Outcome   `json:"outcome"`
	Evidence   []string  `json:"evidence,omitempty"` // of the outcome, a phrase each
	Confidence float64   `json:"confidence"`         // in task and outcome, 0 to 1
	InVain     bool      `json:"in_vain,omitzero"`   // it failed, and its changes did not do what was asked
	Fallback   bool      `json:"fallback,omitzero"`  // the log did not tell the task, or nothing of the outcome
	Approach   []Step    `json:"approach,omitempty"`
	Edited     []string  `json:"edited,omitempty"`
	Tools      []Count   `json:"tools,omitempty"`     // calls by class, most first
	Problems   []Problem `json:"problems,omitempty"`  // and their solutions
	Decisions  []string  `json:"decisions,omitempty"` // first lines of its commits
	Planned    int       `json:"planned,omitzero"`    // items of the list that it made for itself
	Mends      []Mend    `json:"mends,omitempty"`     // of checks
	Work       string    `json:"work,omitzero"`       // the unit of work that it was about, as KIND:ID
	Parts      []Part    `json:"parts,omitempty"`     // what subagents did for it
	Servers    []Call    `json:"servers,omitempty"`   // tools of MCP servers, most calls first
	Requests   int       `json:"requests"`            // of the person
	Refusals   int       `json:"refusals,omitzero"`   // calls that the person refused or interrupted
	Started    int64     `json:"started"`             // Unix milliseconds
	Ended      int64     `json:"ended"`
	Active     int64     `json:"active"` // milliseconds without pauses of more than five minutes
	Tainted    bool      `json:"tainted,omitzero"`
	TaintedBy  string    `json:"tainted_by,omitzero"` // the first call that read text from outside
}

// Count is a number of calls of a class of tools.
type Count struct {
	Name  string `json:"name"`
	Calls int    `json:"calls"`
}

// FallbackConfidence is the confidence of an episode whose log told too little.
const FallbackConfidence = 0.5
