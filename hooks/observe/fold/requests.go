package fold

import (
	"path"

	"manicule/hooks/event"
)

// Request is a prompt of a person with the number of its calls.
type Request struct {
	N      int    // number of the event of its first call
	At     int64  // Unix milliseconds
	Folder string // the folder with most edits, "." for the root; "" if there were none
	Calls  int    // of the main conversation
}

// Requests lists the requests of the session with calls, in order. Calls before the first
// prompt, and those of subagents, belong to no request.
func (ses *Session) Requests() []Request {
	var out []Request
	at := map[int]int{} // by prompt
	folders := map[int]map[string]int{}
	for _, s := range ses.Steps {
		if s.Agent != "" || s.Prompt == 0 {
			continue
		}
		i, ok := at[s.Prompt]
		if !ok {
			i = len(out)
			at[s.Prompt], folders[i] = i, map[string]int{}
			out = append(out, Request{N: s.N, At: s.At})
		}
		out[i].Calls++
		if s.Class != event.Edit {
			continue
		}
		for _, p := range s.Paths {
			folders[i][path.Dir(p)]++
		}
	}
	for i, by := range folders {
		most := 0
		for d, n := range by {
			if n > most || n == most && d < out[i].Folder {
				out[i].Folder, most = d, n
			}
		}
	}
	return out
}
