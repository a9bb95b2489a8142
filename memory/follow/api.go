package follow

import (
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/memory/store"
)

// Place is the place of one anchor of a memory. Lines are 1-based; ResolveText returns bytes.
type Place struct {
	Memory string // uuid
	Index  int    // among the memory's anchors
	Anchor anchor.Anchor
	store.Place
}

// LiveAnchor is the place of one anchor in a text that may be unsaved.
type LiveAnchor struct {
	Memory string
	Index  int
	Anchor anchor.Anchor
	anchoring.Resolution
}

// Report is the result of a Refresh.
type Report struct {
	Anchors  int          // all of them
	Resolved int          // resolved again; the others were known
	Held     int          // kept their state: the code is broken, or Busy
	Unsteady bool         // files were written all the time: nothing changed its state
	Busy     string       // git's operation under way ("rebase", "merge", …), or ""
	Changes  []Transition // anchors with a new state or place, by memory and index
	Faults   []Fault
}

// Fault is an anchor that a fault in Manicule prevents from being resolved. It keeps its state.
type Fault struct {
	Memory, Path string
	Err          error
}

// Transition is a change of one anchor's place or state.
type Transition struct{ Was, Now Place }

// EditorMove is what an editor knows about an anchor when a buffer is saved.
type EditorMove struct {
	Memory string // uuid
	Index  int
	Path   string // of the file that was saved, relative to the root
	Text   []byte // its content
	Lines  anchor.LineRange
	Symbol string // path of the declaration, "" for none
}
