package follow

import (
	"manicule/indexer/anchor"
	"manicule/memory/store"
)

// Place is where one anchor of a memory is. Its lines are 1-based; bytes are
// what ResolveText gives.
type Place struct {
	Memory string // uuid
	Index  int    // among the memory's anchors
	Anchor anchor.Anchor
	store.Place
}

// LiveAnchor is where one anchor is in a text that may not be saved.
type LiveAnchor struct {
	Memory string
	Index  int
	Anchor anchor.Anchor
	anchor.Resolution
}

// Report is what a Refresh found.
type Report struct {
	Anchors  int          // all of them
	Resolved int          // looked for again; the others were known
	Held     int          // keep the state they had: the code there is broken, or Busy
	Busy     string       // what git is in the middle of ("rebase", "merge", …), "" for nothing
	Changes  []Transition // anchors in another state or place than before, by memory and index
	Faults   []Fault
}

// Fault is an anchor that a fault in Manicule keeps from being looked for. It has
// the state that it had.
type Fault struct {
	Memory, Path string
	Err          error
}

// Transition is one anchor that is elsewhere, or in another state, than before.
type Transition struct{ Was, Now Place }

// EditorMove is what an editor knows of an anchor when a buffer is saved.
type EditorMove struct {
	Memory string // uuid
	Index  int
	Path   string // of the file that was saved, relative to the root
	Text   []byte // its content
	Lines  anchor.LineRange
	Symbol string // path of the declaration, "" for none
}
