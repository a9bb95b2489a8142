package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
)

// Pieces lists the calls that ended a piece of work, in the order of their start: a check that passed, or a commit that
// worked, after something was edited since the one before.
func (f *folded) Pieces() []Call {
	var out []Call
	edited := false
	for i, c := range f.Calls() {
		switch {
		case c.Class == event.Edit || c.Class == event.Create:
			edited = edited || !c.Done || c.OK
		case edited && c.Done && c.OK && !inProgress(f.steps[i]) && slices.ContainsFunc(c.Keys, endsPiece):
			out, edited = append(out, c), false
		}
	}
	return out
}

// MayEndPiece reports whether a command checks or commits, so that it may end a piece of work.
func MayEndPiece(command string) bool { return slices.ContainsFunc(Keys(command), endsPiece) }

func endsPiece(key string) bool { return check(key) || strings.HasSuffix(key, "git commit") }
