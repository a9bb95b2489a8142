package fold

import "manicule/hooks/event"

// FileUse is the use of a file in a session.
type FileUse struct {
	Path  string `json:"path"`
	Reads int    `json:"reads,omitzero"`
	Edits int    `json:"edits,omitzero"`
	First int64  `json:"first"` // Unix milliseconds
	N     int    `json:"n"`     // event number
}

// Files counts the uses of each file, in the order of first use.
func (ses *Session) Files() []FileUse {
	var out []FileUse
	at := map[string]int{}
	for _, s := range ses.Steps {
		if s.Class != event.Read && s.Class != event.Edit && s.Class != event.Create || s.Done && !s.OK {
			continue
		}
		for _, p := range s.Paths {
			i, ok := at[p]
			if !ok {
				i = len(out)
				at[p] = i
				out = append(out, FileUse{Path: p, First: s.At, N: s.N})
			}
			if s.Class == event.Read {
				out[i].Reads++
			} else {
				out[i].Edits++
			}
		}
	}
	return out
}
