package memory

import (
	"time"

	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/store"
)

// Match says why a memory applies to a path.
type Match int

// The matches, weakest first. This order is recall's first sort key.
const (
	MatchNone    Match = iota
	MatchProject       // no scope and no anchor: the whole project
	MatchParent        // the scope lies below the queried folder
	MatchScope         // the path lies under the scope
	MatchAnchor        // an anchor names this very file
)

// String is the name that JSON answers use.
func (m Match) String() string {
	switch m {
	case MatchProject:
		return "project"
	case MatchParent:
		return "parent"
	case MatchScope:
		return "scope"
	case MatchAnchor:
		return "anchor"
	}
	return "none"
}

// Hit is a memory that applies to a queried path.
type Hit struct {
	Memory *file.Memory
	Match  Match
	// Path is the absolute path of the memory's own file.
	Path string
	// Score is the keyword relevance in [0, 1], if there was a query.
	Score float64
	// Places are the current places of the memory's anchors, in their order. It is nil if all are
	// where their records say; a zero element means the same for one anchor.
	Places []store.Place
	// Use is the memory's use on this machine, and Now the time up to which its age counts.
	Use life.Use
	Now time.Time
	// Judged is the key of the judged texts, if the memory is an outline.
	Judged string
	// Unjudged is true if nobody has judged the file's current content. Its words are then left
	// out.
	Unjudged bool
	// SupersededBy is the id of a memory that replaces this one. Only [Recaller.MarkSuperseded] sets it.
	SupersededBy string
	// specific orders hits within a layer, deeper places first. The view sets it.
	specific int
}

// Problem is a memory file that can't be used, with the place of the fault (1-based line and byte
// column, 0 if unknown) and a hint.
type Problem struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// UUID and Held describe a memory in quarantine. Held is the reason, "secret" or "injection".
	UUID string `json:"uuid,omitempty"`
	Held string `json:"held,omitempty"`
}

// Result is the answer of every write.
type Result struct {
	Accepted bool         `json:"accepted"`
	Memory   *file.Memory `json:"memory,omitempty"`
	// Reason says why it was not accepted, or what was changed.
	Reason string `json:"reason,omitempty"`
	// Code is the machine-readable form of Reason: "", "malformed", "secret", "injection",
	// "repeated", "duplicate", "conflict", "rejected"; "deleted" if a decision removed the memory; "unchanged" if an edit changes nothing; "same" or "contradicts" if a person has to be asked.
	Code string `json:"code,omitempty"`
	// AlsoMine is the id of a memory that says the same to its writer alone, beside one for all that was written.
	AlsoMine string `json:"also_mine,omitempty"`
	// Advice says what an accepted text reads like, and what to write instead.
	Advice     string `json:"advice,omitempty"`
	Deduped    bool   `json:"deduped,omitempty"`
	MergedInto string `json:"merged_into,omitempty"`
	// Contradicts lists the memories that a new one contradicts.
	Contradicts []Contradiction `json:"contradicts,omitempty"`
	// Draft is true if the memory waits for review.
	Draft bool `json:"draft,omitempty"`
	// Doubt is the kind of junk that a draft may be: it is not accepted together with others.
	Doubt string `json:"doubt,omitempty"`
	Path  string `json:"path,omitempty"`
	// Act is the act of an accepted proposal, else "".
	Act Act `json:"act,omitempty"`
}

// Draft describes a new memory. Only What is required; Remember fills in types, layers and
// defaults.
type Draft struct {
	Type       file.Type
	What       string
	Why        string
	Scope      []string
	At         []string // places: FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol, relative to the root or absolute
	Tags       []string
	Label      string
	Citation   string // where it was said, in a few words
	Personal   bool
	Visibility file.Visibility // project when empty; Personal is a shorthand
	Importance file.Importance
	Confidence float64
	Pin        bool
	Origin     file.Origin
	Tainted    bool
	// Insist confirms that a person means words that read like orders to an agent. It has no effect
	// on an agent's draft.
	Insist  bool
	Tool    string // "cli", "lsp", "claude-code" …
	Agent   bool   // an agent writes: the memory is a draft until a person accepts it
	For     string // the id of the agent that it is for alone, "" for everybody
	Session string
	// During is the session that it is for alone, "" for all. Such a memory is personal, and is put away once the
	// session is over.
	During    string
	Import    *file.ImportOrigin
	Relations []file.Relation
	Details   file.Details // what its type has besides; another type's is refused
	// Again is what becomes of it if another memory says the same or contradicts it. It has no
	// effect on an agent's draft.
	Again Again
	// Work names the unit of work that it belongs to; the one under way when empty, and "none" for none.
	Work string

	by *author // set for a batch, which determines it once
}
