package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// conflictWithin is the maximum time between conflicting edits of two agents, in
// milliseconds.
const conflictWithin = 10 * 60_000

// conflicts are files that two agents edit at once, or that change while an agent works
// on them.
func conflicts(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	last := map[string]fold.Step{}
	for _, s := range ses.Steps {
		if s.Class != event.Edit && s.Class != event.Create || len(s.Paths) == 0 {
			continue
		}
		p := s.Paths[0]
		before, seen := last[p]
		switch {
		case s.Done && !s.OK && s.Kind == fold.ChangedSince:
			out = append(out, signal.Signal{Detail: signal.Conflict{Path: p, Changed: true}, Key: p, Paths: []string{p}, N: 1, Evidence: []int{s.N}, Tainted: s.Tainted})
		case seen && before.Agent != s.Agent && before.Agent != "" && s.Agent != "" && s.At-before.At < conflictWithin:
			out = append(out, signal.Signal{Detail: signal.Conflict{Path: p, Changed: false}, Key: p, Paths: []string{p}, N: 1, Evidence: []int{before.N, s.N}, Tainted: s.Tainted})
		}
		if !s.Done || s.OK {
			last[p] = s
		}
	}
	return out
}
