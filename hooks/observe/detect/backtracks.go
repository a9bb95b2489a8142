package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// backtracks are edits that were undone: by the opposite edit, or by git.
func backtracks(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	edits := map[string][]fold.Step{}
	for _, s := range ses.Steps {
		switch s.Class {
		case event.Edit:
			if len(s.Paths) != 1 || s.Done && !s.OK {
				continue
			}
			p := s.Paths[0]
			for _, e := range edits[p] {
				if e.Before != "" && e.Before == s.After && e.After == s.Before {
					out = append(out, signal.Signal{Detail: signal.UndoneEdit{Path: p, By: "edit"}, Key: p, Paths: []string{p}, N: 1, Evidence: []int{e.N, s.N}, Tainted: s.Tainted, Rejected: true})
				}
			}
			edits[p] = append(edits[p], s)
		case event.Shell:
			for _, args := range s.Simple {
				if len(args) < 3 || args[0] != "git" || args[1] != "checkout" && args[1] != "restore" {
					continue
				}
				for _, a := range args[2:] {
					rel, ok := ses.Root.Under(a, "")
					if !ok || len(edits[rel]) == 0 {
						continue
					}
					last := edits[rel][len(edits[rel])-1]
					out = append(out, signal.Signal{Detail: signal.UndoneEdit{Path: rel, By: "git"}, Key: rel, Paths: []string{rel}, N: 1, Evidence: []int{last.N, s.N}, Tainted: s.Tainted, Rejected: true})
					delete(edits, rel)
				}
			}
		}
	}
	return out
}
