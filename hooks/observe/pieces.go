package observe

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
)

// Pieces lists the calls that ended a piece of work, in the order of their start: a check that passed, or a commit that
// worked, after something was edited since the one before.
func (f *Session) Pieces() []Call {
	var out []Call
	edited := false
	for i, c := range f.Calls() {
		switch {
		case c.Class == event.Edit || c.Class == event.Create:
			edited = edited || !c.Done || c.OK
		case edited && c.Done && c.OK && !inProgress(f.Steps[i]) && slices.ContainsFunc(c.Keys, cmdline.EndsPiece):
			out, edited = append(out, c), false
		}
	}
	return out
}
