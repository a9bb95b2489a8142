package memory

import (
	"manicule/memory/file"
	"manicule/memory/gate"
)

// checkJunk refuses a memory whose text is junk, unless the person who writes it insists
// or the text is as it was. was is the version before it, nil for none.
func checkJunk(m, was *file.Memory, insist bool) error {
	if insist || was != nil && was.What == m.What {
		return nil
	}
	return gate.CheckJunk(m)
}
