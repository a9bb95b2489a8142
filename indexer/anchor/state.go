package anchor

// State says how well an anchor still fits the code.
type State string

// The states of an anchor.
const (
	Fresh    State = "fresh"    // found, unchanged
	Drifted  State = "drifted"  // found, but the code changed
	Stale    State = "stale"    // not found with certainty; the position is the most likely one
	Orphaned State = "orphaned" // the target is gone; the position is the file's top
	Followed State = "followed" // found under another name or in another place; to be shown with its receipt
)

// Rung is the step of the ladder that produced a resolution.
type Rung string

// The rungs, from the most certain down.
const (
	RungBlob   Rung = "blob"   // the file is the one the anchor was made in
	RungPlace  Rung = "place"  // the same name in the same place
	RungLines  Rung = "lines"  // the cited lines, by comparing their enclosing code
	RungTree   Rung = "tree"   // another name or place, the same code
	RungAlike  Rung = "alike"  // another name or place, similar code
	RungSplit  Rung = "split"  // cited lines in a function that was extracted from theirs
	RungMerged Rung = "merged" // a declaration that absorbed most of the code
	RungFile   Rung = "file"   // the renamed file
	RungRecord Rung = "record" // the record alone: its name, hashes and quote
	RungQuote  Rung = "quote"  // only the old position
	RungNone   Rung = ""       // not found
)
