package memory

import (
	"manicule/memory/file"
	"manicule/memory/store"
)

// Match says why a memory applies to a path.
type Match int

// How a memory applies, weakest first. The order is recall's first sort key.
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
	// Path is the memory's own file, absolute.
	Path string
	// Score is the keyword relevance in [0, 1] where a query was given.
	Score float64
	// Places is where the memory's anchors are, in their order; nil when all are
	// where their records say. A zero one is fresh at its record's place.
	Places []store.Place
	// Judged is the key of the texts that were judged, where the memory is an outline.
	Judged string
	// Unjudged is set where nobody has judged what the memory's file says now: its
	// words are left out.
	Unjudged bool
	// specific orders hits of one layer, deeper places first; a view sets it.
	specific int
}

// Problem is a memory file that can't be used, with the place of the fault
// (1-based line and byte column; 0 where unknown) and what to do about it.
type Problem struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// UUID and Held are of a memory in quarantine: whose it is and why, "secret" or
	// "injection".
	UUID string `json:"uuid,omitempty"`
	Held string `json:"held,omitempty"`
}

// Result is the one answer of every write (ADE-ST-55).
type Result struct {
	Accepted bool         `json:"accepted"`
	Memory   *file.Memory `json:"memory,omitempty"`
	// Reason is why it was not accepted, or what was changed on the way in.
	Reason string `json:"reason,omitempty"`
	// Code is the machine's form of Reason: "", "malformed", "secret", "injection", "repeated", "duplicate", "conflict",
	// "rejected".
	Code       string `json:"code,omitempty"`
	Deduped    bool   `json:"deduped,omitempty"`
	MergedInto string `json:"merged_into,omitempty"`
	// Draft is true when the memory waits for a person's review.
	Draft bool   `json:"draft,omitempty"`
	Path  string `json:"path,omitempty"`
	// Act is what was done where a proposal was accepted; "" for all else.
	Act Act `json:"act,omitempty"`
}

// Draft is what a caller gives to the one write function. Everything but What
// may be left out; types, layers and defaults are filled in.
type Draft struct {
	Type       file.Type
	What       string
	Why        string
	Scope      []string
	At         []string // places: FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol, relative to the root or absolute
	Tags       []string
	Label      string
	Personal   bool
	Visibility file.Visibility // project when empty; Personal says it shorter
	Importance file.Importance
	Confidence float64
	Pin        bool
	Origin     file.Origin
	Tainted    bool
	// Insist is a person's word that they mean what reads like orders to an agent. It
	// has no meaning for an agent's draft.
	Insist    bool
	Tool      string // "cli", "lsp", "claude-code" …
	Agent     bool   // an agent writes: the memory becomes a draft until a person accepts it
	Session   string
	Import    *file.ImportOrigin
	Relations []file.Relation

	by *writer // where it is known: of many drafts it is found out once
}
