package feature

import (
	"path/filepath"

	"go.lsp.dev/uri"

	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
)

// Candidate is a memory that waits for review, as clients list it. docs/lsp.md
// describes its members.
type Candidate struct {
	Folder     uri.URI     `json:"folder,omitempty"` // the open folder in which it waits
	UUID       string      `json:"uuid"`
	Type       file.Type   `json:"type"`
	What       string      `json:"what"`
	Why        string      `json:"why,omitzero"`
	Evidence   []string    `json:"evidence"`
	Paths      []string    `json:"paths"`
	Scope      []string    `json:"scope,omitempty"`
	Confidence float64     `json:"confidence"`
	Sessions   int         `json:"sessions"`
	Tainted    bool        `json:"tainted"`
	Origin     file.Origin `json:"origin"`
	CreatedAt  file.Time   `json:"createdAt"`
	Held       string      `json:"held,omitzero"`   // why it is in quarantine: secret, injection
	Act        memory.Act  `json:"act,omitzero"`    // "" for a new memory
	Target     string      `json:"target,omitzero"` // uuid of the memory that Act is about

	// Of a memory with several versions: its own version, and what it may say.
	Version  int               `json:"version,omitzero"`
	Versions []ConflictVersion `json:"versions,omitempty"`
	Thread   bool              `json:"thread,omitzero"` // it is a shared thread, which keeps one version
}

// CandidateOf describes a candidate.
func CandidateOf(c memory.Candidate) Candidate {
	m := c.Memory
	out := Candidate{
		UUID: m.UUID, Type: m.Type, What: render.Printable(m.What), Why: render.Printable(m.Why), Evidence: []string{}, Paths: OrEmpty(c.Paths), Scope: m.Scope,
		Confidence: m.Confidence, Sessions: c.Sessions, Tainted: m.Trust.Tainted, Origin: OriginOf(m), CreatedAt: m.CreatedAt,
	}
	out.Act, out.Target = memory.Proposal(m)
	for _, e := range c.Evidence {
		out.Evidence = append(out.Evidence, render.Printable(e))
	}
	return out
}

// codeHeld is the code of the diagnostic on a memory file in quarantine.
const codeHeld = "quarantine"

// HeldCandidate returns a memory in quarantine as an entry of the review list.
// Accepting releases it, rejecting forgets it. A secret is not repeated.
func HeldCandidate(f *folder.Folder, h memory.Quarantined) Candidate {
	out := CandidateOf(memory.Candidate{Memory: h.Memory, Sessions: 1, Evidence: []string{h.Why}})
	out.Act, out.Target, out.Held, out.Tainted = "", "", h.Code, true
	if h.Code == string(gate.Secret) {
		out.What, out.Why = "A memory that holds what looks like a secret: "+filepath.Base(f.ClientPath(h.Path)), ""
	}
	return out
}

// The origins that clients see for memories whose files state none, or none that is known.
const (
	notReviewed file.Origin = "from_git_not_reviewed_here"
	notStated   file.Origin = "not_stated"
	asDraft     file.Origin = "written_as_a_draft"
)

// OriginOf returns the origin of a memory, never empty.
func OriginOf(m *file.Memory) file.Origin {
	switch {
	case m.Trust.Unreviewed:
		return notReviewed
	case m.Trust.Origin == "":
		return notStated
	case file.Nobodys(m):
		return asDraft
	}
	return m.Trust.Origin
}

// OrEmpty returns a list that JSON encodes as [] if it is empty.
func OrEmpty[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
